/** Odd multipliers. A hash of words is the sum of their products: products do not wait for each other, as a running hash's do. */
export const K1: i32 = 0x9e3779b1;
export const K2: i32 = K1 * K1;
export const K3: i32 = K2 * K1;
export const K4: i32 = K3 * K1;
export const K5: i32 = K4 * K1;
export const K6: i32 = K5 * K1;

/** Spreads what differs in a sum of products over all bits: indexes take the low ones. */
export function finishHash(sum: i32): i32 {
  const mixed = (sum ^ (sum >>> 16)) * 0x85ebca6b;
  return ((mixed ^ (mixed >>> 13)) * 0xc2b2ae35) ^ (mixed >>> 16);
}

const PRIME: u64 = 0x9e3779b97f4a7c15;

/** The next state of a hash of bytes, by eight. The upper half of a product depends on all bits; rotated, it meets the next word's. */
export function mix(hash: u64, word: u64): u64 {
  return rotl<u64>((hash ^ word) * PRIME, 32);
}

/** The hash that a state stands for. */
export function hashOf(state: u64): i32 {
  return i32(state ^ (state >>> 15));
}

/** Mask of the first `size` bytes of a word, fewer than eight. */
export function firstBytes(size: u32): u64 {
  return (u64(1) << (8 * size)) - 1;
}
