/** Recordings of Linux perf, spelled out: with what perf on this machine cannot make, and with every size open to a lie. */
import { bytes, type Part, u16, u32, u64, zeros } from './assemble.js';

/** Bits of sample_type, as in linux/perf_event.h. */
export const Field = {
  ip: 1,
  tid: 2,
  time: 4,
  address: 8,
  read: 16,
  callchain: 32,
  id: 64,
  cpu: 128,
  period: 256,
  raw: 1 << 10,
  branchStack: 1 << 11,
  registersUser: 1 << 12,
  stackUser: 1 << 13,
  identifier: 1 << 16,
} as const;

export interface PerfAttribute {
  readonly type?: number;
  readonly config?: number;
  readonly sampleType: number;
  readonly readFormat?: number;
  /** Events between samples. */
  readonly period?: number;
  /** sample_id_all unless something else is given. */
  readonly flags?: number;
  readonly branchSampleType?: number;
  readonly registers?: bigint;
  /** What it says of its own size. */
  readonly size?: number;
  readonly ids?: readonly number[];
}

export const SAMPLE_ID_ALL = 1 << 18;
/** perf_event_attr of 128 bytes; by default of cpu-clock. */
export function perfAttribute(attribute: PerfAttribute): Uint8Array {
  const { type = 1, config = 0, sampleType, readFormat = 0, period = 1000, flags = SAMPLE_ID_ALL } = attribute;
  return bytes(
    [u32(type), u32(attribute.size ?? 128), u64(config), u64(period), u64(sampleType), u64(readFormat), u64(flags)],
    [zeros(24), u64(attribute.branchSampleType ?? 0), u64(attribute.registers ?? 0n), zeros(40)],
  );
}

/** A record with its header. @param lie what it says of its size */
export function perfRecord(type: number, misc: number, body: readonly Part[], lie?: number): Uint8Array {
  const content = bytes(...body);
  return bytes(u32(type), u16(misc), u16(lie ?? content.length + 8), content);
}

export const Kernel = 1;
export const User = 2;

/** Text with its NUL, padded to words. */
const text = (name: string): Uint8Array => {
  const content = bytes(name);
  return bytes(content, zeros(8 - (content.length % 8)));
};

/** PERF_RECORD_MMAP2 of code. @param trailer the ids at its end */
export function mmap2(
  pid: number,
  [start, length, fileOffset]: readonly [number | bigint, number, number],
  name: string,
  { trailer = '', misc = User, protection = 5, identity = zeros(24) }: Mmap2Lies = {},
): Uint8Array {
  const place = [u64(start), u64(length), u64(fileOffset)];
  return perfRecord(10, misc, [u32(pid), u32(pid), place, identity, u32(protection), u32(2), text(name), trailer]);
}

export interface Mmap2Lies {
  readonly trailer?: Part;
  readonly misc?: number;
  readonly protection?: number;
  readonly identity?: Uint8Array;
}

export const comm = (pid: number, tid: number, name: string, misc = 0, trailer: Part = ''): Uint8Array =>
  perfRecord(3, misc, [u32(pid), u32(tid), text(name), trailer]);

/** @param threads pid and tid of the child, then of the parent */
export function fork(threads: readonly [number, number, number, number], misc = 0, trailer: Part = ''): Uint8Array {
  const [pid, tid, parentPid, parentTid] = threads;
  return perfRecord(7, misc, [u32(pid), u32(parentPid), u32(tid), u32(parentTid), u64(0), trailer]);
}

export const finishedRound = perfRecord(68, 0, []);

export interface PerfFile {
  readonly attributes: readonly PerfAttribute[];
  readonly records: readonly Part[];
  /** By number. */
  readonly features?: Readonly<Record<number, Uint8Array>>;
  /** What the header says of the records' size. */
  readonly dataSize?: number;
  readonly magic?: string;
  readonly headerBytes?: number;
  readonly attributeBytes?: number;
}

/** header | ids | attributes | records | features */
export function perfFile(file: PerfFile): Uint8Array {
  const { attributes, records, features = {}, magic = 'PERFILE2', headerBytes = 104, attributeBytes = 144 } = file;
  let idsAt = 104;
  const ids: Part[] = [];
  const entries: Part[] = [];
  for (const attribute of attributes) {
    const own = attribute.ids ?? [];
    entries.push(perfAttribute(attribute), u64(idsAt), u64(8 * own.length));
    ids.push(own.map(u64));
    idsAt += 8 * own.length;
  }
  const [attributeTable, data] = [bytes(entries), bytes(records)];
  const dataAt = idsAt + attributeTable.length;
  const numbers = Object.keys(features).map(Number);
  const bits = zeros(32);
  for (const number of numbers) bits[number >>> 3]! |= 1 << (number & 7);
  let featureAt = dataAt + data.length + 16 * numbers.length;
  const table: Part[] = [];
  for (const number of numbers) {
    table.push(u64(featureAt), u64(features[number]!.length));
    featureAt += features[number]!.length;
  }
  return bytes(
    [magic, u64(headerBytes), u64(attributeBytes), u64(idsAt), u64(attributeTable.length)],
    [u64(dataAt), u64(file.dataSize ?? data.length), zeros(16), bits],
    [ids, attributeTable, data, table, numbers.map((number) => features[number]!)],
  );
}

/** The header of a pipe, then records, with attributes as records before them. */
export function perfPipe(attributes: readonly PerfAttribute[], records: readonly Part[]): Uint8Array {
  const heads = attributes.map((attribute) =>
    perfRecord(64, 0, [perfAttribute(attribute), (attribute.ids ?? []).map(u64)]),
  );
  return bytes('PERFILE2', u64(16), heads, records);
}
