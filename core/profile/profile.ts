/**
 * The value that every stage takes and returns: profile.proto's tables as columns.
 *
 * Plain data, no methods, and **never mutated** once built: a stage returns a new object that shares the columns it did not
 * change (`{ ...profile, locations: { ... } }`). Everything in a Profile may be structured-cloned and transferred to a thread.
 *
 * References between tables are **row indexes** (0-based), not ids; `NO_ROW` means "none". Strings are indexes into `strings`,
 * whose row 0 is always "". 64-bit columns are exact: read them as bigint at the door, or as two 32-bit halves in a loop
 * over samples (`new Uint32Array(column.buffer, column.byteOffset, column.length * 2)`, low half first: every platform that
 * Node runs on is little-endian).
 *
 * Source: github.com/google/pprof proto/profile.proto. Invariants: `checkProfile` in check.ts.
 */

import type { CaptureTable } from './capture.js';

/** "No row": a location without mapping. */
export const NO_ROW = 0xffffffff;

/** Strings as one block of bytes. Row 0 is "". Bytes are kept as they came, valid UTF-8 or not. */
export interface StringTable {
  readonly length: number;
  readonly bytes: Uint8Array;
  /** `length + 1` offsets into `bytes`; string i is `bytes[starts[i], starts[i + 1])`. */
  readonly starts: Uint32Array;
}

/** A kind of value, or of period: string rows, e.g. "cpu" and "nanoseconds". */
export interface ValueType {
  readonly type: number;
  readonly unit: number;
}

export interface SampleTable {
  readonly length: number;
  /** `length + 1` offsets into `stackLocations`. */
  readonly stackStart: Uint32Array;
  /** Location rows of all stacks, each **leaf first**. */
  readonly stackLocations: Uint32Array;
  /** Row-major: the value of type t of sample s is `values[s * sampleTypes.length + t]`. */
  readonly values: BigInt64Array;
  /** `length + 1` offsets into the label columns. */
  readonly labelStart: Uint32Array;
  readonly labels: LabelTable;
  /** Of a sampler that captures stacks and leaves unwinding to others; absent where stacks are whole. */
  readonly captures?: CaptureTable | undefined;
}

/** Labels of all samples, in the order of the input. A label is a string (`str` ≠ 0), or a number with an optional unit. */
export interface LabelTable {
  readonly length: number;
  readonly key: Uint32Array;
  /** String row of the value; 0 for a number. */
  readonly str: Uint32Array;
  readonly num: BigInt64Array;
  readonly numUnit: Uint32Array;
}

/** Ids in tables: absent means that row r has id r + 1 (what nearly every writer does). Ids are unique and never 0. */
export type IdColumn = BigUint64Array | undefined;

export interface LocationTable {
  readonly length: number;
  readonly id?: IdColumn;
  /** Mapping row, or NO_ROW. */
  readonly mapping: Uint32Array;
  readonly address: BigUint64Array;
  /** 1 where is_folded. */
  readonly isFolded: Uint8Array;
  /** `length + 1` offsets into `lines`. The lines of one location: innermost inlined callee first, the physical function last. */
  readonly lineStart: Uint32Array;
  readonly lines: LineTable;
}

export interface LineTable {
  readonly length: number;
  /** Function row. */
  readonly function: Uint32Array;
  readonly line: BigInt64Array;
  /** Absent when every column is 0. */
  readonly column?: BigInt64Array | undefined;
}

export interface FunctionTable {
  readonly length: number;
  readonly id?: IdColumn;
  readonly name: Uint32Array;
  readonly systemName: Uint32Array;
  readonly filename: Uint32Array;
  readonly startLine: BigInt64Array;
}

/** Bits of `MappingTable.flags`. */
export const MappingFlag = { hasFunctions: 1, hasFilenames: 2, hasLineNumbers: 4, hasInlineFrames: 8 } as const;

export interface MappingTable {
  readonly length: number;
  readonly id?: IdColumn;
  readonly memoryStart: BigUint64Array;
  readonly memoryLimit: BigUint64Array;
  readonly fileOffset: BigUint64Array;
  readonly filename: Uint32Array;
  readonly buildId: Uint32Array;
  readonly flags: Uint8Array;
}

/** The messages of profile.proto that may carry fields which this program does not know. */
export const UnknownIn = {
  profile: 0,
  valueType: 1,
  periodType: 2,
  sample: 3,
  label: 4,
  mapping: 5,
  location: 6,
  line: 7,
  function: 8,
} as const;

/** Unknown fields, byte for byte (tag and payload), by message. Rows are ordered by (message, row). */
export interface UnknownFields {
  readonly length: number;
  /** One of `UnknownIn`. */
  readonly message: Uint8Array;
  /** Row in that message's table; 0 for the profile and the period type. */
  readonly row: Uint32Array;
  /** `length + 1` offsets into `bytes`. */
  readonly starts: Uint32Array;
  readonly bytes: Uint8Array;
}

export interface Profile {
  readonly strings: StringTable;
  readonly sampleTypes: readonly ValueType[];
  readonly samples: SampleTable;
  readonly locations: LocationTable;
  readonly functions: FunctionTable;
  readonly mappings: MappingTable;
  /** Absent when the profile has no period_type message. */
  readonly periodType?: ValueType | undefined;
  readonly period: bigint;
  readonly timeNanos: bigint;
  readonly durationNanos: bigint;
  /** String rows. */
  readonly comments: Uint32Array;
  readonly defaultSampleType: number;
  readonly dropFrames: number;
  readonly keepFrames: number;
  readonly docUrl: number;
  readonly unknown?: UnknownFields | undefined;
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** String at a row; bytes that are no UTF-8 become U+FFFD (the bytes themselves stay as they are in the table). */
export function stringAt(strings: StringTable, row: number): string {
  if (row === 0) return '';
  const start = strings.starts[row];
  const end = strings.starts[row + 1];
  if (start === undefined || end === undefined) throw new RangeError(`string ${row} of ${strings.length}`);
  return utf8.decode(strings.bytes.subarray(start, end));
}

/** The two 32-bit halves of a 64-bit column (low half of row r at 2r, high half at 2r + 1), sharing its memory. */
export function halves(column: BigInt64Array | BigUint64Array): Uint32Array {
  return new Uint32Array(column.buffer, column.byteOffset, column.length * 2);
}

/** Id of a row as profile.proto has it. */
export function idAt(id: IdColumn, row: number): bigint {
  return id === undefined ? BigInt(row + 1) : id[row]!;
}
