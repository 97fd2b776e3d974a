/**
 * Columns that grow while rows come, and are emptied into arrays of exact size at the end.
 *
 * Fresh memory is dear (the system hands out zeroed pages one by one), so a column keeps what it has grown to for the next profile,
 * unless that is much: then the array goes out with the profile. Growing is by half, so that old and new memory together stay
 * under three times what is in use.
 *
 * The columns of a table grow together (`table-rows.ts`), so that a row asks for room once; who writes into `data` has reserved it.
 */

const FIRST_CAPACITY = 256;
/** A column's memory up to this size stays for the next profile. */
const KEPT_BYTES = 4 * 2 ** 20;

export function grownCapacity(capacity: number, wanted: number): number {
  return Math.max(wanted, capacity + (capacity >>> 1), FIRST_CAPACITY);
}

/** Whether to cut a copy out of `array`, of which `length` entries are used, and keep it. */
function staysForNext(array: Uint8Array | Uint32Array, length: number): boolean {
  return array.byteLength <= KEPT_BYTES || array.length - length > length >>> 3;
}

/** 32-bit numbers. */
export class IntegerColumn {
  data = new Uint32Array(FIRST_CAPACITY);

  /** Makes room for so many rows in all; the first `used` are kept. */
  reserve(rows: number, used: number): void {
    if (rows <= this.data.length) return;
    const grown = new Uint32Array(rows);
    grown.set(this.data.subarray(0, used));
    this.data = grown;
  }

  /** The first `length` rows; empties the column. */
  finish(length: number): Uint32Array {
    const { data } = this;
    if (staysForNext(data, length)) return data.slice(0, length);
    this.data = new Uint32Array(FIRST_CAPACITY);
    return data.subarray(0, length);
  }
}

/** 64-bit numbers as halves: low at 2r, high at 2r + 1. */
export class WideColumn {
  readonly #halves = new IntegerColumn();
  data = this.#halves.data;

  reserve(rows: number, used: number): void {
    this.#halves.reserve(2 * rows, 2 * used);
    this.data = this.#halves.data;
  }

  set(row: number, lo: number, hi: number): void {
    this.data[2 * row] = lo;
    this.data[2 * row + 1] = hi;
  }

  finishSigned(length: number): BigInt64Array {
    const { buffer, byteOffset } = this.#finish(length);
    return new BigInt64Array(buffer, byteOffset, length);
  }

  finishUnsigned(length: number): BigUint64Array {
    const { buffer, byteOffset } = this.#finish(length);
    return new BigUint64Array(buffer, byteOffset, length);
  }

  #finish(length: number): Uint32Array {
    const halves = this.#halves.finish(2 * length);
    this.data = this.#halves.data;
    return halves;
  }
}

/** Bytes: of flags one a row, of strings and unknown fields one behind the other. */
export class ByteColumn {
  data = new Uint8Array(FIRST_CAPACITY);
  /** Of what `append` wrote. */
  length = 0;
  #words = new DataView(this.data.buffer);

  reserve(rows: number, used: number): void {
    if (rows <= this.data.length) return;
    const grown = new Uint8Array(rows);
    grown.set(this.data.subarray(0, used));
    this.#use(grown);
  }

  #use(data: Uint8Array<ArrayBuffer>): void {
    this.data = data;
    this.#words = new DataView(data.buffer);
  }

  /** Appends `source[start, end)`. @param sourceWords the same memory */
  append(source: Uint8Array, sourceWords: DataView, start: number, end: number): void {
    const count = end - start;
    const to = this.length;
    // What is copied word by word writes over the end by up to three bytes.
    const wanted = to + count + 3;
    if (wanted > this.data.length) this.reserve(grownCapacity(this.data.length, wanted), to);
    this.length = to + count;
    // A call of `set` costs as much as some hundred bytes word by word; most names are shorter than that.
    if (count > 200 || end + 3 > source.length) this.data.set(source.subarray(start, end), to);
    else {
      const words = this.#words;
      for (let i = 0; i < count; i += 4) words.setInt32(to + i, sourceWords.getInt32(start + i, true), true);
    }
  }

  finish(length: number): Uint8Array {
    const { data } = this;
    this.length = 0;
    if (staysForNext(data, length)) return data.slice(0, length);
    this.#use(new Uint8Array(FIRST_CAPACITY));
    return data.subarray(0, length);
  }
}

/** 64-bit numbers that are nearly always 0 (`column`) or fit 32 bits (high halves of ids): memory only once one does not. */
export class SparseColumn {
  #data: Uint32Array | undefined;
  readonly #width: 1 | 2;

  constructor(width: 1 | 2) {
    this.#width = width;
  }

  set(row: number, first: number, second = 0): void {
    if (first === 0 && second === 0) return;
    const wanted = (row + 1) * this.#width;
    if (this.#data === undefined || this.#data.length < wanted) {
      const grown = new Uint32Array(2 * Math.ceil(grownCapacity(this.#data?.length ?? 0, wanted) / 2));
      if (this.#data !== undefined) grown.set(this.#data);
      this.#data = grown;
    }
    this.#data[row * this.#width] = first;
    if (this.#width === 2) this.#data[row * 2 + 1] = second;
  }

  /** What is in it, undefined when all are 0; empties it. @param length number of rows */
  finish(length: number): Uint32Array | undefined {
    const data = this.#data;
    if (data === undefined) return undefined;
    this.#data = undefined;
    const exact = new Uint32Array(length * this.#width);
    exact.set(data.subarray(0, exact.length));
    return exact;
  }
}
