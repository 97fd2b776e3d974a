/**
 * Arrays of 32-bit words that grow by half. Signed, since integers that may exceed 2^31 are no machine integers to the compiler; public
 * fields, since the loops of merging read and write them directly.
 */
export class Words {
  data: Int32Array;
  length: number;

  constructor(data: Int32Array = new Int32Array(64), length = 0) {
    this.data = data;
    this.length = length;
  }

  push(word: number): void {
    if (this.length === this.data.length) this.reserve(1);
    this.data[this.length++] = word;
  }

  /** Makes room for `count` more: `data` stays the same array until they are there. */
  reserve(count: number): void {
    const wanted = this.length + count;
    if (wanted <= this.data.length) return;
    const grown = new Int32Array(Math.max(wanted, this.data.length + (this.data.length >>> 1)));
    grown.set(this.view());
    this.data = grown;
  }

  view(): Int32Array {
    return this.data.subarray(0, this.length);
  }
}

/** Offsets of the rows of a table into another: one more than there are rows, the first is 0. */
export function newStarts(): Words {
  return new Words(new Int32Array(64), 1);
}

/** A column's memory as signed words; of a 64-bit column the low half of row r is at 2r, the high half at 2r + 1. */
export function wordsOf(column: Uint32Array | BigInt64Array | BigUint64Array): Int32Array {
  return new Int32Array(column.buffer, column.byteOffset, column.byteLength / 4);
}
