/** profile.proto's messages, field by field. Field numbers are profile.proto's. */
import { bytes, type Part } from './assemble.js';

/** @param value taken modulo 2^64: negative numbers are ten bytes long, as protobuf has them */
export function varint(value: number | bigint): Uint8Array {
  let rest = BigInt.asUintN(64, BigInt(value));
  const out: number[] = [];
  for (; rest > 127n; rest >>= 7n) out.push(Number(rest & 127n) | 128);
  out.push(Number(rest));
  return Uint8Array.from(out);
}

export const tag = (field: number, wireType: number): Uint8Array => varint(field * 8 + wireType);
export const int = (field: number, value: number | bigint): Uint8Array => bytes(tag(field, 0), varint(value));

/** A length-delimited field: text, bytes, or a message given as its fields. */
export function block(field: number, ...content: readonly Part[]): Uint8Array {
  const body = bytes(...content);
  return bytes(tag(field, 2), varint(body.length), body);
}

export const packed = (field: number, ...values: readonly (number | bigint)[]): Uint8Array =>
  block(field, ...values.map(varint));

/** The tables of a small valid profile, each to be replaced at will. */
const tables = {
  sampleType: block(1, int(1, 1), int(2, 2)),
  sample: block(2, packed(1, 1), packed(2, 10)),
  mapping: block(3, int(1, 1), int(2, 0x1000), int(3, 0x9000), int(5, 5)),
  location: block(4, int(1, 1), int(2, 1), int(3, 0x1234), block(4, int(1, 1), int(2, 7))),
  function: block(5, int(1, 1), int(2, 3), int(3, 3), int(4, 4), int(5, 6)),
  strings: ['', 'samples', 'count', 'main.work', 'work.go', '/bin/app'].map((text) => block(6, text)) as Part,
  header: int(9, 1_700_000_000_000_000_000n) as Part,
};

export type Tables = { readonly [Table in keyof typeof tables]: Part };

/** One sample of one location of one function, in this order of tables, with some of them replaced and more behind. */
export function pprof(replaced: Partial<Tables> = {}, ...more: readonly Part[]): Uint8Array {
  return bytes(...Object.values({ ...tables, ...replaced }), ...more);
}

/** Row of `text` when it is the first that `moreStrings` adds. */
export const FIRST_FREE_STRING = 6;
export const moreStrings = (...texts: readonly Part[]): Part => [
  tables.strings,
  ...texts.map((text) => block(6, text)),
];

/** Where a table of the profile begins that `pprof()` gives. */
export function tableOffset(table: keyof Tables): number {
  const names = Object.keys(tables) as (keyof Tables)[];
  return bytes(...names.slice(0, names.indexOf(table)).map((name) => tables[name])).length;
}
