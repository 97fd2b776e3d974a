/** pc-value tables of Go's function tables, assembled. */
import { ByteWriter } from './bytes.js';

/** [value, bytes of code that it holds for] … */
export type Ranges = readonly (readonly [value: number, bytes: number])[];

export const QUANTUM = 1;

/** A pc-value table. */
export function encodeRanges(ranges: Ranges): Uint8Array {
  const writer = new ByteWriter();
  let previous = -1;
  for (const [value, bytes] of ranges) {
    const delta = value - previous;
    writer.varint(delta < 0 ? -2 * delta - 1 : 2 * delta).varint(bytes / QUANTUM);
    previous = value;
  }
  return writer.u8(0).finish();
}
