/** Unknown fields and the rows that they belong to. */
import { NO_ROW, type Profile, type UnknownFields, UnknownIn } from './profile.js';

/** How many rows the table of a message (`UnknownIn`) has: what `row` of an unknown field must be below. */
export function rowsOfMessage(profile: Profile, message: number): number {
  switch (message) {
    case UnknownIn.profile:
      return 1;
    case UnknownIn.valueType:
      return profile.sampleTypes.length;
    case UnknownIn.periodType:
      return profile.periodType === undefined ? 0 : 1;
    case UnknownIn.sample:
      return profile.samples.length;
    case UnknownIn.label:
      return profile.samples.labels.length;
    case UnknownIn.mapping:
      return profile.mappings.length;
    case UnknownIn.location:
      return profile.locations.length;
    case UnknownIn.line:
      return profile.locations.lines.length;
    case UnknownIn.function:
      return profile.functions.length;
    default:
      return 0;
  }
}

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

/** The fields where rows only moved or went. @param moved new row (or NO_ROW) by old one, for the messages whose rows moved */
export function moveUnknown(
  unknown: UnknownFields | undefined,
  moved: readonly (readonly [message: number, newRow: Uint32Array])[],
): UnknownFields | undefined {
  const newRowOf = new Map(moved);
  return remapUnknown(unknown, (message, row) => {
    const to = newRowOf.get(message)?.[row] ?? row;
    return to === NO_ROW ? [] : [to];
  });
}
