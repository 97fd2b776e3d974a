/** Varints, written as words: behind what is written there is always room for some bytes more. */

export function putNumber(at: usize, value: u64): usize {
  if (value < 0x4000) {
    const isLong = u32(value > 127);
    store<u16>(at, (u32(value) & 127) | ((u32(value) >> 7) << 8) | (isLong << 7));
    return at + 1 + isLong;
  }
  let to = at;
  let rest = value;
  for (; rest > 127; rest >>= 7) store<u8>(to++, u8(rest) | 128);
  store<u8>(to, u8(rest));
  return to + 1;
}

/** A field of wire type 0, unless it is 0, which is what absence means. @param tag of one byte */
export function putField(at: usize, tag: u32, value: u64): usize {
  if (value === 0) return at;
  store<u8>(at, tag);
  return putNumber(at + 1, value);
}

function numberSize(value: u32): u32 {
  return (38 - clz(value | 1)) / 7;
}

/**
 * Writes the length of what was written from `start` to `end` into the gap before it; moves it if the gap has another size.
 * @returns the end then
 */
export function close(start: usize, gap: u32, end: usize): usize {
  const length = u32(end - start);
  if (gap === 1 && length < 128) {
    store<u8>(start - 1, u8(length));
    lengthBytes = 1;
    return end;
  }
  const wanted = numberSize(length);
  const from = start - gap;
  if (wanted !== gap) memory.copy(from + wanted, start, length);
  // Byte by byte: what stands behind must stay.
  let to = from;
  let rest = length;
  for (; rest > 127; rest >>= 7) store<u8>(to++, u8(rest) | 128);
  store<u8>(to, u8(rest));
  lengthBytes = wanted;
  return from + wanted + length;
}

/** Bytes of the length that `close` wrote last. */
export let lengthBytes: u32 = 1;
