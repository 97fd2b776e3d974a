/** Unknown fields, when the rows that they belong to move. */
import type { UnknownFields } from './profile.js';

/**
 * The fields at their new rows, in order.
 * @param rowsOf new rows of a row of a message (`UnknownIn`): none when it is gone, several when it was copied
 * @returns undefined when no field is left
 */
export function remapUnknown(
  unknown: UnknownFields | undefined,
  rowsOf: (message: number, row: number) => readonly number[],
): UnknownFields | undefined {
  if (unknown === undefined) return undefined;
  const entries: { message: number; row: number; start: number; end: number }[] = [];
  let length = 0;
  for (let index = 0; index < unknown.length; index++) {
    const message = unknown.message[index]!;
    const start = unknown.starts[index]!;
    const end = unknown.starts[index + 1]!;
    for (const row of rowsOf(message, unknown.row[index]!)) {
      entries.push({ message, row, start, end });
      length += end - start;
    }
  }
  if (entries.length === 0) return undefined;
  entries.sort((a, b) => a.message - b.message || a.row - b.row);

  const bytes = new Uint8Array(length);
  const starts = new Uint32Array(entries.length + 1);
  entries.forEach((entry, index) => {
    bytes.set(unknown.bytes.subarray(entry.start, entry.end), starts[index]!);
    starts[index + 1] = starts[index]! + entry.end - entry.start;
  });
  return {
    length: entries.length,
    message: Uint8Array.from(entries, (entry) => entry.message),
    row: Uint32Array.from(entries, (entry) => entry.row),
    starts,
    bytes,
  };
}
