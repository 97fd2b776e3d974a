/**
 * runtime.gofunc, which funcdata offsets count from (1.18 …). No symbol, section or fixed word of moduledata says where it is
 * in all versions: 1.18 word 38, 1.20 … 1.26 word 40, 1.27 word 43; up to 1.25 in .rodata, from 1.26 inside the function table;
 * 1.27's section .go.func is something else. So each word there is tried: the right one is where the functions' inline trees
 * read as inline trees.
 *
 * Source: Go src/runtime/symtab.go moduledata.gofunc, funcdata.
 */
import type { ObjectImage } from '../image.js';
import { inlinedCallBytes, isPlausible, readInlinedCall } from './inline-tree.js';
import type { Moduledata } from './moduledata.js';
import type { GoLayout } from './table.js';
import type { TablePartBytes } from './table-part.js';

const FIRST_WORD = 36;
const END_WORD = 47;

/** A function's inline tree, to try whether trees are where they are taken to be. */
export interface TrialTree {
  /** Bytes from gofunc; before 1.18 an absolute address. */
  readonly word: bigint;
  /** Bytes of the function's code. */
  readonly codeBytes: number;
}

/**
 * The word that most of the trees read well from: a spoilt one of a single function must not hide the others.
 * @param names the table's function names
 * @returns object address; undefined when there is none that three quarters of the trees fit
 */
export function findGofunc(
  image: ObjectImage,
  moduledata: Moduledata,
  layout: GoLayout,
  names: TablePartBytes,
  trees: readonly TrialTree[],
): number | undefined {
  let best: number | undefined;
  let bestFits = Math.ceil(trees.length * 0.75) - 1;
  for (let word = FIRST_WORD; word < END_WORD; word++) {
    const base = moduledata.words[word]! - image.imageBase;
    if (base <= 0n || base > BigInt(Number.MAX_SAFE_INTEGER)) continue;
    const calls = trees
      .map(({ word: offset, codeBytes }) => {
        const row = image.bytesAt(Number(base + offset), inlinedCallBytes(layout));
        const call = readInlinedCall(new DataView(row.buffer, row.byteOffset, row.byteLength), 0, layout);
        return call !== undefined && isPlausible(call, names, codeBytes, layout) ? call : undefined;
      })
      .filter((call) => call !== undefined);
    // Zeros would read as calls of the first name, each and every one.
    if (calls.length <= bestFits || calls.every(({ nameOffset }) => nameOffset === 0)) continue;
    best = Number(base);
    bestFits = calls.length;
  }
  return best;
}
