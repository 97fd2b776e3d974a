/** 64-bit words of records as numbers. */

/** Exact for canonical addresses, of user space and of the kernel: those are negative (−2^31 for 0xffffffff80000000). */
export function signedWord(view: DataView, at: number): number {
  return view.getInt32(at + 4, true) * 2 ** 32 + view.getUint32(at, true);
}

/** Exact up to 2^53: sizes, offsets, ids, nanoseconds. */
export function unsignedWord(view: DataView, at: number): number {
  return view.getUint32(at + 4, true) * 2 ** 32 + view.getUint32(at, true);
}

export const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
