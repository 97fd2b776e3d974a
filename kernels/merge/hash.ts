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
