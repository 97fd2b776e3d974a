/** What stands outside of the records of a perf.data file: event attributes before them, features behind. */
import { type ByteInput, FormatError } from '../../../core/index.js';
import { readAttribute } from './attribute.js';
import type { EventTable } from './event-table.js';
import type { FileLayout, Range } from './layout.js';
import { unsignedWord, viewOf } from './words.js';

/** Larger ones are not read: those that are wanted are far smaller. */
const MAX_FEATURE_BYTES = 16 * 2 ** 20;
/** Bytes of a range: offset, size. */
const RANGE_BYTES = 16;

/**
 * @param head the file up to its records
 * @throws FormatError E_PERF_ATTRIBUTE, E_PERF_EVENTS, E_PERF_HEADER, E_TRUNCATED
 */
export function readAttributes(head: Uint8Array, { attributes, attributeBytes }: FileLayout, events: EventTable): void {
  if (attributes.offset + attributes.size > head.length) throw beyond('attributes', attributes, head.length);
  for (let at = attributes.offset; at < attributes.offset + attributes.size; at += attributeBytes) {
    const entry = head.subarray(at, at + attributeBytes);
    const { attribute } = readAttribute(entry.subarray(0, attributeBytes - RANGE_BYTES));
    const ids = readRange(viewOf(entry), attributeBytes - RANGE_BYTES);
    if (ids.offset + ids.size > head.length) throw beyond('ids of an event', ids, head.length);
    events.add(attribute, readIds(head.subarray(ids.offset, ids.offset + ids.size)));
  }
}

/** @param onFeature gets each section's number and bytes; sections that lie outside of the file have none */
export function readFeatures(
  readAt: NonNullable<ByteInput['readAt']>,
  { features, data }: FileLayout,
  onFeature: (feature: number, bytes: Uint8Array) => void,
): void {
  const table = viewOf(readAt(data.offset + data.size, RANGE_BYTES * features.length));
  for (const [row, feature] of features.entries()) {
    if (RANGE_BYTES * (row + 1) > table.byteLength) return;
    const { offset, size } = readRange(table, RANGE_BYTES * row);
    if (size <= MAX_FEATURE_BYTES) onFeature(feature, readAt(offset, size));
  }
}

export function readIds(bytes: Uint8Array): number[] {
  const view = viewOf(bytes);
  const ids: number[] = [];
  for (let at = 0; at + 8 <= bytes.length; at += 8) ids.push(unsignedWord(view, at));
  return ids;
}

const readRange = (view: DataView, at: number): Range => ({
  offset: unsignedWord(view, at),
  size: unsignedWord(view, at + 8),
});

function beyond(what: string, { offset, size }: Range, limit: number): FormatError {
  const place = { section: 'perf.data header', got: offset + size, limit };
  return new FormatError('E_PERF_HEADER', `${what} lie behind the first records`, place);
}
