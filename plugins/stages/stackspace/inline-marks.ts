/**
 * Addresses of text profiles (debug=1) that are no calls. The text lists one for each inlined call, behind that of the call which is
 * inlined deepest. It names no functions of the runtime at the leaf, so that only the binary tells which addresses share a frame.
 */
import type { Profile } from '../../../core/index.js';

/** What the binary has at a location's address. */
export interface CodePlace {
  /** Row of the physical function. */
  readonly functionIndex: number;
  /** Functions that are inlined into each other there, the physical one included. */
  readonly depth: number;
}

/**
 * @param placeOf undefined outside of Go's code
 * @returns by location row: 1 where the location stands for the frame of the one before it on a stack
 */
export function findInlineMarks(
  profile: Profile,
  placeOf: (location: number) => CodePlace | undefined,
): Uint8Array | undefined {
  const { samples, locations, mappings } = profile;
  if (mappings.length > 0) return undefined;
  const lines = (location: number) => locations.lineStart[location + 1]! - locations.lineStart[location]!;
  const marks = new Uint8Array(locations.length);
  for (let sample = 0; sample < samples.length; sample++) {
    const end = samples.stackStart[sample + 1]!;
    let at = samples.stackStart[sample]!;
    // Without any name it is not text, and each address is a call's.
    if (at === end || lines(samples.stackLocations[end - 1]!) === 0) continue;
    while (at < end && lines(samples.stackLocations[at]!) === 0) {
      const place = placeOf(samples.stackLocations[at++]!);
      let open = place === undefined ? 0 : place.depth - 1;
      for (; open > 0 && at < end; at++) {
        const location = samples.stackLocations[at]!;
        if (placeOf(location)?.functionIndex !== place!.functionIndex) break;
        marks[location] = 1;
        open -= Math.max(1, lines(location));
      }
    }
  }
  return marks;
}
