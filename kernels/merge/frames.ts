/**
 * The stacks of samples: rows of locations, of 16 bits as long as there are few enough locations, and of 32 bits from then on. Loops over
 * frames are made for both: `F` is u16 or u32.
 */
import { frames, locations } from './state';

const MOST_NARROW: i32 = 0x10000;

/** @param locationCount of the merge that the frames belong to */
export function areNarrow(locationCount: i32): boolean {
  return locationCount <= MOST_NARROW;
}

/** Makes room for `count` more, and for those that there are to become wide if `locationCount` more locations do that. */
export function reserveFrames(count: u32, locationCount: i32): void {
  const become = areNarrow(locations.rows + locationCount) ? sizeof<u16>() : sizeof<u32>();
  const are = areNarrow(locations.rows) ? sizeof<u16>() : sizeof<u32>();
  const bytes = u64(count) * become + (become > are ? frames.length : 0);
  frames.reserve(u32(min<u64>(bytes, u32.MAX_VALUE)));
}

/** To be called once locations were added, before samples are. @param before how many locations there were */
export function widenFrames(before: i32): void {
  if (!areNarrow(before) || areNarrow(locations.rows)) return;
  const count = frames.length / sizeof<u16>();
  // From the end: what is written is behind what is still to be read.
  for (let i = count; i > 0; i--) {
    store<u32>(frames.data + (i - 1) * sizeof<u32>(), load<u16>(frames.data + (i - 1) * sizeof<u16>()));
  }
  frames.length = count * sizeof<u32>();
}

/** Address of a frame. @param index of all stacks' */
export function frameAt<F>(index: u32): usize {
  return frames.data + usize(index) * sizeof<F>();
}

export function frameCount<F>(): u32 {
  return frames.length / sizeof<F>();
}
