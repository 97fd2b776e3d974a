/**
 * Names as tokens. A token is the start of an HMAC of the name, so that profiles that were anonymized with one key can be merged and
 * compared, and a list of likely names is of no use without it.
 */
import { createHmac } from 'node:crypto';
import {
  compactProfile,
  compilePattern,
  goPackage,
  isStandardPackage,
  mapTexts,
  type OptionProblem,
  OTHER_FRAME,
  type Profile,
  selectRows,
  stringAt,
  TRUNCATED_FRAME,
  UsageError,
} from '../../../core/index.js';
import type { AnonymizeOptions } from '../../../schemas/gen/options/anonymize.js';

export interface AnonymizeRules {
  readonly key: string;
  /** Names of functions that stay. */
  readonly isKept: (name: string) => boolean;
  readonly labels: 'tokens' | 'drop' | 'keep';
}

/** Hexadecimal digits of a token: 80 bits, so that two of a million names are alike once in a trillion sets of names. */
const TOKEN_DIGITS = 20;

/** @throws UsageError E_PATTERN */
export async function compileKept(
  options: Pick<AnonymizeOptions, 'keep' | 'keep_standard'>,
): Promise<AnonymizeRules['isKept']> {
  const keep = await compilePattern('keep', options.keep);
  return (name) => {
    if (name === OTHER_FRAME || name === TRUNCATED_FRAME || keep?.test(name)) return true;
    const path = options.keep_standard ? goPackage(name) : undefined;
    // Type arguments name the program's own types: slices.Sort[main.Key].
    return path !== undefined && isStandardPackage(path) && !name.includes('[');
  };
}

export async function anonymizeProblems(options: AnonymizeOptions): Promise<OptionProblem[]> {
  try {
    await compileKept(options);
    return [];
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return [{ path: error.option, message: error.message }];
  }
}

/**
 * Function names, source files, mapped files, build IDs and label values become tokens; addresses, ids, comments, the documentation
 * link, drop_frames, keep_frames and unknown fields go. Stacks, values, line numbers, keys of labels and the header's times stay.
 */
export function anonymize(profile: Profile, { key, isKept, labels }: AnonymizeRules): Profile {
  const token = (kind: string) => (text: string) =>
    `${kind}_${createHmac('sha256', key).update(`${kind}\0${text}`).digest('hex').slice(0, TOKEN_DIGITS)}`;
  const name = token('function');
  const file = token('file');
  const keptFiles = filesOfKept(profile, isKept);
  const hidden = mapTexts(withoutTraces(profile), {
    functionName: (text) => (isKept(text) ? text : name(text)),
    systemName: (text) => (isKept(text) ? text : name(text)),
    filename: (text) => (keptFiles.has(text) ? belowSources(text) : file(text)),
    mappingFile: token('mapping'),
    buildId: token('build'),
    ...(labels === 'tokens' ? { labelValue: token('value') } : {}),
  });
  return labels === 'drop' ? selectRows(hidden, { labels: new Uint8Array(hidden.samples.labels.length) }) : hidden;
}

/** Files all of whose functions keep their names. */
function filesOfKept({ functions, strings }: Profile, isKept: (name: string) => boolean): Set<string> {
  const files = new Set<string>();
  const others = new Set<string>();
  for (let row = 0; row < functions.length; row++) {
    const isOfKept = isKept(stringAt(strings, functions.name[row]!));
    (isOfKept ? files : others).add(stringAt(strings, functions.filename[row]!));
  }
  for (const file of others) files.delete(file);
  return files;
}

/** Without the folder that a toolchain lies in, which may be somebody's home. */
const belowSources = (path: string) => path.replace(/^.*\/src\//, '');

function withoutTraces(profile: Profile): Profile {
  const { locations, functions, mappings } = profile;
  return compactProfile({
    ...profile,
    locations: { ...locations, id: undefined, address: new BigUint64Array(locations.length) },
    functions: { ...functions, id: undefined },
    mappings: {
      ...mappings,
      id: undefined,
      memoryStart: new BigUint64Array(mappings.length),
      memoryLimit: new BigUint64Array(mappings.length),
      fileOffset: new BigUint64Array(mappings.length),
    },
    comments: new Uint32Array(0),
    docUrl: 0,
    dropFrames: 0,
    keepFrames: 0,
    unknown: undefined,
  });
}
