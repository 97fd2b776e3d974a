/** Distinct strings of bytes. Bytes are hashed, compared and copied by eight: what is read or written behind a string's end is ignored. */
import { firstBytes, hashOf, mix } from './hash';
import { stringBytes, strings } from './state';
import { BLOCK, blockHashes } from './table';

/** The empty string has row 0. */
export function addEmptyString(): void {
  strings.reserveRows(1);
  stringBytes.reserve(0);
  intern(0, 0, hashBytes(0, 0));
}

/**
 * Room must have been made, as for all that follows.
 *
 * @param bytes of all of them, with eight that may be read behind them
 * @param starts `count + 1` offsets into them
 * @param rows gets the row of each
 */
export function addStrings(count: i32, bytes: usize, starts: usize, rows: usize): void {
  let next = 0;
  for (let i = 0; i < count; ) {
    // Profiles of one program have much in the same order.
    for (; i < count && next < strings.rows && isAt(next, place(i, bytes, starts), size(i, starts)); i++, next++) {
      store<i32>(rows + 4 * u32(i), next);
    }
    const begin = i;
    const end = min(begin + BLOCK, count);
    for (let j = begin; j < end; j++) {
      store<i32>(blockHashes + 4 * u32(j - begin), hashBytes(place(j, bytes, starts), size(j, starts)));
    }
    strings.bring(end - begin);
    strings.bringRest(end - begin, stringBytes.data, 4);
    for (; i < end; i++) {
      next = intern(place(i, bytes, starts), size(i, starts), load<i32>(blockHashes + 4 * u32(i - begin)));
      store<i32>(rows + 4 * u32(i), next++);
    }
  }
}

function place(row: i32, bytes: usize, starts: usize): usize {
  return bytes + load<u32>(starts + 4 * u32(row));
}

function size(row: i32, starts: usize): u32 {
  return load<u32>(starts + 4 * u32(row), 4) - load<u32>(starts + 4 * u32(row));
}

/** @param records those of another merge, and its bytes */
export function addStringsOf(records: usize, count: i32, bytes: usize, rows: usize): void {
  for (let i = 0; i < count; i++) {
    const record = records + 12 * u32(i);
    const row = intern(bytes + load<u32>(record, 4), load<u32>(record, 8), load<i32>(record));
    store<i32>(rows + 4 * u32(i), row);
  }
}

export function stringCount(): i32 {
  return strings.rows;
}

/** By bytes: negative when the string of row `a` comes first. */
export function compareStrings(a: i32, b: i32): i32 {
  const sizeA = load<i32>(strings.at(a), 8);
  const sizeB = load<i32>(strings.at(b), 8);
  const order = memory.compare(bytesOf(a), bytesOf(b), u32(min(sizeA, sizeB)));
  return order !== 0 ? order : sizeA - sizeB;
}

function bytesOf(row: i32): usize {
  return stringBytes.data + load<u32>(strings.at(row), 4);
}

function intern(at: usize, size: u32, hash: i32): i32 {
  let slot = strings.slotOf(hash);
  for (; load<i32>(slot) !== 0; slot = strings.nextSlot(slot)) {
    if (load<i32>(slot, 4) === hash && isAt(load<i32>(slot) - 1, at, size)) return load<i32>(slot) - 1;
  }
  const to = stringBytes.end;
  for (let i: u32 = 0; i < size; i += 8) store<u64>(to + i, load<u64>(at + i));
  store<u32>(strings.end, stringBytes.length, 4);
  store<u32>(strings.end, size, 8);
  stringBytes.length += size;
  return strings.take(slot, hash);
}

function isAt(row: i32, at: usize, size: u32): boolean {
  const record = strings.at(row);
  if (load<u32>(record, 8) !== size) return false;
  const own = stringBytes.data + load<u32>(record, 4);
  if (size < 8) return ((load<u64>(own) ^ load<u64>(at)) & firstBytes(size)) === 0;
  // The ends first: what has the same beginning is the rule among names.
  const last = size - 8;
  if (load<u64>(own + last) !== load<u64>(at + last)) return false;
  for (let i: u32 = 0; i < last; i += 8) if (load<u64>(own + i) !== load<u64>(at + i)) return false;
  return true;
}

function hashBytes(at: usize, size: u32): i32 {
  let hash = u64(size);
  if (size < 8) hash = mix(hash, load<u64>(at) & firstBytes(size));
  else {
    const last = size - 8;
    for (let i: u32 = 0; i < last; i += 8) hash = mix(hash, load<u64>(at + i));
    hash = mix(hash, load<u64>(at + last));
  }
  return hashOf(hash);
}
