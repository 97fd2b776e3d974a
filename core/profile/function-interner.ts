/** One row for each distinct function, where two are the same by name, system name, file and start line. */
import { rowColumn, signedColumn } from './columns.js';
import { extendIds } from './ids.js';
import { int64 } from './int64.js';
import type { FunctionTable } from './profile.js';
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

export class FunctionInterner {
  readonly #strings: StringInterner;
  readonly #base: FunctionTable;
  readonly #name = rowColumn();
  readonly #systemName = rowColumn();
  readonly #filename = rowColumn();
  readonly #startLine = signedColumn();
  /** Row by its four fields; the base's rows are put in when the first function is asked for. */
  #rowOfKey: Map<string, number> | undefined;

  /** @param base functions that have rows already, in strings of `strings`; they keep them. Of equal ones the first is found. */
  constructor(strings: StringInterner, base: FunctionTable) {
    this.#strings = strings;
    this.#base = base;
  }

  get length(): number {
    return this.#base.length + this.#name.length;
  }

  row(spec: FunctionSpec): number {
    const { name, systemName, filename, startLine } = this.#fields(spec);
    this.#rowOfKey ??= this.#baseRows();
    const key = keyOf(name, systemName, filename, startLine);
    let row = this.#rowOfKey.get(key);
    if (row === undefined) {
      row = this.add(spec);
      this.#rowOfKey.set(key, row);
    }
    return row;
  }

  /** A new row, also when there is an equal one; `row` does not find it. */
  add(spec: FunctionSpec): number {
    const { name, systemName, filename, startLine } = this.#fields(spec);
    this.#name.push(name);
    this.#systemName.push(systemName);
    this.#filename.push(filename);
    this.#startLine.push(startLine);
    return this.length - 1;
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

  #fields(spec: FunctionSpec) {
    const name = this.#strings.row(spec.name);
    return {
      name,
      systemName: spec.systemName === undefined ? name : this.#strings.row(spec.systemName),
      filename: this.#strings.row(spec.filename ?? ''),
      startLine: int64(spec.startLine ?? 0),
    };
  }

  #baseRows(): Map<string, number> {
    const { length, name, systemName, filename, startLine } = this.#base;
    const first = (row: number) => this.#strings.firstRow(row);
    const rows = new Map<string, number>();
    for (let row = 0; row < length; row++) {
      const key = keyOf(first(name[row]!), first(systemName[row]!), first(filename[row]!), startLine[row]!);
      if (!rows.has(key)) rows.set(key, row);
    }
    return rows;
  }
}

function keyOf(name: number, systemName: number, filename: number, startLine: bigint): string {
  return `${name},${systemName},${filename},${startLine}`;
}
