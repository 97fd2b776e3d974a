/**
 * Frames of libraries folded into the first caller outside. Of a stack, leaf on the left:
 *
 *     runtime.mallocgc ◂ bytes.growSlice ◂ main.render ◂ sort.Slice ◂ main.main
 *                                          main.render ◂ sort.Slice ◂ main.main      from the leaf
 *                                          main.render ◂              main.main      everywhere
 */
import {
  type FunctionInfo,
  forEachFunction,
  NO_ROW,
  type Profile,
  ProfileEditor,
  selectRows,
} from '../../../core/index.js';

export interface Folded {
  readonly profile: Profile;
  /** Samples that lost frames. */
  readonly foldedSamples: number;
  /** Samples whose frames are all of the folded functions: nobody is there to take the cost, so they stay as they are. */
  readonly samplesWithoutCaller: number;
}

/** Values and labels stay. Locations without lines are nobody's: they stay, and end a run of folded frames. */
export function foldLibraries(
  profile: Profile,
  isFolded: (info: FunctionInfo) => boolean,
  where: 'leaf' | 'everywhere',
): Folded {
  const functions = new Uint8Array(profile.functions.length);
  forEachFunction(profile, (info) => {
    functions[info.row] = isFolded(info) ? 1 : 0;
  });
  const runs = innermostRuns(profile, functions);
  return where === 'leaf' ? foldLeaves(profile, runs) : foldAll(profile, functions, runs);
}

/** Not a single line is left. */
const WHOLE = NO_ROW;

/** How many of each location's innermost lines are folded; WHOLE where it is all of them. */
function innermostRuns({ locations }: Profile, functions: Uint8Array): Uint32Array {
  const { lineStart, lines } = locations;
  return Uint32Array.from({ length: locations.length }, (_, location) => {
    const start = lineStart[location]!;
    const end = lineStart[location + 1]!;
    let line = start;
    while (line < end && functions[lines.function[line]!] === 1) line++;
    return line === end && end > start ? WHOLE : line - start;
  });
}

function foldLeaves(profile: Profile, runs: Uint32Array): Folded {
  const { samples } = profile;
  const editor = new ProfileEditor(profile);
  /** By location: its copy without the innermost lines. Where it is a caller, it keeps them. */
  const shortened = new Map<number, number>();
  const shorten = (location: number): number => {
    let copy = shortened.get(location);
    if (copy === undefined) {
      copy = editor.splitLocation(location);
      editor.setLines(copy, editor.linesOf(location).slice(runs[location]!));
      shortened.set(location, copy);
    }
    return copy;
  };
  const stackEntries = new Uint8Array(samples.stackLocations.length).fill(1);
  let foldedSamples = 0;
  let samplesWithoutCaller = 0;
  for (let sample = 0; sample < samples.length; sample++) {
    const start = samples.stackStart[sample]!;
    const end = samples.stackStart[sample + 1]!;
    let entry = start;
    while (entry < end && runs[samples.stackLocations[entry]!] === WHOLE) entry++;
    if (entry === end) {
      if (end > start) samplesWithoutCaller++;
      continue;
    }
    stackEntries.fill(0, start, entry);
    const location = samples.stackLocations[entry]!;
    if (runs[location]! > 0) editor.setStackEntry(sample, entry - start, shorten(location));
    if (entry > start || runs[location]! > 0) foldedSamples++;
  }
  if (foldedSamples === 0) return { profile, foldedSamples, samplesWithoutCaller };
  return { profile: selectRows(editor.finish(), { stackEntries }), foldedSamples, samplesWithoutCaller };
}

function foldAll(profile: Profile, functions: Uint8Array, runs: Uint32Array): Folded {
  const { samples, locations } = profile;
  const lines = Uint8Array.from(locations.lines.function, (row) => 1 - functions[row]!);
  /** Locations that lose some of their lines, but not all: those that fold whole are in stacks that stay as they are, too. */
  const isPartial = new Uint8Array(locations.length);
  for (let location = 0; location < locations.length; location++) {
    const [start, end] = [locations.lineStart[location]!, locations.lineStart[location + 1]!];
    if (runs[location] === WHOLE) lines.fill(1, start, end);
    else if (lines.subarray(start, end).includes(0)) isPartial[location] = 1;
  }
  const stackEntries = new Uint8Array(samples.stackLocations.length).fill(1);
  let foldedSamples = 0;
  let samplesWithoutCaller = 0;
  for (let sample = 0; sample < samples.length; sample++) {
    const start = samples.stackStart[sample]!;
    const end = samples.stackStart[sample + 1]!;
    let whole = 0;
    let partial = 0;
    for (let entry = start; entry < end; entry++) {
      const location = samples.stackLocations[entry]!;
      if (runs[location] === WHOLE) {
        stackEntries[entry] = 0;
        whole++;
      }
      partial += isPartial[location]!;
    }
    if (whole === end - start) {
      stackEntries.fill(1, start, end);
      if (end > start) samplesWithoutCaller++;
    } else if (whole + partial > 0) foldedSamples++;
  }
  if (foldedSamples === 0) return { profile, foldedSamples, samplesWithoutCaller };
  return { profile: selectRows(profile, { stackEntries, lines }), foldedSamples, samplesWithoutCaller };
}
