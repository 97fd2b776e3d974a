/** Bytes for tests, spelled out: what a writer of hostile files would write, with nothing that puts it right. */

export type Part = Uint8Array | string | readonly Part[];

/** Parts in a row; text as UTF-8. */
export function bytes(...parts: readonly Part[]): Uint8Array {
  return Buffer.concat(parts.map((part) => (Array.isArray(part) ? bytes(...part) : Buffer.from(part as Uint8Array))));
}

/** Given as hex digits: `hex('1f 8b 08')`. */
export const hex = (digits: string): Uint8Array => Buffer.from(digits.replace(/\s/g, ''), 'hex');

export const u8 = (value: number): Uint8Array => Uint8Array.of(value);
export const u16 = (value: number): Uint8Array => Uint8Array.of(value, value >>> 8);
export const u24 = (value: number): Uint8Array => Uint8Array.of(value, value >>> 8, value >>> 16);
export const u32 = (value: number): Uint8Array => bytes(u16(value & 0xffff), u16(value >>> 16));

export function u64(value: number | bigint): Uint8Array {
  const out = Buffer.alloc(8);
  out.writeBigUInt64LE(BigInt.asUintN(64, BigInt(value)));
  return out;
}

export const zeros = (length: number): Uint8Array => new Uint8Array(length);
export const repeat = (times: number, ...parts: readonly Part[]): Uint8Array =>
  Buffer.alloc(times * bytes(...parts).length, bytes(...parts));

/** A copy with some of its bytes written over. */
export function patch(original: Uint8Array, offset: number, ...parts: readonly Part[]): Uint8Array {
  const copy = Uint8Array.from(original);
  copy.set(bytes(...parts), offset);
  return copy;
}
