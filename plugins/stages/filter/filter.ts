/** Applies the options in pprof's order: frames, then conditions on labels, then which labels are shown. */
import {
  compilePattern,
  type OptionProblem,
  type Pattern,
  type Profile,
  rowMatcher,
  selectRows,
  UsageError,
} from '../../../core/index.js';
import type { FilterOptions } from '../../../schemas/gen/options/filter.js';
import { type FramePatterns, keepFrames } from './frames.js';
import { type LabelCondition, parseLabelCondition, sampleMatcher } from './label-condition.js';

/** The options, compiled. */
export interface Filter {
  readonly frames: FramePatterns;
  readonly tagfocus: LabelCondition | undefined;
  readonly tagignore: LabelCondition | undefined;
  readonly tagshow: Pattern | undefined;
  readonly taghide: Pattern | undefined;
}

export interface Filtered {
  readonly profile: Profile;
  readonly droppedSamples: number;
  /** Options on frames whose expression matched nothing in the profile. */
  readonly unmatched: readonly string[];
}

/** @throws UsageError E_PATTERN for an option whose value is no expression */
export async function compileFilter(options: FilterOptions): Promise<Filter> {
  return {
    frames: {
      focus: await compilePattern('focus', options.focus),
      ignore: await compilePattern('ignore', options.ignore),
      hide: await compilePattern('hide', options.hide),
      show: await compilePattern('show', options.show),
      show_from: await compilePattern('show_from', options.show_from),
    },
    tagfocus: await parseLabelCondition('tagfocus', options.tagfocus),
    tagignore: await parseLabelCondition('tagignore', options.tagignore),
    tagshow: await compilePattern('tagshow', options.tagshow),
    taghide: await compilePattern('taghide', options.taghide),
  };
}

/** Every option whose value is no expression. */
export async function filterProblems(options: FilterOptions): Promise<OptionProblem[]> {
  const problems: OptionProblem[] = [];
  for (const [name, value] of Object.entries(options)) {
    try {
      await compileFilter({ [name]: value });
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      problems.push({ path: error.option, message: error.message });
    }
  }
  return problems;
}

export function filterProfile(profile: Profile, filter: Filter): Filtered {
  const conditions = [
    ...Object.values(filter.frames),
    filter.tagfocus,
    filter.tagignore,
    filter.tagshow,
    filter.taghide,
  ];
  if (conditions.every((condition) => condition === undefined)) return { profile, droppedSamples: 0, unmatched: [] };
  const { samples, stackEntries, lines, unmatched } = keepFrames(profile, filter.frames);
  const focus = filter.tagfocus && sampleMatcher(profile, filter.tagfocus);
  const ignore = filter.tagignore && sampleMatcher(profile, filter.tagignore);
  let kept = 0;
  for (let sample = 0; sample < samples.length; sample++) {
    if (focus?.(sample) === false || ignore?.(sample)) samples[sample] = 0;
    kept += samples[sample]!;
  }
  const labels = keepLabels(profile, filter);
  return {
    profile: selectRows(profile, { samples, stackEntries, lines, ...(labels === undefined ? {} : { labels }) }),
    droppedSamples: samples.length - kept,
    unmatched,
  };
}

function keepLabels(profile: Profile, { tagshow, taghide }: Filter): Uint8Array | undefined {
  if (tagshow === undefined && taghide === undefined) return undefined;
  const shown = tagshow && rowMatcher(profile, tagshow);
  const hidden = taghide && rowMatcher(profile, taghide);
  return Uint8Array.from(profile.samples.labels.key, (key) => Number(shown?.(key) !== false && hidden?.(key) !== true));
}
