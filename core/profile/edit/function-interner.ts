/** One row for each distinct function, where two are the same by name, system name, file and start line. */
import { rowColumn, signedColumn } from '../columns.js';
import { extendIds } from '../ids.js';
import { int64 } from '../int64.js';
import type { FunctionTable } from '../profile.js';
import type { StringInterner } from './string-interner.js';

export interface FunctionSpec {
  readonly name: string;
  /** As the linker knows it; default: the name. */
  readonly systemName?: string;
  /** Default: "" (not known). */
  readonly filename?: string;
  /** Line of the declaration; default: 0 (not known). */
  readonly startLine?: number | bigint;
}

/** A function whose strings are rows, the first of equal ones. */
interface FunctionKey {
  readonly name: number;
  readonly systemName: number;
  readonly filename: number;
  readonly startLine: bigint;
}

export class FunctionInterner {
  readonly #strings: StringInterner;
  readonly #base: FunctionTable;
  /** The rows behind the base's. */
  readonly #name = rowColumn();
  readonly #systemName = rowColumn();
  readonly #filename = rowColumn();
  readonly #startLine = signedColumn();
  /** Row + 1 by hash; 0 is free. The size is a power of two, at least twice the number of rows. Empty until first asked. */
  #slots = new Uint32Array(0);
  /** First row with the same bytes, by string row: tables may hold a string twice. */
  readonly #firstString = new Map<number, number>();

  /** @param base functions that have rows already, in strings of `strings`; they keep them */
  constructor(strings: StringInterner, base: FunctionTable) {
    this.#strings = strings;
    this.#base = base;
  }

  get length(): number {
    return this.#base.length + this.#name.length;
  }

  /** Of equal ones the first. */
  row(spec: FunctionSpec): number {
    const key = this.#keyOf(spec);
    this.#reserve();
    const slot = this.#find(key);
    if (this.#slots[slot] === 0) this.#slots[slot] = this.#push(key) + 1;
    return this.#slots[slot]! - 1;
  }

  /** A new row, also when there is an equal one. */
  add(spec: FunctionSpec): number {
    const row = this.#push(this.#keyOf(spec));
    if (this.#slots.length > 0) {
      this.#reserve();
      this.#index(row);
    }
    return row;
  }

  /** The base itself when no function was added. */
  finish(): FunctionTable {
    const base = this.#base;
    if (this.length === base.length) return base;
    return {
      length: this.length,
      id: extendIds(base.id, this.length),
      name: this.#name.finish(base.name),
      systemName: this.#systemName.finish(base.systemName),
      filename: this.#filename.finish(base.filename),
      startLine: this.#startLine.finish(base.startLine),
    };
  }

  #keyOf(spec: FunctionSpec): FunctionKey {
    const name = this.#strings.row(spec.name);
    return {
      name,
      systemName: spec.systemName === undefined ? name : this.#strings.row(spec.systemName),
      filename: this.#strings.row(spec.filename ?? ''),
      startLine: int64(spec.startLine ?? 0),
    };
  }

  #push(key: FunctionKey): number {
    this.#name.push(key.name);
    this.#systemName.push(key.systemName);
    this.#filename.push(key.filename);
    return this.#startLine.push(key.startLine) + this.#base.length;
  }

  /** Room for one more row in the hash table. */
  #reserve(): void {
    if ((this.length + 1) * 2 <= this.#slots.length) return;
    let size = 64;
    while (size < this.length * 4) size *= 2;
    this.#slots = new Uint32Array(size);
    for (let row = 0; row < this.length; row++) this.#index(row);
  }

  #index(row: number): void {
    const slot = this.#find(this.#keyAt(row));
    if (this.#slots[slot] === 0) this.#slots[slot] = row + 1;
  }

  /** The slot that holds the row with this key, or the free one where it would be put. */
  #find(key: FunctionKey): number {
    const mask = this.#slots.length - 1;
    let slot = hash(key) & mask;
    while (this.#slots[slot] !== 0 && !equal(this.#keyAt(this.#slots[slot]! - 1), key)) slot = (slot + 1) & mask;
    return slot;
  }

  #keyAt(row: number): FunctionKey {
    const base = this.#base;
    if (row >= base.length) {
      const added = row - base.length;
      return {
        name: this.#name.at(added),
        systemName: this.#systemName.at(added),
        filename: this.#filename.at(added),
        startLine: this.#startLine.at(added),
      };
    }
    return {
      name: this.#firstOf(base.name[row]!),
      systemName: this.#firstOf(base.systemName[row]!),
      filename: this.#firstOf(base.filename[row]!),
      startLine: base.startLine[row]!,
    };
  }

  #firstOf(stringRow: number): number {
    let first = this.#firstString.get(stringRow);
    if (first === undefined) {
      first = this.#strings.firstRow(stringRow);
      this.#firstString.set(stringRow, first);
    }
    return first;
  }
}

function hash({ name, systemName, filename, startLine }: FunctionKey): number {
  let state = Math.imul(name, 0x9e3779b1) ^ Math.imul(systemName, 0x85ebca6b);
  state ^= Math.imul(filename, 0xc2b2ae35) ^ Math.imul(Number(BigInt.asUintN(32, startLine)), 0x27d4eb2f);
  return (state ^ (state >>> 15)) >>> 0;
}

function equal(a: FunctionKey, b: FunctionKey): boolean {
  return a.name === b.name && a.systemName === b.systemName && a.filename === b.filename && a.startLine === b.startLine;
}
