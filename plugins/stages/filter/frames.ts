/**
 * Conditions on frames: pprof's focus, ignore, hide, show and show_from. A frame matches by its function's name or file, or by the
 * file that is mapped where its location lies. Source: google/pprof profile/filter.go, whose corners are kept:
 * once any of the first four is set, samples without locations go; and show_from cuts a location for all stacks that it is in.
 */
import { NO_ROW, type Pattern, type Profile, rowMatcher } from '../../../core/index.js';

export interface FramePatterns {
  readonly focus?: Pattern | undefined;
  readonly ignore?: Pattern | undefined;
  readonly hide?: Pattern | undefined;
  readonly show?: Pattern | undefined;
  readonly show_from?: Pattern | undefined;
}

/** Flags by row, 1 = keep. */
export interface KeptFrames {
  readonly samples: Uint8Array;
  readonly stackEntries: Uint8Array;
  readonly lines: Uint8Array;
  /** Options whose expression matched no location at all. */
  readonly unmatched: readonly (keyof FramePatterns)[];
}

export function keepFrames(profile: Profile, patterns: FramePatterns): KeptFrames {
  const judged = judgeLocations(profile, locationMatchers(profile, patterns));
  const byName = [patterns.focus, patterns.ignore, patterns.hide, patterns.show].some(
    (pattern) => pattern !== undefined,
  );
  return {
    ...keepSamples(profile, judged.verdicts, { byName, fromMatch: patterns.show_from !== undefined }),
    lines: judged.lines,
    unmatched: judged.unmatched,
  };
}

/** Bits of a location's verdict. */
const FOCUSED = 1;
const IGNORED = 2;
/** Not in any stack. */
const HIDDEN = 4;
/** show_from matches it. */
const START = 8;

function judgeLocations(profile: Profile, matchers: Map<keyof FramePatterns, LocationMatcher>) {
  const { length, lineStart, lines: table } = profile.locations;
  const unmatched = new Set(matchers.keys());
  const lines = new Uint8Array(table.length).fill(1);
  const verdicts = new Uint8Array(length);
  for (let location = 0; location < length; location++) {
    const start = lineStart[location]!;
    const end = lineStart[location + 1]!;
    /** By the mapped file, or by a line that is still there. */
    const matches = (option: keyof FramePatterns): boolean => {
      const matcher = matchers.get(option);
      if (matcher === undefined) return false;
      let matched = matcher.mapping(location);
      for (let line = start; line < end && !matched; line++) matched = lines[line] === 1 && matcher.line(line);
      if (matched) unmatched.delete(option);
      return matched;
    };
    /** Takes the lines away that `goes` names. @returns whether the location has none left */
    const dropLines = (goes: (line: number) => boolean): boolean => {
      let left = 0;
      for (let line = start; line < end; line++) {
        if (lines[line] === 1 && goes(line)) lines[line] = 0;
        left += lines[line]!;
      }
      return left === 0;
    };

    let verdict = 0;
    if (matches('ignore')) verdict |= IGNORED;
    else if (!matchers.has('focus') || matches('focus')) verdict |= FOCUSED;

    const hide = matchers.get('hide');
    if (hide !== undefined && matches('hide')) {
      const whole = hide.mapping(location);
      if (dropLines((line) => whole || hide.line(line))) verdict |= HIDDEN;
    }
    const show = matchers.get('show');
    if (show !== undefined) {
      const whole = matches('show') && show.mapping(location);
      if (dropLines((line) => !whole && !show.line(line))) verdict |= HIDDEN;
    }
    const showFrom = matchers.get('show_from');
    if (showFrom !== undefined && matches('show_from')) {
      verdict |= START;
      let highest = end - 1;
      if (!showFrom.mapping(location)) while (lines[highest] === 0 || !showFrom.line(highest)) highest--;
      dropLines((line) => line > highest);
    }
    verdicts[location] = verdict;
  }
  return { verdicts, lines, unmatched: [...unmatched] };
}

/** @param how byName: focus, ignore, hide or show is set; fromMatch: show_from is */
function keepSamples({ samples }: Profile, verdicts: Uint8Array, how: { byName: boolean; fromMatch: boolean }) {
  const kept = new Uint8Array(samples.length);
  const stackEntries = new Uint8Array(samples.stackLocations.length);
  for (let sample = 0; sample < samples.length; sample++) {
    const start = samples.stackStart[sample]!;
    const end = samples.stackStart[sample + 1]!;
    let seen = 0;
    let shown = 0;
    /** Behind the highest entry that show_from matches: what is above it goes. */
    let top = start;
    for (let entry = start; entry < end; entry++) {
      const verdict = verdicts[samples.stackLocations[entry]!]!;
      seen |= verdict;
      if ((verdict & HIDDEN) !== 0) continue;
      stackEntries[entry] = 1;
      shown++;
      if ((verdict & START) !== 0) top = entry + 1;
    }
    if (how.fromMatch) stackEntries.fill(0, top, end);
    const passesNames = !how.byName || ((seen & FOCUSED) !== 0 && (seen & IGNORED) === 0 && shown > 0);
    kept[sample] = Number(passesNames && (!how.fromMatch || top > start));
  }
  return { samples: kept, stackEntries };
}

interface LocationMatcher {
  /** By the file that is mapped there. */
  mapping(location: number): boolean;
  /** By the function of a line row. */
  line(line: number): boolean;
}

function locationMatchers(profile: Profile, patterns: FramePatterns): Map<keyof FramePatterns, LocationMatcher> {
  const { locations, functions, mappings } = profile;
  const matchers = new Map<keyof FramePatterns, LocationMatcher>();
  for (const [option, pattern] of Object.entries(patterns) as [keyof FramePatterns, Pattern | undefined][]) {
    if (pattern === undefined) continue;
    const matches = rowMatcher(profile, pattern);
    matchers.set(option, {
      mapping(location) {
        const mapping = locations.mapping[location]!;
        return mapping !== NO_ROW && matches(mappings.filename[mapping]!);
      },
      line(line) {
        const row = locations.lines.function[line]!;
        return matches(functions.name[row]!) || matches(functions.filename[row]!);
      },
    });
  }
  return matchers;
}
