/** Names of the kernel's functions by address, as columns; of a name only its place in the list is kept. */
import { type NamedRange, rowAt } from '../symbols/address-names.js';

export interface KernelSymbol {
  /** The address, in halves. */
  readonly high: number;
  readonly low: number;
  /** Character: nm's letter. */
  readonly type: number;
  /** Into the list. */
  readonly nameStart: number;
  readonly nameEnd: number;
  /** Whether it is of a module, or of code that the kernel made. */
  readonly isOfModule: boolean;
}

/** What has none behind it has no end: the last function, which is small as all are. */
const LAST_BYTES = 4096n;
/** One of these begins the image, the first that there is: perf tells the place of the image by it too. */
const FIRST_SYMBOLS = ['_text', '_stext'] as const;
const UNDERSCORE = 0x5f;
/** Lower case is local, by nm. */
const LOWER_CASE = 0x20;
const TEXT = 0x74;
const WEAK = 0x77;
const WITHOUT_END = 2n ** 64n - 1n;
/** Columns of a row: address, low half first; type; start and end of the name; whether it is of a module. */
const WIDTH = 6;

const utf8 = new TextDecoder();

export class KernelNames {
  readonly #list: Uint8Array;
  #rows = new Uint32Array(WIDTH * 4096);
  #symbolCount = 0;
  #isSorted = true;
  /** By function, in order of address. */
  #starts = new BigUint64Array(0);
  #ends = new BigUint64Array(0);
  #functions = new Uint32Array(0);

  constructor(list: Uint8Array) {
    this.#list = list;
  }

  /** Functions; 0 until it is finished. */
  get length(): number {
    return this.#functions.length;
  }

  /** Of all kinds. */
  get symbolCount(): number {
    return this.#symbolCount;
  }

  get heldBytes(): number {
    return this.#list.length + this.#rows.byteLength + 20 * this.#functions.length;
  }

