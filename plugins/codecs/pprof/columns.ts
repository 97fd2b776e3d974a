/**
 * Columns that grow while rows come. They grow by half, so that old and new memory together stay under three times what is in
 * use, and are cut to size at the end.
 */

const FIRST_CAPACITY = 256;

function grownCapacity(capacity: number, wanted: number): number {
  return Math.max(wanted, capacity + (capacity >>> 1), FIRST_CAPACITY);
}

/** `array` cut to `length`: a copy where much would hang on unused, else a view. */
function cut<Array extends Uint8Array | Uint32Array>(array: Array, length: number): Array {
  const worthCopying = array.length - length > (length >>> 3) + 64;
  return (worthCopying ? array.slice(0, length) : array.subarray(0, length)) as Array;
}

export class ByteColumn {
  data = new Uint8Array(FIRST_CAPACITY);
  length = 0;

  push(byte: number): void {
    if (this.length === this.data.length) this.reserve(1);
    this.data[this.length++] = byte;
  }

  append(bytes: Uint8Array, start: number, end: number): void {
    const count = end - start;
    this.reserve(count);
    const { data, length } = this;
    // A call of `set` costs as much as some tens of bytes one by one; most names are shorter than that.
    if (count < 48) for (let i = 0; i < count; i++) data[length + i] = bytes[start + i]!;
    else data.set(bytes.subarray(start, end), length);
    this.length += count;
  }

  reserve(count: number): void {
    const wanted = this.length + count;
    if (wanted <= this.data.length) return;
    const grown = new Uint8Array(grownCapacity(this.data.length, wanted));
    grown.set(this.data.subarray(0, this.length));
    this.data = grown;
  }

  finish(): Uint8Array {
    return cut(this.data, this.length);
  }
}

export class IntegerColumn {
  data = new Uint32Array(FIRST_CAPACITY);
  length = 0;

  push(value: number): void {
    if (this.length === this.data.length) this.reserve(1);
    this.data[this.length++] = value;
  }

  reserve(count: number): void {
    const wanted = this.length + count;
    if (wanted <= this.data.length) return;
    const grown = new Uint32Array(grownCapacity(this.data.length, wanted));
    grown.set(this.data.subarray(0, this.length));
    this.data = grown;
  }

  finish(): Uint32Array {
    return cut(this.data, this.length);
  }
}

/** 64-bit numbers as halves: low at 2r, high at 2r + 1. */
export class WideColumn {
  data = new Uint32Array(2 * FIRST_CAPACITY);
  length = 0;

  push(lo: number, hi: number): void {
    if (2 * this.length === this.data.length) this.reserve(1);
    this.data[2 * this.length] = lo;
    this.data[2 * this.length + 1] = hi;
    this.length++;
  }

  reserve(count: number): void {
    const wanted = 2 * (this.length + count);
    if (wanted <= this.data.length) return;
    // An even number of halves, so that a 64-bit view holds them.
    const grown = new Uint32Array(2 * Math.ceil(grownCapacity(this.data.length, wanted) / 2));
    grown.set(this.data.subarray(0, 2 * this.length));
    this.data = grown;
  }

  finishSigned(): BigInt64Array {
    const halves = cut(this.data, 2 * this.length);
    return new BigInt64Array(halves.buffer, halves.byteOffset, this.length);
  }

  finishUnsigned(): BigUint64Array {
    const halves = cut(this.data, 2 * this.length);
    return new BigUint64Array(halves.buffer, halves.byteOffset, this.length);
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

  /** Undefined when all are 0. @param length number of rows */
  finish(length: number): Uint32Array | undefined {
    if (this.#data === undefined) return undefined;
    const exact = new Uint32Array(length * this.#width);
    exact.set(this.#data.subarray(0, exact.length));
    return exact;
  }
}
