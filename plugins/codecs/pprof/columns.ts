/**
 * Columns that grow by blocks while rows come, and are emptied into arrays at the end.
 *
 * Fresh memory is dear (the system hands out zeroed pages one by one), so a column keeps what it has grown to for the next profile,
 * which gets a copy. A large one goes out with the profile instead, unless too much of it is empty, and the next takes as much as
 * that profile needed. Growing is by half, so that old and new memory together stay under three times what is in use.
 */

const FIRST_CAPACITY = 256;
/** A column's memory up to this size stays for the next profile. */
const KEPT_BYTES = 2 * 2 ** 20;
/** The same, where what it gives is only lent. */
export const LENT_BYTES = 4 * 2 ** 20;
/** A Buffer takes longer to make than less memory to clear. */
const CLEARED_BYTES = 16 * 2 ** 10;

export type Block = Uint8Array | Uint32Array | BigUint64Array;
export type BlockType<T extends Block> = {
  new (length: number): T;
  new (buffer: ArrayBuffer, byteOffset: number, length: number): T;
  readonly BYTES_PER_ELEMENT: number;
};

/** Memory that is not cleared before it is written, as that of `new` is. */
function uncleared<T extends Block>(type: BlockType<T>, length: number): T {
  const byteLength = length * type.BYTES_PER_ELEMENT;
  if (byteLength <= CLEARED_BYTES) return new type(length);
  return new type(Buffer.allocUnsafeSlow(byteLength).buffer as ArrayBuffer, 0, length);
}

function grownCapacity(capacity: number, wanted: number): number {
  return Math.max(wanted, capacity + (capacity >>> 1), FIRST_CAPACITY);
}

/** What columns only lend: it is good until they are filled again. */
export interface Loan {
  /** Memory up to this size; 0: none. */
  mostBytes: number;
}

export class Column<T extends Block> {
  length = 0;
  readonly type: BlockType<T>;
  readonly #loan: Loan | undefined;
  #data: T;
  /** Entries that the next profile is expected to have, where the last one's memory went out with it. */
  #expected = 0;

  constructor(type: BlockType<T>, loan?: Loan) {
    this.type = type;
    this.#loan = loan;
    this.#data = new type(0);
  }

  append(block: T): void {
    const { length } = this;
    this.#reserve(length + block.length);
    this.#data.set(block as never, length);
    this.length = length + block.length;
  }

  push(entry: T[number]): void {
    this.#reserve(this.length + 1);
    this.#data[this.length++] = entry;
  }

  #reserve(entries: number): void {
    if (entries <= this.#data.length) return;
    const grown = uncleared(this.type, Math.max(grownCapacity(this.#data.length, entries), this.#expected));
    grown.set(this.#data.subarray(0, this.length) as never);
    this.#data = grown;
  }

  clear(): void {
    this.length = 0;
  }

  /** What is in it; empties it. */
  finish(): T {
    const data = this.#data;
    const block = data.subarray(0, this.length) as T;
    this.length = 0;
    if (this.#loan !== undefined && data.byteLength <= this.#loan.mostBytes) return block;
    const { length } = block;
    if (data.byteLength > KEPT_BYTES) {
      this.#data = new this.type(0);
      this.#expected = length + (length >>> 4);
      if (data.length - length <= length >>> 1) return block;
    }
    const copy = uncleared(this.type, length);
    copy.set(block as never);
    return copy;
  }
}

/** 64-bit numbers that were read as unsigned ones. */
export function asSigned(column: BigUint64Array): BigInt64Array {
  return new BigInt64Array(column.buffer as ArrayBuffer, column.byteOffset, column.length);
}

/** Numbers of rows that are nearly always 0: memory only once one is not. */
export class SparseColumn<T extends Block> {
  readonly #type: BlockType<T>;
  #data: T | undefined;

  constructor(type: BlockType<T>) {
    this.#type = type;
  }

  /** The column, with room for so many rows; those that were not written are 0. */
  room(rows: number): T {
    if (this.#data === undefined || this.#data.length < rows) {
      const grown = new this.#type(grownCapacity(this.#data?.length ?? 0, rows));
      if (this.#data !== undefined) grown.set(this.#data as never);
      this.#data = grown;
    }
    return this.#data;
  }

  clear(): void {
    this.#data = undefined;
  }

  /** What is in it, undefined when all are 0; empties it. @param length number of rows */
  finish(length: number): T | undefined {
    const data = this.#data;
    if (data === undefined) return undefined;
    this.#data = undefined;
    const exact = new this.#type(length);
    exact.set(data.subarray(0, length) as never);
    return exact;
  }
}
