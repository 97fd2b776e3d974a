/** Ranges of object addresses, each of an owner; they may nest and overlap. */
import type { ImageBase } from './cursor.js';
import { currentKernel, type DwarfKernel } from './kernel.js';

/** Addresses that linkers write for code that they discarded. */
export class DeadAddresses {
  /** Absolute 0, as an object address. */
  readonly zero: number;
  /** The two highest absolute addresses, and what wraps beyond. */
  readonly top: number;

  constructor(base: ImageBase, addressBytes: number) {
    this.zero = -base.high * 2 ** 32 - base.low;
    const highest = addressBytes === 8 ? 0xffffffff : 0;
    this.top = (highest - base.high) * 2 ** 32 + (0xfffffffe - base.low);
  }

  isZero(objectAddress: number): boolean {
    return objectAddress === this.zero;
  }

  has(objectAddress: number): boolean {
    return !(objectAddress > this.zero && objectAddress < this.top);
  }
}

export class AddressRanges {
  #low: Float64Array = new Float64Array(16);
  #high: Float64Array = new Float64Array(16);
  #owner: Uint32Array = new Uint32Array(16);
  /** Of row 0 to this row, the highest `high`; only where ranges overlap. */
  #highest: Float64Array | undefined;
  #length = 0;

  /** Those that have been gathered in a kernel, and sorted. */
  static keptBy(kernel: DwarfKernel): AddressRanges {
    const ranges = new AddressRanges();
    ranges.#take(kernel);
    return ranges;
  }

  get length(): number {
    return this.#length;
  }

  get heldBytes(): number {
    return this.#low.length * 20 + (this.#highest?.length ?? 0) * 8;
  }

  /** Empty and inverted ranges are left out. */
  add(low: number, high: number, owner: number): void {
    if (!(low < high)) return;
    const row = this.#length++;
    if (row === this.#low.length) this.#grow();
    this.#low[row] = low;
    this.#high[row] = high;
    this.#owner[row] = owner;
  }

  /**
   * To be called when all are added. Of those with one beginning the shortest comes last and is found first, of equal ones the first
   * that was added: code that the linker kept one copy of is claimed by each unit that has it, and others take the first too.
   */
  sort(): void {
    const length = this.#length;
    const low = this.#low.subarray(0, length);
    const high = this.#high.subarray(0, length);
    const owner = this.#owner.subarray(0, length);
    let sorted = true;
    for (let row = 1; row < length && sorted; row++) {
      sorted = low[row - 1]! < low[row]! || (low[row - 1] === low[row] && high[row - 1]! > high[row]!);
    }
    if (sorted) {
      this.#keep(low.slice(), high.slice(), owner.slice());
      return;
    }
    const kernel = currentKernel();
    kernel.exports.placeRanges(length);
    const columns = columnsOf(kernel);
    columns.low.set(low);
    columns.high.set(high);
    columns.owner.set(owner);
    kernel.exports.sortRanges();
    this.#take(kernel);
  }

  /**
   * The row of the innermost range that holds an address: the one that begins last.
   * @param below a row that was found before, for the next one outwards
   * @returns −1 when there is none
   */
  find(objectAddress: number, below = this.#length): number {
    const low = this.#low;
    let from = -1;
    let to = below;
    while (to - from > 1) {
      const middle = (from + to) >>> 1;
      if (low[middle]! <= objectAddress) from = middle;
      else to = middle;
    }
    const highest = this.#highest ?? this.#high;
    for (let row = from; row >= 0 && highest[row]! > objectAddress; row--) {
      if (this.#high[row]! > objectAddress) return row;
    }
    return -1;
  }

  *ranges(): Generator<readonly [low: number, high: number]> {
    for (let row = 0; row < this.#length; row++) yield [this.#low[row]!, this.#high[row]!];
  }

  owner(row: number): number {
    return this.#owner[row]!;
  }

  #take(kernel: DwarfKernel): void {
    const { low, high, owner } = columnsOf(kernel);
    this.#length = low.length;
    this.#keep(low.slice(), high.slice(), owner.slice());
  }

  #keep(low: Float64Array, high: Float64Array, owner: Uint32Array): void {
    this.#low = low;
    this.#high = high;
    this.#owner = owner;
    this.#highest = overlaps(low, high) ? runningMaximum(high) : undefined;
  }

  #grow(): void {
    const size = Math.max(16, this.#low.length * 2);
    const [low, high, owner] = [new Float64Array(size), new Float64Array(size), new Uint32Array(size)];
    low.set(this.#low);
    high.set(this.#high);
    owner.set(this.#owner);
    [this.#low, this.#high, this.#owner] = [low, high, owner];
  }
}

/** Where they are in a kernel's memory: good until the next call into it. */
function columnsOf({ exports }: DwarfKernel): { low: Float64Array; high: Float64Array; owner: Uint32Array } {
  const { buffer } = exports.memory;
  const count = exports.rangeCount.value;
  return {
    low: new Float64Array(buffer, exports.rangeLows() >>> 0, count),
    high: new Float64Array(buffer, exports.rangeHighs() >>> 0, count),
    owner: new Uint32Array(buffer, exports.rangeOwners() >>> 0, count),
  };
}

function overlaps(low: Float64Array, high: Float64Array): boolean {
  for (let row = 1; row < low.length; row++) if (low[row]! < high[row - 1]!) return true;
  return false;
}

function runningMaximum(high: Float64Array): Float64Array {
  const highest = high.slice();
  for (let row = 1; row < highest.length; row++) highest[row] = Math.max(highest[row]!, highest[row - 1]!);
  return highest;
}
