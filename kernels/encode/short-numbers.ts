/** Numbers of one or two bytes, eight at once: most references of most profiles. */

/** Of a byte's bits, which say of eight numbers whether they take two bytes: how to close up. */
const CLOSINGS: u32 = 256;
/** Where each byte comes from, of eight lanes of 16 bits. */
const lanesOf: usize = memory.data(CLOSINGS * 16, 16);

function makeClosing(long: u32): void {
  const lanes = lanesOf + long * 16;
  let count: u32 = 0;
  for (let lane: u32 = 0; lane < 8; lane++) {
    store<u8>(lanes + count++, u8(2 * lane));
    if (((long >> lane) & 1) !== 0) store<u8>(lanes + count++, u8(2 * lane + 1));
  }
}

for (let long: u32 = 0; long < CLOSINGS; long++) makeClosing(long);

/**
 * Writes 32-bit rows, up to eight, as numbers that are one more, and up to 16 bytes behind them. Whether a number takes two bytes is
 * looked up, not branched on, since no processor could foresee it.
 *
 * @param rows 32 bytes of them are read
 * @returns the bytes that they take; 0 when one of the eight takes more than two
 */
export function putShortNumbers(at: usize, rows: usize, count: u32): u32 {
  const one = i32x4.splat(1);
  const low = i32x4.add(v128.load(rows), one);
  const high = i32x4.add(v128.load(rows, 16), one);
  if (v128.any_true(v128.and(v128.or(low, high), i32x4.splat(~0x3fff)))) return 0;
  const numbers = i16x8.narrow_i32x4_u(low, high);
  const isLong = i16x8.gt_s(numbers, i16x8.splat(127));
  const sevenBits = v128.and(numbers, i16x8.splat(0x7f));
  const upper = v128.and(i16x8.shl(numbers, 1), i16x8.splat(0x7f00));
  const bytes = v128.or(v128.or(sevenBits, upper), v128.and(isLong, i16x8.splat(0x80)));
  const long = u32(i16x8.bitmask(isLong));
  v128.store(at, i8x16.swizzle(bytes, v128.load(lanesOf + long * 16)));
  return count + popcnt(long & ((1 << count) - 1));
}
