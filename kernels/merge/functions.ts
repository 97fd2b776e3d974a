/** Distinct functions: all that profile.proto has of them makes them what they are. */
import { hashOf, mix, pair } from './hash';
import { functions } from './state';
import { BLOCK, blockHashes } from './table';

/** A record of `functions`. */
@unmanaged
export class FunctionRecord {
  hash: i32;
  /** String rows. */
  name: i32;
  systemName: i32;
  filename: i32;
  startLine: i64;
}

/** Where a function is to be written, before `internFunctions`. @param index 0 for the first */
export function newFunction(index: i32): FunctionRecord {
  return changetype<FunctionRecord>(functions.end + u32(index) * offsetof<FunctionRecord>());
}

/** @param count how many `newFunction`s were made @param rows gets the row of each */
export function internFunctions(count: i32, rows: usize): void {
  const first = changetype<usize>(newFunction(0));
  let next = 0;
  for (let i = 0; i < count; ) {
    // Profiles of one program have much in the same order.
    for (; i < count && next < functions.rows && isSame(next, staged(first, i)); i++, next++) {
      store<i32>(rows + 4 * u32(i), next);
    }
    const begin = i;
    const end = min(begin + BLOCK, count);
    for (let j = begin; j < end; j++) {
      store<i32>(blockHashes + 4 * u32(j - begin), hashFunction(staged(first, j)));
    }
    functions.bring(end - begin);
    for (; i < end; i++) {
      next = intern(staged(first, i), load<i32>(blockHashes + 4 * u32(i - begin)));
      store<i32>(rows + 4 * u32(i), next++);
    }
  }
}

function staged(first: usize, index: i32): FunctionRecord {
  return changetype<FunctionRecord>(first + u32(index) * offsetof<FunctionRecord>());
}

function intern(wanted: FunctionRecord, hash: i32): i32 {
  let slot = functions.slotOf(hash);
  for (; load<i32>(slot) !== 0; slot = functions.nextSlot(slot)) {
    if (load<i32>(slot, 4) === hash && isSame(load<i32>(slot) - 1, wanted)) return load<i32>(slot) - 1;
  }
  return functions.takeFrom(changetype<usize>(wanted), slot, hash);
}

function isSame(row: i32, b: FunctionRecord): boolean {
  const a = changetype<FunctionRecord>(functions.at(row));
  if (a.name !== b.name || a.systemName !== b.systemName) return false;
  return a.filename === b.filename && a.startLine === b.startLine;
}

function hashFunction(f: FunctionRecord): i32 {
  return hashOf(mix(mix(mix(0, f.filename), pair(f.name, f.systemName)), f.startLine));
}
