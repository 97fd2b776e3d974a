/** Location ids and values of samples: most bytes of most profiles. */
import { SAMPLE } from '../../plugins/codecs/pprof/kernel-codes';
import { addHighHalf } from './side-lists';
import { number, numberIn, readNumber, sizeOfNumber } from './varint';

/** Where they go: the host says so. Location ids less one in 32 bits, values in 64. */
export let stack: usize = 0;
export let values: usize = 0;
/** How many are staged. */
export let stackLength: u32 = 0;
export let valuesLength: u32 = 0;
/** How many location ids were taken. */
export let stackTaken: u32 = 0;
/** The largest location id less one, as unsigned; up to date once rows were taken. */
export let maxStack: u32 = 0;
/** The high halves of all values, or-ed: negative when any is. */
export let valuesSign: i32 = 0;

export function placeStacks(newStack: usize, newValues: usize): void {
  stack = newStack;
  values = newValues;
}

export function addLocationId(id: u64): void {
  store<u32>(stack + (stackLength << 2), u32(id) - 1);
  addHighHalf(SAMPLE, stackTaken + stackLength, id);
  stackLength++;
}

export function addValue(value: u64): void {
  store<u64>(values + (valuesLength << 3), value);
  valuesSign |= i32(value >> 32);
  valuesLength++;
}

/** Of a byte's bits, which say of eight bytes whether a number goes on behind them: how to spread the numbers of one or two bytes. */
const SPREADS: u32 = 256;
/** Where each byte of eight lanes of 16 bits comes from; 255 for a zero. */
const lanesOf: usize = memory.data(SPREADS * 16, 16);
/** How many numbers there are, and the bytes that they were read from. 0 when the first one is longer than two bytes. */
const sizesOf: usize = memory.data(SPREADS * 2);

function makeSpread(continued: u32): void {
  const lanes = lanesOf + continued * 16;
  let count: u32 = 0;
  let at: u32 = 0;
  while (at < 8) {
    const size: u32 = 1 + ((continued >> at) & 1);
    if (at + size > 8 || ((continued >> (at + size - 1)) & 1) !== 0) break;
    store<u8>(lanes + 2 * count, u8(at));
    store<u8>(lanes + 2 * count, size === 2 ? u8(at + 1) : 255, 1);
    at += size;
    count++;
  }
  store<u8>(sizesOf + continued * 2, u8(count));
  store<u8>(sizesOf + continued * 2, u8(at), 1);
}

for (let continued: u32 = 0; continued < 256; continued++) makeSpread(continued);

/**
 * Ids of one or two bytes, as many as eight bytes hold at once: which byte belongs to which is looked up, not branched on, since no
 * processor could foresee it.
 */
export function addPackedIds(start: usize, end: usize): void {
  const lessOne = i32x4.splat(-1);
  let pos = start;
  let to = stack + (stackLength << 2);
  while (pos < end) {
    const bytes = v128.load64_zero(pos);
    let continued = u32(i8x16.bitmask(bytes));
    let size: u32;
    let count: u32;
    if (end - pos >= 8 && (continued & (continued >> 1)) === 0) {
      // The usual eight bytes. Where the next ones begin waits for the last byte alone: it may begin a number.
      size = 8 - (u32(load<u8>(pos, 7)) >> 7);
      count = size - popcnt(continued & 0x7f);
    } else {
      // Behind the end no number ends.
      if (end - pos < 8) continued = (continued | (0xff << u32(end - pos))) & 0xff;
      size = u32(load<u8>(sizesOf + continued * 2, 1));
      count = u32(load<u8>(sizesOf + continued * 2));
    }
    if (count === 0) {
      stackLength = u32(to - stack) >> 2;
      pos = readNumber(pos, end);
      addLocationId(number);
      to += 4;
      continue;
    }
    const lanes = i8x16.swizzle(bytes, v128.load(lanesOf + continued * 16));
    const low = v128.and(lanes, i16x8.splat(0x7f));
    const ids = v128.or(low, v128.and(i16x8.shr_u(lanes, 1), i16x8.splat(0x3f80)));
    v128.store(to, i32x4.add(i32x4.extend_low_i16x8_u(ids), lessOne));
    v128.store(to, i32x4.add(i32x4.extend_high_i16x8_u(ids), lessOne), 16);
    to += 4 * count;
    pos += size;
  }
  stackLength = u32(to - stack) >> 2;
}

export function addPackedValues(start: usize, end: usize): void {
  let pos = start;
  while (pos < end) {
    const word = load<u64>(pos);
    const size = sizeOfNumber(word);
    if (size <= 8 && pos + size <= end) {
      addValue(numberIn(word, size));
      pos += size;
    } else {
      pos = readNumber(pos, end);
      addValue(number);
    }
  }
}

export function takeStacks(): void {
  const end = stack + (stackLength << 2);
  let at = stack;
  let max = i32x4.splat(i32(maxStack));
  for (; at + 16 <= end; at += 16) max = i32x4.max_u(max, v128.load(at));
  for (; at < end; at += 4) max = i32x4.max_u(max, v128.load32_splat(at));
  max = i32x4.max_u(max, v128.shuffle<u32>(max, max, 2, 3, 0, 1));
  max = i32x4.max_u(max, v128.shuffle<u32>(max, max, 1, 0, 3, 2));
  maxStack = u32(i32x4.extract_lane(max, 0));
  stackTaken += stackLength;
  stackLength = 0;
  valuesLength = 0;
}

export function forgetStacks(): void {
  stackLength = 0;
  valuesLength = 0;
  stackTaken = 0;
  maxStack = 0;
  valuesSign = 0;
}
