/** Distinct functions: all that profile.proto has of them makes them what they are. */
import { Words } from './growing.js';
import { finishHash, HashIndex, K1, K2, K3, K4, K5 } from './hash-index.js';

export interface FunctionColumns {
  readonly length: number;
  /** String rows. */
  readonly name: Int32Array;
  readonly systemName: Int32Array;
  readonly filename: Int32Array;
  /** Two words each. */
  readonly startLine: Int32Array;
}

export class FunctionPool {
  readonly name: Words;
  readonly systemName: Words;
  readonly filename: Words;
  readonly startLine: Words;
  readonly index: HashIndex;

  constructor([name, systemName, filename, startLine, hashes]: readonly Words[] = []) {
    this.name = name ?? new Words();
    this.systemName = systemName ?? new Words();
    this.filename = filename ?? new Words();
    this.startLine = startLine ?? new Words();
    this.index = new HashIndex(hashes);
  }

  /** For the constructor. */
  get parts(): readonly Words[] {
    return [this.name, this.systemName, this.filename, this.startLine, this.index.hashes];
  }

  get length(): number {
    return this.index.length;
  }

  columns(): FunctionColumns {
    const { length, name, systemName, filename, startLine } = this;
    return {
      length,
      name: name.data,
      systemName: systemName.data,
      filename: filename.data,
      startLine: startLine.data,
    };
  }

  /** @param strings the pool's rows of their strings @returns row of each function */
  add(functions: FunctionColumns, strings: Int32Array): Int32Array {
    const { index } = this;
    const { length, startLine } = functions;
    if (index.length === 0) this.#reserve(length);
    else index.reserve(0);
    const rows = new Int32Array(length);
    let next = 0;
    for (let i = 0; i < length; i++) {
      const name = strings[functions.name[i]!]!;
      const systemName = strings[functions.systemName[i]!]!;
      const filename = strings[functions.filename[i]!]!;
      const low = startLine[2 * i]!;
      const high = startLine[2 * i + 1]!;
      // Profiles of one program have much in the same order.
      if (next === index.length || !this.#isAt(next, name, systemName, filename, low, high)) {
        const ofStrings = Math.imul(name, K1) + Math.imul(systemName, K2) + Math.imul(filename, K3);
        const hash = finishHash((ofStrings + Math.imul(low, K4) + Math.imul(high, K5)) | 0);
        const slot = this.#find(hash, name, systemName, filename, low, high);
        next = index.slots[2 * slot]! - 1;
        if (next < 0) {
          next = index.insert(slot, hash);
          this.name.push(name);
          this.systemName.push(systemName);
          this.filename.push(filename);
          this.startLine.push(low);
          this.startLine.push(high);
        }
      }
      rows[i] = next++;
    }
    return rows;
  }

  #find(hash: number, name: number, systemName: number, filename: number, low: number, high: number): number {
    const { slots, mask } = this.index;
    let slot = hash & mask;
    for (; slots[2 * slot] !== 0; slot = (slot + 1) & mask) {
      if (slots[2 * slot + 1] !== hash) continue;
      if (this.#isAt(slots[2 * slot]! - 1, name, systemName, filename, low, high)) return slot;
    }
    return slot;
  }

  #isAt(row: number, name: number, systemName: number, filename: number, low: number, high: number): boolean {
    if (this.name.data[row] !== name || this.systemName.data[row] !== systemName) return false;
    if (this.filename.data[row] !== filename) return false;
    return this.startLine.data[2 * row] === low && this.startLine.data[2 * row + 1] === high;
  }

  #reserve(count: number): void {
    this.index.reserve(count);
    for (const words of [this.name, this.systemName, this.filename]) words.reserve(count);
    this.startLine.reserve(2 * count);
  }
}
