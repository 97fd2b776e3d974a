/** What few rows have: unknown fields, and ids beyond 32 bits. Staged like rows. */

/** Unknown fields of a row that stand side by side, with their tags, in the bytes at hand. */
class UnknownFields {
  message!: i32;
  row!: u32;
  start!: usize;
  end!: usize;
  count!: u32;
}

/** What a reference has above its 32 lower bits. */
class HighHalf {
  message!: i32;
  /** Of the table; for a sample, the place in all stacks. */
  row!: u32;
  half!: u32;
  padding!: u32;
}

/** Where they go: the host says so. */
export let unknownFields: usize = 0;
export let unknownLength: u32 = 0;
export let highHalves: usize = 0;
export let highLength: u32 = 0;

export function placeSideLists(unknown: usize, high: usize): void {
  unknownFields = unknown;
  highHalves = high;
}

/** Adds a field to those of its row, which is the one that is being read. */
export function addUnknown(message: i32, row: u32, start: usize, end: usize): void {
  if (unknownLength > 0) {
    const last = changetype<UnknownFields>(unknownFields + (unknownLength - 1) * offsetof<UnknownFields>());
    if (last.end === start && last.message === message && last.row === row) {
      last.end = end;
      last.count++;
      return;
    }
  }
  const entry = changetype<UnknownFields>(unknownFields + unknownLength++ * offsetof<UnknownFields>());
  entry.message = message;
  entry.row = row;
  entry.start = start;
  entry.end = end;
  entry.count = 1;
}

/** @param reference 64 bits of which the high half is kept, unless it is 0 */
export function addHighHalf(message: i32, row: u32, reference: u64): void {
  const half = u32(reference >> 32);
  if (half === 0) return;
  const entry = changetype<HighHalf>(highHalves + highLength++ * offsetof<HighHalf>());
  entry.message = message;
  entry.row = row;
  entry.half = half;
}

export function takeSideLists(): void {
  unknownLength = 0;
  highLength = 0;
}
