import { allocate } from '../memory';

/** Rows of a table in the order of their first use by the result. */
@unmanaged
export class Renumbering {
  /** Words: new row + 1 by old row; 0 is not used so far. */
  rows: usize;
  /** Words: old rows, by new row. */
  order: usize;
  length: i32;

  reset(size: i32): void {
    this.rows = allocate(4 * u32(size));
    this.order = allocate(4 * u32(size));
    this.length = 0;
    memory.fill(this.rows, 0, 4 * u32(size));
  }

  row(old: i32): i32 {
    const known = load<i32>(this.rows + 4 * u32(old));
    if (known !== 0) return known - 1;
    store<i32>(this.order + 4 * u32(this.length), old);
    store<i32>(this.rows + 4 * u32(old), this.length + 1);
    return this.length++;
  }

  /** Old row of a new one. */
  old(row: i32): i32 {
    return load<i32>(this.order + 4 * u32(row));
  }
}
