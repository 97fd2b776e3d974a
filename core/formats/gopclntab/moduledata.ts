/**
 * runtime.firstmoduledata: found by what it points to, since neither its symbol nor its section is in every file.
 *
 * Words (of pointers' size) 0 pcHeader, 20 minpc, 21 maxpc, 22 text, 23 etext are the same in 1.16 … 1.27; the place of gofunc moves
 * (38 in 1.18, 40 in 1.20, 43 in 1.27; see gofunc.ts). The runtime itself checks minpc and maxpc against the index of functions
 * (moduledataverify1), and so does this.
 *
 * Source: Go src/runtime/symtab.go moduledata.
 */
import type { ImageRange, ObjectImage } from '../image.js';
import { Budget, type Limits } from '../limits.js';
import type { FunctionIndex } from './function-index.js';
import type { PclntabHeader } from './header.js';
import { scanRange } from './scan.js';

const WORD = { pcHeader: 0, minpc: 20, maxpc: 21, text: 22 } as const;
/** Words that are looked at; the structure is longer. */
const WORDS = 48;

/** Sections that have held it; searched before the whole segments. From 1.26 the first, in a PIE with the prefix. */
const LIKELY_SECTIONS = ['.go.module', '.data.rel.ro.go.module', '.noptrdata', '.data.rel.ro', '.data'];

export interface Moduledata {
  /** Object address of runtime.text. */
  readonly text: number;
  /** The first words, absolute addresses among them. */
  readonly words: BigUint64Array;
}

/**
 * @param tableAddress object address of the function table
 * @returns undefined when no word of the file points to the table with a moduledata's words behind it
 */
export function findModuledata(
  image: ObjectImage,
  tableAddress: number,
  index: FunctionIndex,
  { pointerBytes }: Pick<PclntabHeader, 'pointerBytes'>,
  limits: Limits,
): Moduledata | undefined {
  const search = new Budget(limits);
  const wanted = image.imageBase + BigInt(tableAddress);
  const low = Number(wanted & 0xffffffffn);
  const high = Number(wanted >> 32n);
  const read = (objectAddress: number, length: number) => image.loadedBytesAt(objectAddress, length);
  const find = (view: DataView, from: number, last: number) => {
    for (let offset = from; offset <= last; offset += 8) {
      if (view.getUint32(offset, true) !== low) continue;
      if (pointerBytes === 4 || view.getUint32(offset + 4, true) === high) return offset;
    }
    return -1;
  };
  for (const range of likelyRanges(image)) {
    for (const objectAddress of scanRange(range, read, WORDS * pointerBytes, search, find)) {
      const words = readWords(read(objectAddress, WORDS * pointerBytes), pointerBytes);
      const text = words[WORD.text]!;
      if (!agrees(words, index)) continue;
      return { text: Number(text - image.imageBase), words };
    }
  }
  return undefined;
}

function readWords(bytes: Uint8Array, pointerBytes: 4 | 8): BigUint64Array {
  const { buffer } = bytes.slice();
  return pointerBytes === 8 ? new BigUint64Array(buffer) : BigUint64Array.from(new Uint32Array(buffer), BigInt);
}

function agrees(words: BigUint64Array, index: FunctionIndex): boolean {
  const base = index.firstAddress ?? words[WORD.text]!;
  return (
    words[WORD.minpc] === base + BigInt(index.entries[0]!) &&
    words[WORD.maxpc] === base + BigInt(index.entries[index.length]!)
  );
}

function likelyRanges(image: ObjectImage): ImageRange[] {
  const sections = LIKELY_SECTIONS.flatMap((name) => image.sections.filter((section) => section.name === name));
  return [...sections, ...image.segments.filter((segment) => !segment.executable)];
}
