/** Which group a profile, or each of its samples, is in: the options `by`, `every` and `slide`. */
import {
  compilePattern,
  filterSamples,
  forEachSample,
  type ItemInfo,
  type OptionProblem,
  type Profile,
  stringAt,
  UsageError,
} from '../../../core/index.js';
import type { AggregateOptions } from '../../../schemas/gen/options/aggregate.js';
import { compileWindows, type WindowOptions } from './windows.js';

/** What the members of a group have in common, by field: `{ service: 'api' }`. Always the same fields, in the same order. */
export type GroupFields = Readonly<Record<string, string>>;

export interface GroupPart {
  readonly fields: GroupFields;
  /** Of its window: milliseconds since 1970. */
  readonly endMs: number | undefined;
  readonly profile: Profile;
}

/** Parts of a profile by group: every sample is in one of them, in several where windows overlap. */
export type Split = (
  profile: Profile,
  item: Pick<ItemInfo, 'name' | 'arrivalMs' | 'writtenUntilMs'>,
) => readonly GroupPart[];

type GroupOptions = Pick<AggregateOptions, 'by'> & WindowOptions;

/** @returns undefined where everything is one group @throws UsageError E_PATTERN */
export async function compileGroups({ by, ...times }: GroupOptions): Promise<Split | undefined> {
  if (by.length === 0 && times.every === undefined) return undefined;
  const ofItem = await Promise.all(by.filter((key) => !key.startsWith('label:')).map(compileItemKey));
  const labels = by.filter((key) => key.startsWith('label:')).map((key) => key.slice('label:'.length));
  const windowsOf = compileWindows(times);
  return (profile, item) => {
    const common = Object.assign(
      Object.create(null),
      ...ofItem.map((fieldsOf) => fieldsOf(profile, item)),
    ) as GroupFields;
    const parts = labels.length === 0 ? [{ fields: {}, profile }] : splitByLabels(profile, labels);
    return windowsOf(profile, item).flatMap(({ fields: window, endMs }) =>
      parts.map((part) => ({ fields: { ...window, ...common, ...part.fields }, endMs, profile: part.profile })),
    );
  };
}

/** Names of the fields that groups have, as output paths may use them. */
export function groupFields({ by, every }: Pick<GroupOptions, 'by' | 'every'>): string[] {
  const ofKeys = by.flatMap((key) => {
    if (key.startsWith('label:')) return [key.slice('label:'.length)];
    return key.startsWith('name:') ? namedGroups(key.slice('name:'.length)) : [key];
  });
  return [...(every === undefined ? [] : ['window']), ...ofKeys];
}

export async function groupProblems(options: Omit<GroupOptions, 'clock'>): Promise<OptionProblem[]> {
  const problems: OptionProblem[] = [];
  for (const [index, key] of options.by.entries()) {
    if (!key.startsWith('name:')) continue;
    try {
      await compilePattern(['by', index], key.slice('name:'.length));
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      problems.push({ path: error.option, message: error.message });
      continue;
    }
    if (groupFields({ by: [key] }).length === 0) {
      problems.push({ path: ['by', index], message: 'the expression has no named group, as in (?P<host>[^-]+)' });
    }
  }
  const fields = groupFields(options);
  const twice = fields.find((field, index) => fields.indexOf(field) !== index);
  if (twice !== undefined) problems.push({ path: ['by'], message: `two keys give the field "${twice}"` });
  return problems;
}

const namedGroups = (expression: string): string[] =>
  Array.from(expression.matchAll(/\(\?P?<([A-Za-z_]\w*)>/g), ([, name]) => name!);

async function compileItemKey(
  key: string,
): Promise<(profile: Profile, item: { readonly name: string }) => GroupFields> {
  if (key === 'name') return (_, { name }) => ({ name });
  if (key === 'sample_types') return (profile) => ({ sample_types: sampleTypes(profile) });
  if (key === 'build_id') return ({ mappings, strings }) => ({ build_id: stringAt(strings, mappings.buildId[0] ?? 0) });
  if (key === 'binary') return ({ mappings, strings }) => ({ binary: stringAt(strings, mappings.filename[0] ?? 0) });
  const pattern = (await compilePattern('by', key.slice('name:'.length)))!;
  const none = Object.fromEntries(groupFields({ by: [key] }).map((field) => [field, '']));
  return (_, { name }) => pattern.groups(name) ?? none;
}

const sampleTypes = ({ sampleTypes: types, strings }: Profile): string =>
  types.map(({ type, unit }) => `${stringAt(strings, type)}.${stringAt(strings, unit)}`).join('+');

/** By the first label of each key; "" for samples that have none. Numbers are in decimal. */
function splitByLabels(profile: Profile, keys: readonly string[]): Omit<GroupPart, 'endMs'>[] {
  const groups: GroupFields[] = [];
  const numbers = new Map<string, number>();
  const groupOf = new Uint32Array(profile.samples.length);
  forEachSample(profile, (sample) => {
    const values = keys.map((key) => sample.label(key) ?? sample.numberLabel(key)?.toString() ?? '');
    const text = JSON.stringify(values);
    let number = numbers.get(text);
    if (number === undefined) {
      number = groups.push(Object.fromEntries(keys.map((key, index) => [key, values[index]!]))) - 1;
      numbers.set(text, number);
    }
    groupOf[sample.row] = number;
  });
  return groups.map((fields, number) => ({
    fields,
    profile: filterSamples(profile, ({ row }) => groupOf[row] === number),
  }));
}
