/**
 * Which calls were inlined at a place. Where the trees are, and which pcdata table has their rows, is fixed by the layout from 1.16
 * on, but for `gofunc` (see gofunc.ts); before, one layout goes with several numbers, so each is tried: the right one is where the
 * functions' trees read as inline trees.
 * Source: Go src/runtime/symtab.go _PCDATA_InlTreeIndex, _FUNCDATA_InlTree of 1.9, 1.12 and 1.13; internal/abi/symtab.go.
 */
import { FormatError } from '../errors.js';
import type { ObjectImage } from '../image.js';
import type { EarlyInlinedCall } from './early-inline-tree.js';
import type { FunctionRecord } from './function-record.js';
import type { Functions } from './functions.js';
import { findGofunc, type TrialTree } from './gofunc.js';
import { hasAbsoluteEntries } from './header.js';
import type { InlinedCall } from './inline-tree.js';
import { InlineTrees } from './inline-trees.js';
import { PlaceWord } from './kernel.js';
import { NONE } from './kernel-codes.js';
import type { LocatedTable } from './locate.js';
import type { Moduledata } from './moduledata.js';
import { type GoLayout, PcData } from './table.js';
import type { TablePartBytes } from './table-part.js';

/** Trees that are tried, and the share of them that must read well. */
const TRIAL_TREES = 64;
const TRIAL_SHARE = 0.75;

/** A pcdata table (rows) and the number of a funcdata word (the tree). */
type InlineNumbers = readonly [pcdata: number, funcdata: number];

const since116: InlineNumbers = [PcData.inlineTreeIndex, 3];
const NUMBERS: { readonly [layout in GoLayout]: readonly InlineNumbers[] } = {
  // From 1.9; before, nothing was inlined that the table would know of.
  '1.2': [[1, 2]],
  '1.12': [
    [1, 2],
    [2, 4],
  ],
  '1.16': [since116],
  '1.18': [since116],
  '1.20': [since116],
};

export class InlinedCalls {
  readonly #image: ObjectImage;
  readonly #layout: GoLayout;
  readonly #functions: Functions;
  readonly #names: TablePartBytes;
  readonly #trees: InlineTrees;
  readonly #moduledata: Moduledata | undefined;
  readonly #numbers: InlineNumbers | undefined;
  /** Object address of what is held of the table. */
  readonly #heldAddress: number;
  #treesAreUsed = false;
  /** Object address; null: looked for and not found. */
  #gofunc: number | null | undefined;

