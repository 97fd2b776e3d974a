/** Growing columns: typed arrays that double when full. For building tables whose length is not known before. */

interface ColumnArray<Value, Self> {
  readonly length: number;
  [row: number]: Value;
  set(source: Self, at: number): void;
  subarray(start: number, end: number): Self;
}

export class Column<Value extends number | bigint, Array extends ColumnArray<Value, Array>> {
  readonly #make: (length: number) => Array;
  #array: Array;
  #length = 0;

  constructor(make: (length: number) => Array) {
    this.#make = make;
    this.#array = make(16);
  }

  get length(): number {
    return this.#length;
  }

  at(row: number): Value {
    if (!(row < this.#length)) throw new RangeError(`row ${row} of ${this.#length}`);
    return this.#array[row]!;
  }

  /** @returns its row */
  push(value: Value): number {
    this.#reserve(this.#length + 1);
    this.#array[this.#length] = value;
    return this.#length++;
  }

  /** Appends `source[start, end)`. */
  append(source: Array, start: number, end: number): void {
    this.#reserve(this.#length + end - start);
    this.#array.set(source.subarray(start, end), this.#length);
    this.#length += end - start;
  }

  /** What is in it now, without a copy; good until the next push. */
  view(): Array {
    return this.#array.subarray(0, this.#length);
  }

  /** What is in it now, behind `base` if given: in memory of its own and of its exact size. */
  finish(base?: Array): Array {
    const before = base?.length ?? 0;
    const array = this.#make(before + this.#length);
    if (base !== undefined) array.set(base, 0);
    array.set(this.view(), before);
    return array;
  }

  #reserve(length: number): void {
    if (length <= this.#array.length) return;
    const grown = this.#make(Math.max(length, this.#array.length * 2));
    grown.set(this.view(), 0);
    this.#array = grown;
  }
}

export type ByteColumn = Column<number, Uint8Array>;
export type RowColumn = Column<number, Uint32Array>;
export type SignedColumn = Column<bigint, BigInt64Array>;
export type UnsignedColumn = Column<bigint, BigUint64Array>;

export const byteColumn = (): ByteColumn => new Column((length: number): Uint8Array => new Uint8Array(length));
export const rowColumn = (): RowColumn => new Column((length: number): Uint32Array => new Uint32Array(length));
export const signedColumn = (): SignedColumn =>
  new Column((length: number): BigInt64Array => new BigInt64Array(length));
export const unsignedColumn = (): UnsignedColumn =>
  new Column((length: number): BigUint64Array => new BigUint64Array(length));
