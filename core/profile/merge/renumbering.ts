/** Rows in order of first use. Public fields, since the loop over all frames reads and writes them directly. */
export class Renumbering {
  /** New row + 1 by old row; 0 is not used so far. */
  readonly rows: Int32Array;
  /** Old rows, by new row. */
  readonly order: Int32Array;
  length = 0;

  constructor(size: number) {
    this.rows = new Int32Array(size);
    this.order = new Int32Array(size);
  }

  row(old: number): number {
    const known = this.rows[old]!;
    if (known !== 0) return known - 1;
    this.order[this.length] = old;
    this.rows[old] = ++this.length;
    return this.length - 1;
  }
}
