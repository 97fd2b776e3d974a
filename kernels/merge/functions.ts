/** Distinct functions: all that profile.proto has of them makes them what they are. */
import { finishHash, K1, K2, K3, K4, K5 } from './hash';
import { functions } from './state';

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

/** Where the next function is to be written, before `internFunction`. */
export function newFunction(): FunctionRecord {
  return changetype<FunctionRecord>(functions.end);
}

/** @param guess a row that it may well have @returns row of the function that `newFunction` was made to be */
export function internFunction(guess: i32): i32 {
  const wanted = newFunction();
  // Profiles of one program have much in the same order.
  if (guess < functions.rows && isSame(guess, wanted)) return guess;
  const hash = hashFunction(wanted);
  let slot = functions.slotOf(hash);
  for (; load<i32>(slot) !== 0; slot = functions.nextSlot(slot)) {
    if (load<i32>(slot, 4) === hash && isSame(load<i32>(slot) - 1, wanted)) return load<i32>(slot) - 1;
  }
  return functions.take(slot, hash);
}

function isSame(row: i32, b: FunctionRecord): boolean {
  const a = changetype<FunctionRecord>(functions.at(row));
  if (a.name !== b.name || a.systemName !== b.systemName) return false;
  return a.filename === b.filename && a.startLine === b.startLine;
}

function hashFunction(f: FunctionRecord): i32 {
  const strings = f.name * K1 + f.systemName * K2 + f.filename * K3;
  return finishHash(strings + i32(f.startLine) * K4 + i32(f.startLine >>> 32) * K5);
}
