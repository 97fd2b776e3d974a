/**
 * Distinct mappings: size rounded up to 4 KiB, file offset, and build ID or else file name make them what they are. The rest is that
 * of the first input that uses the mapping.
 */
import { hashOf, mix } from './hash';
import { compareInputs } from './inputs';
import { mappings } from './state';

/** A record of `mappings`. */
@unmanaged
export class Mapping {
  hash: i32;
  /** The input and the row there that all but the hash comes from. */
  input: i32;
  row: i32;
  /** String rows. */
  filename: i32;
  buildId: i32;
  flags: i32;
  start: u64;
  limit: u64;
  offset: u64;

  get pages(): u64 {
    return (this.limit - this.start + 0xfff) >>> 12;
  }

  get name(): i32 {
    return this.buildId !== 0 ? this.buildId : this.filename;
  }
}

export function mappingAt(row: i32): Mapping {
  return changetype<Mapping>(mappings.at(row));
}

/** Where the next mapping is to be written, before `internMapping`. */
export function newMapping(): Mapping {
  return changetype<Mapping>(mappings.end);
}

/** @returns row of the mapping that `newMapping` was made to be */
export function internMapping(): i32 {
  const mapping = newMapping();
  const hash = hashMapping(mapping);
  let slot = mappings.slotOf(hash);
  for (; load<i32>(slot) !== 0; slot = mappings.nextSlot(slot)) {
    if (load<i32>(slot, 4) !== hash) continue;
    const row = load<i32>(slot) - 1;
    const known = mappingAt(row);
    if (known.pages !== mapping.pages || known.offset !== mapping.offset || known.name !== mapping.name) continue;
    if (isBefore(mapping, known)) {
      mapping.hash = hash;
      memory.copy(changetype<usize>(known), changetype<usize>(mapping), offsetof<Mapping>());
    }
    return row;
  }
  return mappings.take(slot, hash);
}

function isBefore(a: Mapping, b: Mapping): boolean {
  return a.input === b.input ? a.row < b.row : compareInputs(a.input, b.input) < 0;
}

function hashMapping(mapping: Mapping): i32 {
  return hashOf(mix(mix(mix(0, mapping.name), mapping.pages), mapping.offset));
}
