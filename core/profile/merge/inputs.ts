/** How the kernel knows an input: see kernels/merge/inputs.ts. */

const WORDS = 11;

export function inputWords(timeNanos: bigint, digest: Uint8Array): Uint32Array {
  const words = new Uint32Array(WORDS);
  // Signed order as unsigned order.
  const key = BigInt.asUintN(64, timeNanos) ^ (1n << 63n);
  words[0] = timeNanos === 0n ? 1 : 0;
  words[1] = Number(key >> 32n);
  words[2] = Number(key & 0xffffffffn);
  const view = new DataView(digest.buffer, digest.byteOffset, digest.byteLength);
  for (let i = 0; i < 8 && 4 * i + 4 <= digest.length; i++) words[3 + i] = view.getUint32(4 * i);
  return words;
}