  /** In any order. */
  add({ high, low, type, nameStart, nameEnd, isOfModule }: KernelSymbol): void {
    const at = WIDTH * this.#symbolCount++;
    if (at === this.#rows.length) {
      const rows = new Uint32Array(2 * at);
      rows.set(this.#rows);
      this.#rows = rows;
    }
    const rows = this.#rows;
    if (at > 0 && compare(high, low, rows[at + 1 - WIDTH]!, rows[at - WIDTH]!) < 0) this.#isSorted = false;
    rows[at] = low;
    rows[at + 1] = high;
    rows[at + 2] = type;
    rows[at + 3] = nameStart;
    rows[at + 4] = nameEnd;
    rows[at + 5] = isOfModule ? 1 : 0;
  }

  /** All symbols are there. */
  finish(): void {
    const rows = this.#rows;
    const order = this.#inOrder();
    const starts = new Uint32Array(2 * order.length);
    const ends = new Uint32Array(2 * order.length);
    const functions = new Uint32Array(order.length);
    let count = 0;
    for (let first = 0; first < order.length; ) {
      const row = order[first]!;
      let best = -1;
      let next = first;
      for (; next < order.length && this.#compare(order[next]!, row) === 0; next++) {
        const other = order[next]!;
        if (isCode(rows[WIDTH * other + 2]!) && (best < 0 || this.#isBetter(other, best))) best = other;
      }
      if (best >= 0) {
        const behind = next < order.length ? WIDTH * order[next]! : -1;
        starts[2 * count] = rows[WIDTH * row]!;
        starts[2 * count + 1] = rows[WIDTH * row + 1]!;
        ends[2 * count] = behind < 0 ? 0xffffffff : rows[behind]!;
        ends[2 * count + 1] = behind < 0 ? 0xffffffff : rows[behind + 1]!;
        functions[count++] = best;
      }
      first = next;
    }
    this.#starts = new BigUint64Array(starts.buffer, 0, count);
    this.#ends = new BigUint64Array(ends.buffer, 0, count);
    this.#functions = functions.subarray(0, count);
    const last = count - 1;
    if (this.#ends[last] === WITHOUT_END) this.#ends[last] = this.#starts[last]! + LAST_BYTES;
  }

  /** @returns undefined for an address of no function */
  find(address: bigint): NamedRange | undefined {
    return this.#function(rowAt(address, this.#starts, this.#ends));
  }

  /** The same, of the image that the kernel was started from alone: modules come and go while it runs. */
  findInImage(address: bigint): NamedRange | undefined {
    const index = rowAt(address, this.#starts, this.#ends);
    return index >= 0 && this.#rows[WIDTH * this.#functions[index]! + 5] !== 0 ? undefined : this.#function(index);
  }

  /** Address of the symbol that perf tells the place of the image by; undefined in a list that is none of a kernel. */
  firstOfImage(): bigint | undefined {
    for (const wanted of FIRST_SYMBOLS) {
      for (let row = 0; row < this.#symbolCount; row++) {
        const at = WIDTH * row;
        if (
          this.#rows[at + 4]! - this.#rows[at + 3]! !== wanted.length ||
          this.#list[this.#rows[at + 3]!] !== UNDERSCORE
        )
          continue;
        if (this.#name(row) === wanted) return this.#address(row);
      }
    }
    return undefined;
  }

  /** @param index of the function; negative for none */
  #function(index: number): NamedRange | undefined {
    if (index < 0) return undefined;
    return { start: this.#starts[index]!, end: this.#ends[index]!, name: this.#name(this.#functions[index]!) };
  }

  #inOrder(): Uint32Array {
    const order = new Uint32Array(this.#symbolCount);
    for (let row = 0; row < order.length; row++) order[row] = row;
    return this.#isSorted ? order : order.sort((a, b) => this.#compare(a, b) || a - b);
  }

  #compare(a: number, b: number): number {
    const rows = this.#rows;
    return compare(rows[WIDTH * a + 1]!, rows[WIDTH * a]!, rows[WIDTH * b + 1]!, rows[WIDTH * b]!);
  }

  #address(row: number): bigint {
    return (BigInt(this.#rows[WIDTH * row + 1]!) << 32n) | BigInt(this.#rows[WIDTH * row]!);
  }

  #name(row: number): string {
    return utf8.decode(this.#list.subarray(this.#rows[WIDTH * row + 3]!, this.#rows[WIDTH * row + 4]!));
  }

  /** Of aliases, the one that perf shows: strong, global, with fewer underscores in front, longer; else the first of the file. */
  #isBetter(row: number, other: number): boolean {
    return (
      (Number(this.#isWeak(row)) - Number(this.#isWeak(other)) ||
        Number(this.#isLocal(row)) - Number(this.#isLocal(other)) ||
        this.#underscores(row) - this.#underscores(other) ||
        this.#nameBytes(other) - this.#nameBytes(row)) < 0
    );
  }

  #isWeak(row: number): boolean {
    return (this.#rows[WIDTH * row + 2]! | LOWER_CASE) === WEAK;
  }

  #isLocal(row: number): boolean {
    return (this.#rows[WIDTH * row + 2]! & LOWER_CASE) !== 0;
  }

  #underscores(row: number): number {
    const [start, end] = [this.#rows[WIDTH * row + 3]!, this.#rows[WIDTH * row + 4]!];
    let at = start;
    while (at < end && this.#list[at] === UNDERSCORE) at++;
    return at - start;
  }

  #nameBytes(row: number): number {
    return this.#rows[WIDTH * row + 4]! - this.#rows[WIDTH * row + 3]!;
  }
}

function isCode(type: number): boolean {
  const letter = type | LOWER_CASE;
  return letter === TEXT || letter === WEAK;
}

function compare(high: number, low: number, otherHigh: number, otherLow: number): number {
  return high - otherHigh || low - otherLow;
}
