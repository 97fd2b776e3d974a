import { allocate } from '../memory';

/**
 * Which rows of the merge what was added has, and which numbers its samples: three counts, and behind them as many words each. By the
 * rows or numbers of what was added. To be released by those who asked for the addition.
 */
@unmanaged
export class AddedRows {
  stringCount: i32;
  mappingCount: i32;
  /** 0 where it is not asked. */
  sampleCount: i32;

  get strings(): usize {
    return changetype<usize>(this) + offsetof<AddedRows>();
  }

  get mappings(): usize {
    return this.strings + 4 * u32(this.stringCount);
  }

  get samples(): usize {
    return this.mappings + 4 * u32(this.mappingCount);
  }
}

export function newRows(stringCount: i32, mappingCount: i32, sampleCount: i32): AddedRows {
  const count = u32(stringCount + mappingCount + sampleCount);
  const rows = changetype<AddedRows>(allocate(offsetof<AddedRows>() + 4 * count));
  rows.stringCount = stringCount;
  rows.mappingCount = mappingCount;
  rows.sampleCount = sampleCount;
  return rows;
}
