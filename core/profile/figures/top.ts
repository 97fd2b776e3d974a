/** Values by function, as `pprof -top` has them. */

import { halves, type Profile } from '../profile.js';
import { findSampleType, type SampleType } from '../sample-type.js';
import { ExactSums } from '../sums.js';
import { frameNames } from './frames.js';

export interface TopRow {
  readonly function: string;
  /** Of samples whose innermost frame it is; an inlined function counts as one that was called. */
  readonly flat: bigint;
  /** Of samples in whose stack it is: once each, however often it recurses. */
  readonly cum: bigint;
}

export interface Top {
  readonly sampleType: SampleType;
  /** Sum of the values of all samples, each without its sign: what shares are of. */
  readonly total: bigint;
  /** Largest flat first, then largest cum (both without their signs), then by name. */
  readonly rows: readonly TopRow[];
}

/**
 * Functions of one name are one row; frames without a name are `[mapped file]` or `<unknown>`. Samples of value 0 do not count.
 * Unlike pprof's command line it does not apply drop_frames and keep_frames.
 * @throws FormatError E_SAMPLE_TYPE
 */
export function topFunctions(profile: Profile, sampleTypeName?: string): Top {
  const sampleType = findSampleType(profile, sampleTypeName);
  const { names, start, frames } = frameNames(profile);
  const { stackStart, stackLocations, values, length } = profile.samples;
  const words = halves(values);
  const flat = new ExactSums(names.length);
  const cum = new ExactSums(names.length);
  const total = new ExactSums(1);
  /** Last sample, counted from 1, in which a name was seen. */
  const seen = new Uint32Array(names.length);

  for (let sample = 0; sample < length; sample++) {
    const word = (sample * profile.sampleTypes.length + sampleType.index) * 2;
    const low = words[word]!;
    const high = words[word + 1]! | 0;
    if (low === 0 && high === 0) continue;
    total.add(0, high < 0 ? -low : low, Math.abs(high));
    const end = stackStart[sample + 1]!;
    for (let entry = stackStart[sample]!; entry < end; entry++) {
      const location = stackLocations[entry]!;
      const frameEnd = start[location + 1]!;
      for (let frame = start[location]!; frame < frameEnd; frame++) {
        const name = frames[frame]!;
        if (seen[name] === sample + 1) continue;
        seen[name] = sample + 1;
        cum.add(name, low, high);
      }
    }
    if (stackStart[sample]! < end) flat.add(frames[start[stackLocations[stackStart[sample]!]!]!]!, low, high);
  }

  const rows: TopRow[] = [];
  names.forEach((name, index) => {
    if (seen[index] !== 0) rows.push({ function: name, flat: flat.at(index), cum: cum.at(index) });
  });
  return { sampleType, total: total.at(0), rows: rows.sort(byWeight) };
}

/** Order of rows: see `Top.rows`. */
export function byWeight(a: TopRow, b: TopRow): number {
  return descending(a.flat, b.flat) || descending(a.cum, b.cum) || (a.function < b.function ? -1 : 1);
}

function descending(a: bigint, b: bigint): number {
  const [left, right] = [a < 0n ? -a : a, b < 0n ? -b : b];
  return left === right ? 0 : left > right ? -1 : 1;
}
