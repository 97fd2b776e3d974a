/**
 * Distinct locations: mapping, address relative to the mapping's start, is_folded and lines make them what they are.
 */
import { newStarts, Words } from './growing.js';
import { finishHash, HashIndex, K1, K2, K3, K4, K5, K6 } from './hash-index.js';

export interface LocationColumns {
  readonly length: number;
  /** Mapping row, −1 without. */
  readonly mapping: Int32Array;
  /** Two words each, as is all that follows but `isFolded`, `lineStart` and `lineFunction`. */
  readonly address: Int32Array;
  /** By mapping: what to take from `address`. Absent where addresses are relative already. */
  readonly memoryStart?: Int32Array | undefined;
  readonly isFolded: Uint8Array | Int32Array;
  /** `length + 1` offsets into the columns of lines. */
  readonly lineStart: Int32Array;
  readonly lineFunction: Int32Array;
  readonly line: Int32Array;
  readonly column?: Int32Array | undefined;
}

export class LocationPool {
  readonly mapping: Words;
  /** Relative. */
  readonly address: Words;
  readonly isFolded: Words;
  readonly lineStart: Words;
  readonly lineFunction: Words;
  readonly line: Words;
  readonly column: Words;
  readonly index: HashIndex;

  constructor([mapping, address, isFolded, lineStart, lineFunction, line, column, hashes]: readonly Words[] = []) {
    this.mapping = mapping ?? new Words();
    this.address = address ?? new Words();
    this.isFolded = isFolded ?? new Words();
    this.lineStart = lineStart ?? newStarts();
    this.lineFunction = lineFunction ?? new Words();
    this.line = line ?? new Words();
    this.column = column ?? new Words();
    this.index = new HashIndex(hashes);
  }

  /** For the constructor. */
  get parts(): readonly Words[] {
    const { mapping, address, isFolded, lineStart, lineFunction, line, column, index } = this;
    return [mapping, address, isFolded, lineStart, lineFunction, line, column, index.hashes];
  }

  get length(): number {
    return this.index.length;
  }

  columns(): LocationColumns {
    const { length, mapping, address, isFolded, lineStart, lineFunction, line, column } = this;
    return {
      length,
      mapping: mapping.data,
      address: address.data,
      isFolded: isFolded.data,
      lineStart: lineStart.data,
      lineFunction: lineFunction.data,
      line: line.data,
      column: column.data,
    };
  }

  /**
   * @param used 1 for each location that is wanted; all are when it is absent
   * @param mappings the pool's rows of their mappings
   * @param functions and of their functions
   * @returns row of each location that is wanted
   */
  add(
    locations: LocationColumns,
    used: Uint8Array | undefined,
    mappings: Int32Array,
    functions: Int32Array,
  ): Int32Array {
    const { index } = this;
    const { length, address, memoryStart, isFolded, lineStart } = locations;
    if (index.length === 0) this.#reserve(length, lineStart[length]!);
    else index.reserve(0);
    const rows = new Int32Array(length);
    let next = 0;
    for (let i = 0; i < length; i++) {
      if (used !== undefined && used[i] === 0) continue;
      const from = locations.mapping[i]!;
      const mapping = from < 0 ? -1 : mappings[from]!;
      let low = address[2 * i]!;
      let high = address[2 * i + 1]!;
      if (memoryStart !== undefined && from >= 0) {
        const startLow = memoryStart[2 * from]!;
        high = (high - memoryStart[2 * from + 1]! - (low >>> 0 < startLow >>> 0 ? 1 : 0)) | 0;
        low = (low - startLow) | 0;
      }
      const folded = isFolded[i]!;
      // Profiles of one program have much in the same order.
      if (
        next === index.length ||
        !this.#isAt(next, mapping, low, high, folded) ||
        !this.#hasLines(next, locations, i, functions)
      ) {
        const ofAddress = Math.imul(mapping, K1) + Math.imul(low, K2) + Math.imul(high, K3);
        const hash = hashLines((ofAddress + Math.imul(folded, K4)) | 0, locations, i, functions);
        const { slots, mask } = index;
        let slot = hash & mask;
        for (next = -1; slots[2 * slot] !== 0; slot = (slot + 1) & mask) {
          if (slots[2 * slot + 1] !== hash) continue;
          const row = slots[2 * slot]! - 1;
          if (!this.#isAt(row, mapping, low, high, folded) || !this.#hasLines(row, locations, i, functions)) continue;
          next = row;
          break;
        }
        if (next < 0) {
          next = index.insert(slot, hash);
          this.mapping.push(mapping);
          this.address.push(low);
          this.address.push(high);
          this.isFolded.push(folded);
          this.#appendLines(locations, i, functions);
        }
      }
      rows[i] = next++;
    }
    return rows;
  }

  #isAt(row: number, mapping: number, low: number, high: number, folded: number): boolean {
    const address = this.address.data;
    if (address[2 * row] !== low || address[2 * row + 1] !== high) return false;
    return this.mapping.data[row] === mapping && this.isFolded.data[row] === folded;
  }

  #hasLines(
    row: number,
    { lineStart, lineFunction, line, column }: LocationColumns,
    location: number,
    functions: Int32Array,
  ): boolean {
    let at = this.lineStart.data[row]!;
    const end = lineStart[location + 1]!;
    let from = lineStart[location]!;
    if (this.lineStart.data[row + 1]! - at !== end - from) return false;
    for (; from < end; from++, at++) {
      if (this.lineFunction.data[at] !== functions[lineFunction[from]!]) return false;
      const lines = this.line.data;
      if (lines[2 * at] !== line[2 * from] || lines[2 * at + 1] !== line[2 * from + 1]) return false;
      const columns = this.column.data;
      if (columns[2 * at] !== (column === undefined ? 0 : column[2 * from])) return false;
      if (columns[2 * at + 1] !== (column === undefined ? 0 : column[2 * from + 1])) return false;
    }
    return true;
  }

  #appendLines(
    { lineStart, lineFunction, line, column }: LocationColumns,
    location: number,
    functions: Int32Array,
  ): void {
    const end = lineStart[location + 1]!;
    for (let from = lineStart[location]!; from < end; from++) {
      this.lineFunction.push(functions[lineFunction[from]!]!);
      this.line.push(line[2 * from]!);
      this.line.push(line[2 * from + 1]!);
      this.column.push(column === undefined ? 0 : column[2 * from]!);
      this.column.push(column === undefined ? 0 : column[2 * from + 1]!);
    }
    this.lineStart.push(this.lineFunction.length);
  }

  #reserve(count: number, lineCount: number): void {
    this.index.reserve(count);
    for (const words of [this.mapping, this.isFolded, this.lineStart]) words.reserve(count);
    this.address.reserve(2 * count);
    this.lineFunction.reserve(lineCount);
    for (const words of [this.line, this.column]) words.reserve(2 * lineCount);
  }
}

/** Hash of a location, whose words before its lines add up to `sum`. */
function hashLines(
  sum: number,
  { lineStart, lineFunction, line, column }: LocationColumns,
  location: number,
  functions: Int32Array,
): number {
  let all = sum;
  const end = lineStart[location + 1]!;
  for (let from = lineStart[location]!; from < end; from++) {
    const ofLine = Math.imul(functions[lineFunction[from]!]!, K2) + Math.imul(line[2 * from]!, K3);
    all = (Math.imul(all, K1) + ofLine + Math.imul(line[2 * from + 1]!, K4)) | 0;
    if (column !== undefined) all = (all + Math.imul(column[2 * from]!, K5) + Math.imul(column[2 * from + 1]!, K6)) | 0;
  }
  return finishHash(all);
}
