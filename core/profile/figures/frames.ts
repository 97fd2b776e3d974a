/** What pprof calls the frames of a location when it adds up by function: names, without files, lines and addresses. */
import { NO_ROW, type Profile, stringAt } from '../profile.js';

export interface FrameNames {
  /** Distinct names. */
  readonly names: readonly string[];
  /** `locations.length + 1` offsets into `frames`. */
  readonly start: Uint32Array;
  /** Indexes into `names`: at least one a location, innermost first. */
  readonly frames: Uint32Array;
}

/**
 * A frame for each line; one for a location without lines. Without a function name it is called by the file that is mapped there,
 * `[libc.so.6]`, or `<unknown>`. Source: google/pprof internal/graph, NodeInfo.NameComponents at granularity "functions".
 */
export function frameNames(profile: Profile): FrameNames {
  const { locations, functions, mappings, strings } = profile;
  const { lineStart, lines } = locations;
  const names: string[] = [];
  const indexOfName = new Map<string, number>();
  const indexOf = (name: string): number => {
    let index = indexOfName.get(name);
    if (index === undefined) {
      index = names.push(name) - 1;
      indexOfName.set(name, index);
    }
    return index;
  };
  const ofFunction = Uint32Array.from(functions.name, (row) => (row === 0 ? NO_ROW : indexOf(stringAt(strings, row))));
  const ofMapping = Uint32Array.from(mappings.filename, (row) => indexOf(objectName(stringAt(strings, row))));

  const start = new Uint32Array(locations.length + 1);
  const frames = new Uint32Array(lines.length + locations.length);
  let at = 0;
  for (let location = 0; location < locations.length; location++) {
    const mapping = locations.mapping[location]!;
    const unnamed = () => (mapping === NO_ROW ? indexOf('<unknown>') : ofMapping[mapping]!);
    const end = lineStart[location + 1]!;
    for (let line = lineStart[location]!; line < end; line++) {
      const named = ofFunction[lines.function[line]!]!;
      frames[at++] = named === NO_ROW ? unnamed() : named;
    }
    if (lineStart[location] === end) frames[at++] = unnamed();
    start[location + 1] = at;
  }
  return { names, start, frames: frames.subarray(0, at) };
}

function objectName(path: string): string {
  return path === '' ? '<unknown>' : `[${path.slice(path.lastIndexOf('/') + 1)}]`;
}
