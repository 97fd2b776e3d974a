/** One row for each distinct string of bytes: an open-addressing table over a growing StringTable. */
import { byteColumn, rowColumn } from '../columns.js';
import type { StringTable } from '../profile.js';

const encoder = new TextEncoder();

export class StringInterner {
  readonly #base: StringTable;
  /** The rows behind the base's. */
  readonly #bytes = byteColumn();
  readonly #starts = rowColumn();
  /** Row + 1 by hash; 0 is free. The size is a power of two, at least twice the number of rows. Empty until first asked. */
  #slots = new Uint32Array(0);
  /** Rows of texts that were asked for: the same few JS strings come again and again. */
  readonly #rowOfText = new Map<string, number>([['', 0]]);

  /** @param base strings that have rows already; they keep them. Of equal strings in it the first is found. */
  constructor(base: StringTable = { length: 1, bytes: new Uint8Array(0), starts: new Uint32Array(2) }) {
    this.#base = base;
    this.#starts.push(0);
  }

  get length(): number {
    return this.#base.length + this.#starts.length - 1;
  }

  /** Row of a text; a lone surrogate becomes U+FFFD. */
  row(text: string): number {
    let row = this.#rowOfText.get(text);
    if (row === undefined) {
      row = this.rowOfBytes(encoder.encode(text));
      this.#rowOfText.set(text, row);
    }
    return row;
  }

  /** Row of a string of any bytes, valid UTF-8 or not. */
  rowOfBytes(text: Uint8Array): number {
    if (text.length === 0) return 0;
    if ((this.length + 1) * 2 > this.#slots.length) this.#rehash();
    const mask = this.#slots.length - 1;
    let slot = hash(text) & mask;
    for (; this.#slots[slot] !== 0; slot = (slot + 1) & mask) {
      const row = this.#slots[slot]! - 1;
      if (equal(this.#bytesAt(row), text)) return row;
    }
    const row = this.length;
    this.#bytes.append(text, 0, text.length);
    this.#starts.push(this.#bytes.length);
    this.#slots[slot] = row + 1;
    return row;
  }

  /** The first row with the same bytes: tables may hold a string twice. */
  firstRow(row: number): number {
    return this.rowOfBytes(this.#bytesAt(row));
  }

  /** The base itself when no string was added. */
  finish(): StringTable {
    const base = this.#base;
    if (this.length === base.length) return base;
    const baseBytes = base.starts[base.length]!;
    const bytes = new Uint8Array(baseBytes + this.#bytes.length);
    bytes.set(base.bytes.subarray(0, baseBytes));
    bytes.set(this.#bytes.view(), baseBytes);
    const starts = new Uint32Array(this.length + 1);
    starts.set(base.starts.subarray(0, base.length + 1));
    for (let added = 1; added < this.#starts.length; added++) {
      starts[base.length + added] = baseBytes + this.#starts.at(added);
    }
    return { length: this.length, bytes, starts };
  }

  #bytesAt(row: number): Uint8Array {
    const base = this.#base;
    if (row < base.length) return base.bytes.subarray(base.starts[row]!, base.starts[row + 1]!);
    const added = row - base.length;
    return this.#bytes.view().subarray(this.#starts.at(added), this.#starts.at(added + 1));
  }

  #rehash(): void {
    let size = 64;
    while (size < this.length * 4) size *= 2;
    this.#slots = new Uint32Array(size);
    const mask = size - 1;
    // Row 0 is "", which never gets here. Later rows that repeat an earlier one sit behind it in the probe order: never found.
    for (let row = 1; row < this.length; row++) {
      let slot = hash(this.#bytesAt(row)) & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = row + 1;
    }
  }
}

/** FNV-1a, with a last mix because only the low bits are used. */
function hash(bytes: Uint8Array): number {
  let state = 0x811c9dc5;
  for (let at = 0; at < bytes.length; at++) state = Math.imul(state ^ bytes[at]!, 0x01000193);
  return (state ^ (state >>> 15)) >>> 0;
}

function equal(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
}
