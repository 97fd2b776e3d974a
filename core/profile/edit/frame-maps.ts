/** Everyday changes of frames: other names, many as one, virtual ones. */

import { NO_ROW, type Profile } from '../profile.js';
import { compactProfile } from './compact.js';
import { ProfileEditor } from './editor.js';
import { type FunctionInfo, forEachFunction } from './function-texts.js';
import { forEachSample, type SampleView } from './sample-view.js';
import { selectRows } from './select.js';
import { StringInterner } from './string-interner.js';

/**
 * Other names for functions: `rename` is asked once for each. System names, files and lines stay.
 * @param rename the new name; undefined leaves the function as it is
 */
export function renameFunctions(profile: Profile, rename: (info: FunctionInfo) => string | undefined): Profile {
  const strings = new StringInterner(profile.strings);
  const name = profile.functions.name.slice();
  forEachFunction(profile, (info) => {
    const renamed = rename(info);
    if (renamed !== undefined) name[info.row] = strings.row(renamed);
  });
  return compactProfile({ ...profile, strings: strings.finish(), functions: { ...profile.functions, name } });
}

/**
 * Runs of frames as one virtual frame each: `fold` is asked once for each function, and frames behind each other that it gives one name to
 * become one frame of that name, without file and address. Values do not change, nor do frames that it gives no name.
 * Frames that were inlined into one that stays are folded in their own location.
 */
export function foldFrames(profile: Profile, fold: (info: FunctionInfo) => string | undefined): Profile {
  const editor = new ProfileEditor(profile);
  /** Virtual function by function row; NO_ROW for those that stay. */
  const virtual = new Uint32Array(profile.functions.length).fill(NO_ROW);
  forEachFunction(profile, (info) => {
    const name = fold(info);
    if (name !== undefined) virtual[info.row] = editor.function({ name });
  });
  const whole = foldLocations(profile, virtual, editor);
  const { samples } = profile;
  const stackEntries = new Uint8Array(samples.stackLocations.length).fill(1);
  const stackLocations = samples.stackLocations.slice();
  for (let sample = 0; sample < samples.length; sample++) {
    let previous = NO_ROW;
    for (let entry = samples.stackStart[sample]!; entry < samples.stackStart[sample + 1]!; entry++) {
      const folded = whole[stackLocations[entry]!]!;
      if (folded !== NO_ROW && folded === previous) stackEntries[entry] = 0;
      if (folded !== NO_ROW) stackLocations[entry] = folded;
      previous = folded;
    }
  }
  const edited = editor.finish();
  return selectRows({ ...edited, samples: { ...edited.samples, stackLocations } }, { stackEntries });
}

/** Folds lines within locations. @returns by location row: the virtual location for those that fold whole, else NO_ROW */
function foldLocations({ locations }: Profile, virtual: Uint32Array, editor: ProfileEditor): Uint32Array {
  const { lineStart, lines } = locations;
  const whole = new Uint32Array(locations.length).fill(NO_ROW);
  /** Location of each virtual function. */
  const places = new Map<number, number>();
  for (let location = 0; location < locations.length; location++) {
    const start = lineStart[location]!;
    const functions = lines.function.subarray(start, lineStart[location + 1]!);
    const folded = Array.from(functions, (row) => virtual[row]!);
    const [first = NO_ROW] = folded;
    if (folded.every((row) => row === NO_ROW)) continue;
    if (folded.every((row) => row === first)) {
      const place = places.get(first) ?? editor.addLocation({ lines: [{ function: first, line: 0 }] });
      places.set(first, place);
      whole[location] = place;
      continue;
    }
    const left = editor.linesOf(location).flatMap((line, index) => {
      const to = folded[index]!;
      if (to === NO_ROW) return [line];
      return to === folded[index - 1] ? [] : [{ function: to, line: 0 }];
    });
    editor.setLines(location, left);
  }
  return whole;
}

/**
 * One virtual frame more at an end of stacks: `root` puts it below all, as a group for flame graphs; `leaf` above all.
 * @param name of the frame; undefined adds none
 */
export function addFrames(
  profile: Profile,
  end: 'root' | 'leaf',
  name: (sample: SampleView) => string | undefined,
): Profile {
  const { samples } = profile;
  const editor = new ProfileEditor(profile);
  const places = new Map<string, number>();
  const placeOf = (text: string): number => {
    let place = places.get(text);
    if (place === undefined) {
      place = editor.addLocation({ lines: [{ function: editor.function({ name: text }), line: 0 }] });
      places.set(text, place);
    }
    return place;
  };
  const stackStart = new Uint32Array(samples.length + 1);
  const stackLocations = new Uint32Array(samples.stackLocations.length + samples.length);
  let at = 0;
  forEachSample(profile, (sample) => {
    const text = name(sample);
    const stack = samples.stackLocations.subarray(samples.stackStart[sample.row]!, samples.stackStart[sample.row + 1]!);
    if (text !== undefined && end === 'leaf') stackLocations[at++] = placeOf(text);
    stackLocations.set(stack, at);
    at += stack.length;
    if (text !== undefined && end === 'root') stackLocations[at++] = placeOf(text);
    stackStart[sample.row + 1] = at;
  });
  const edited = editor.finish();
  return {
    ...edited,
    samples: { ...edited.samples, stackStart, stackLocations: stackLocations.slice(0, at) },
  };
}
