/** Hashes, made of states: a state is mixed with words of eight bytes, one after the other. */
const PRIME: u64 = 0x9e3779b97f4a7c15;

/** The next state. The upper half of a product depends on all bits; rotated, it meets the next word's. */
export function mix(state: u64, word: u64): u64 {
  return rotl<u64>((state ^ word) * PRIME, 32);
}

/** @param bytes of all words at an address */
export function mixAll(state: u64, at: usize, bytes: u32): u64 {
  for (let i: u32 = 0; i < bytes; i += 8) state = mix(state, load<u64>(at + i));
  return state;
}

/** The hash that a state stands for: indexes take its low bits. */
export function hashOf(state: u64): i32 {
  return i32(state ^ (state >>> 15));
}

/** A word of two numbers. */
export function pair(low: i32, high: i32): u64 {
  return u64(u32(low)) | (u64(high) << 32);
}

/** Mask of the first `size` bytes of a word, fewer than eight. */
export function firstBytes(size: u32): u64 {
  return (u64(1) << (8 * size)) - 1;
}
