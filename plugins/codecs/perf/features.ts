/**
 * Features: what perf says of the machine and of the binaries. In a file they stand behind the records, in a pipe among them.
 * Source: tools/perf/Documentation/perf.data-file-format.txt, tools/perf/util/header.c
 */
import { ByteReader } from '../../../core/index.js';
import type { EventTable } from './event-table.js';
import { HEADER_BYTES } from './records.js';

const section = 'perf.data feature';
const BUILD_ID_PLACE_BYTES = 24;
const BUILD_ID_SIZE_BIT = 1 << 15;
const utf8 = new TextDecoder();

/** What features said. */
export interface FeatureFacts {
  /** By file name: lower-case hex. */
  readonly buildIds: Map<string, string>;
  /** "x86_64", "aarch64" */
  architecture: string | undefined;
}

/** HEADER_ARCH and the like: a text with its length. */
export function readText(bytes: Uint8Array): string {
  const reader = new ByteReader(bytes, section);
  return untilNul(reader.take(reader.u32()));
}

/** HEADER_BUILD_ID: records, one a file. @throws FormatError E_TRUNCATED */
export function readBuildIds(bytes: Uint8Array, facts: FeatureFacts): void {
  const reader = new ByteReader(bytes, section);
  while (reader.remaining >= HEADER_BYTES) {
    reader.skip(4);
    const misc = reader.u16();
    const size = Math.max(HEADER_BYTES, reader.u16());
    readBuildId(reader.take(size - HEADER_BYTES), misc, facts);
  }
}

/** A build-ID record behind its header: pid, the ID, the file's name. */
export function readBuildId(body: Uint8Array, misc: number, facts: FeatureFacts): void {
  const reader = new ByteReader(body, section, 4);
  const place = reader.take(BUILD_ID_PLACE_BYTES);
  // Older ones do not say how long the ID is: that of GNU ld.
  const length = (misc & BUILD_ID_SIZE_BIT) === 0 ? 20 : Math.min(20, place[20]!);
  facts.buildIds.set(untilNul(body.subarray(reader.offset)), hex(place.subarray(0, length)));
}

/** HEADER_EVENT_DESC: the names that events were asked for by. @throws FormatError E_TRUNCATED */
export function readEventNames(bytes: Uint8Array, events: EventTable): void {
  const reader = new ByteReader(bytes, section);
  const count = Math.min(reader.u32(), events.length);
  const attributeBytes = reader.u32();
  for (let row = 0; row < count; row++) {
    reader.skip(attributeBytes);
    const ids = reader.u32();
    const name = untilNul(reader.take(reader.u32()));
    reader.skip(8 * ids);
    events.setAskedName(row, name);
  }
}

export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export function untilNul(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return utf8.decode(end < 0 ? bytes : bytes.subarray(0, end));
}
