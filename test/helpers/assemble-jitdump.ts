/** Jitdumps, spelled out. */
import { bytes, type Part, u32, u64 } from './assemble.js';

export interface JitFunction {
  readonly time: number;
  readonly address: number | bigint;
  readonly size: number;
  readonly name: string;
  readonly number?: number;
  readonly pid?: number;
  /** What it says of the size of its code. */
  readonly lie?: number | bigint;
}

/** @param flags 1: times of the processor @param padding V8 writes 0xdeadbeef */
export const jitdump = (records: readonly Part[], flags = 0, machine = 62, padding = 0): Uint8Array =>
  bytes('DTiJ', u32(1), u32(40), u32(machine), u32(padding), u32(7), u64(1), u64(flags), records);

export function jitLoad({ time, address, size, name, number = 0, pid = 7, lie = size }: JitFunction): Uint8Array {
  const places = [u32(pid), u32(pid), u64(address), u64(address), u64(lie), u64(number)];
  return jitRecord(0, time, [places, name, '\0', new Uint8Array(size).fill(0xc3)]);
}

/** A move of the code of a number. */
export const jitMove = (time: number, from: number, to: number, number: number): Uint8Array =>
  jitRecord(1, time, [u32(7), u32(7), u64(to), u64(from), u64(to), u64(8), u64(number)]);

/** Lines of the code that comes next: address, line, file each. */
export function jitLines(address: number, entries: readonly (readonly [number, number, Part])[]): Uint8Array {
  const parts = entries.flatMap(([at, line, file]) => [u64(at), u32(line), u32(0), file, '\0']);
  return jitRecord(2, 1, [u64(address), u64(entries.length), ...parts]);
}

/** Of the code that comes next. */
export function jitUnwinding(ehFrame: Uint8Array, header = new Uint8Array(20)): Uint8Array {
  const size = ehFrame.length + header.length;
  return jitRecord(4, 1, [u64(size), u64(header.length), u64(size), ehFrame, header]);
}

export function jitRecord(type: number, time: number, body: readonly Part[]): Uint8Array {
  const content = bytes(...body);
  return bytes(u32(type), u32(content.length + 16), u64(time), content);
}