  /** @param names what names' offsets count from */
  constructor(
    image: ObjectImage,
    { header, objectAddress }: LocatedTable,
    functions: Functions,
    names: TablePartBytes,
    moduledata: Moduledata | undefined,
  ) {
    this.#image = image;
    this.#layout = header.layout;
    this.#functions = functions;
    this.#names = names;
    this.#heldAddress = objectAddress + header.heldFrom;
    this.#trees = new InlineTrees(image, this.#heldAddress, functions.held, header.layout, names);
    this.#moduledata = moduledata;
    this.#numbers = this.#findNumbers();
    if (this.#numbers !== undefined) functions.useInlineNumbers(...this.#numbers);
  }

  get heldBytes(): number {
    return this.#trees.heldBytes;
  }

  /** Whether there are trees at all. */
  get areKnown(): boolean {
    return this.#numbers !== undefined;
  }

  /**
   * The innermost call that was inlined at a place; undefined where none was.
   * @throws FormatError E_GO_INLINE_TREE, E_GO_GOFUNC
   */
  innermost(place: Int32Array): InlinedCall | undefined {
    const row = place[PlaceWord.treeRow]!;
    if (row === NONE) return undefined;
    const tree = this.#treeAddress(place[PlaceWord.treeLow]! >>> 0, place[PlaceWord.treeHigh]! >>> 0);
    return this.#trees.call(tree, row, place[PlaceWord.codeBytes]! >>> 0);
  }

  /** Has the rows of many places made with trees, if these are in the table. */
  useTrees(): void {
    if (this.#treesAreUsed) return;
    this.#treesAreUsed = true;
    const gofunc = this.#gofuncOrNull();
    if (gofunc !== null) this.#functions.useTrees(gofunc - this.#heldAddress);
  }

  /** All calls that were inlined at a place, innermost first; for the layout of 1.2. @throws FormatError E_GO_INLINE_TREE */
  earlyCalls(index: number, record: FunctionRecord, at: number): EarlyInlinedCall[] {
    const found = this.#rowAt(index, record, at);
    const calls: EarlyInlinedCall[] = [];
    for (let row = found?.row ?? -1; row >= 0; row = calls.at(-1)!.parentRow) {
      calls.push(this.#trees.earlyCall(found!.tree, row));
    }
    return calls;
  }

  /** Object address of a function's tree, and the row for a place. */
  #rowAt(index: number, record: FunctionRecord, at: number): { tree: number; row: number } | undefined {
    if (this.#numbers === undefined) return undefined;
    const [pcdata, funcdata] = this.#numbers;
    const tree = record.funcdata(funcdata);
    if (tree === undefined) return undefined;
    const row = this.#functions.valueAt(index, record.pcdata(pcdata), at);
    return row === undefined || row < 0 ? undefined : { tree: this.#funcdataAddress(tree), row };
  }

  #findNumbers(): InlineNumbers | undefined {
    const candidates = NUMBERS[this.#layout];
    if (this.#layout !== '1.2' && this.#layout !== '1.12') return candidates[0];
    return candidates.find((numbers) => {
      const trials = this.#trialTrees(numbers);
      const fits = trials.filter((trial) => this.#reads(trial)).length;
      return fits > 0 && fits >= TRIAL_SHARE * trials.length;
    });
  }

  /** Whether the first row of a tree that has an absolute address is one. */
  #reads({ word, codeBytes }: TrialTree): boolean {
    const tree = this.#funcdataAddress(word);
    try {
      if (this.#layout === '1.2') this.#trees.earlyCall(tree, 0);
      else this.#trees.call(tree, 0, codeBytes);
      return true;
    } catch (error) {
      if (error instanceof FormatError) return false;
      throw error;
    }
  }

  #funcdataAddress(word: bigint): number {
    return this.#treeAddress(Number(word & 0xffffffffn), Number(word >> 32n));
  }

  /** @param low, high the word of funcdata */
  #treeAddress(low: number, high: number): number {
    if (hasAbsoluteEntries(this.#layout)) {
      return Number(((BigInt(high) << 32n) | BigInt(low)) - this.#image.imageBase);
    }
    const gofunc = this.#gofuncOrNull();
    if (gofunc === null) {
      throw new FormatError('E_GO_GOFUNC', 'no word of moduledata fits the inline trees', { section: '.gopclntab' });
    }
    return gofunc + low;
  }

  #gofuncOrNull(): number | null {
    this.#gofunc ??= this.#findGofunc() ?? null;
    return this.#gofunc;
  }

  #findGofunc(): number | undefined {
    if (this.#moduledata === undefined) return undefined;
    return findGofunc(this.#image, this.#moduledata, this.#layout, this.#names, this.#trialTrees(since116));
  }

  /** The first functions' that have a tree and rows. */
  #trialTrees([pcdata, funcdata]: InlineNumbers): TrialTree[] {
    const trees: TrialTree[] = [];
    for (let index = 0; index < this.#functions.length && trees.length < TRIAL_TREES; index++) {
      const record = this.#soundRecord(index);
      const word = record?.funcdata(funcdata);
      if (word === undefined || record?.pcdata(pcdata) === 0) continue;
      trees.push({ word, codeBytes: this.#functions.codeBytes(index) });
    }
    return trees;
  }

  /** A spoilt function must not hide the others' trees. */
  #soundRecord(index: number): FunctionRecord | undefined {
    try {
      return this.#functions.record(index);
    } catch (error) {
      if (error instanceof FormatError) return undefined;
      throw error;
    }
  }
}
