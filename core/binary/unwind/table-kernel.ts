/** kernels/cfi and its memory: the rows of all functions of a section at once, for those who list a table. */
import type { CommonEntry } from '../../formats/cfi/entry.js';
import type { FdeIndex } from '../../formats/cfi/fde-index.js';
import type { CfiSection } from '../../formats/cfi/section.js';
import { defineKernel, type KernelExports } from '../../formats/kernel.js';
import { COMMON_WORDS } from './kernel-codes.js';
import type { RegisterFile } from './registers.js';
import { cfiKernel } from './table-kernel.gen.js';

/** In the kernel's memory. */
type Address = number;

interface Global {
  readonly value: number;
}

/** What kernels/cfi/index.ts exports. */
interface TableExports extends KernelExports {
  readonly setMachine: (registers: number, returnAddress: number, stackPointer: number, volatileBits: number) => void;
  readonly placeSection: (bytes: number, isEhFrame: number) => Address;
  readonly placeCommons: (count: number) => Address;
  readonly placeFunctions: (count: number) => void;
  readonly makeRows: (functions: number, mostRows: number) => void;
  readonly offsets: Global;
  readonly starts: Global;
  readonly ends: Global;
  readonly firstRows: Global;
  readonly endRows: Global;
  readonly pcs: Global;
  readonly rulesOfRows: Global;
  readonly rowCount: Global;
  readonly words: Global;
  readonly wordCount: Global;
  readonly ruleStarts: Global;
  readonly ruleCount: Global;
}

const instantiate = defineKernel<TableExports>('cfi', cfiKernel);

/** Columns, as UnwindTable and RuleSet have them. */
export interface MadeRows {
  readonly pcs: Uint32Array;
  readonly rules: Uint32Array;
  /** By function: its first row, NOT_MADE where it is spoilt or unusual; and the row behind its last. */
  readonly firstRows: Uint32Array;
  readonly endRows: Uint32Array;
  readonly ruleWords: Int32Array<ArrayBuffer>;
  readonly ruleStarts: Uint32Array;
}

/** @param commons of the functions, in order of offset @param mostRows functions beyond are not made */
export function makeRows(
  section: CfiSection,
  { length, offsets, starts, ends }: FdeIndex,
  commons: readonly CommonEntry[],
  { names, returnAddress, stackPointer, volatile }: RegisterFile,
  mostRows: number,
): MadeRows {
  const kernel = instantiate();
  const volatileBits = volatile.reduce((bits, register) => bits | (1 << register), 0);
  kernel.setMachine(names.length, returnAddress, stackPointer, volatileBits);
  const sectionAt = kernel.placeSection(section.bytes.length, section.isEhFrame ? 1 : 0) >>> 0;
  const commonsAt = kernel.placeCommons(commons.length) >>> 0;
  kernel.placeFunctions(length);
  const { buffer } = kernel.memory;
  new Uint8Array(buffer, sectionAt, section.bytes.length).set(section.bytes);
  new Int32Array(buffer, commonsAt, COMMON_WORDS * commons.length).set(commons.flatMap(wordsOf));
  const put = ({ value }: Global, column: Uint32Array) => new Uint32Array(buffer, value >>> 0, length).set(column);
  put(kernel.offsets, offsets);
  put(kernel.starts, starts);
  put(kernel.ends, ends);
  kernel.makeRows(length, mostRows);
  const made = ({ value }: Global, rows: number) => new Uint32Array(kernel.memory.buffer, value >>> 0, rows).slice();
  return {
    pcs: made(kernel.pcs, kernel.rowCount.value),
    rules: made(kernel.rulesOfRows, kernel.rowCount.value),
    firstRows: made(kernel.firstRows, length),
    endRows: made(kernel.endRows, length),
    ruleWords: new Int32Array(made(kernel.words, kernel.wordCount.value).buffer),
    ruleStarts: made(kernel.ruleStarts, kernel.ruleCount.value),
  };
}

/** Alignments that the kernel multiplies by without going beyond 64 bits. */
const LARGEST_ALIGNMENT = 1 << 16;

/** In the order of Common of kernels/cfi/instructions.ts. */
function wordsOf(common: CommonEntry): number[] {
  const { offset, instructionsStart, instructionsEnd, codeAlignment, dataAlignment, isSignalFrame } = common;
  const isUsual = codeAlignment < LARGEST_ALIGNMENT && Math.abs(dataAlignment) < LARGEST_ALIGNMENT;
  const bytes = isUsual ? pointerBytes(common.pointerEncoding) : 0;
  const hasData = common.augmentation.startsWith('z');
  const flags = [isSignalFrame ? 1 : 0, bytes, hasData ? 1 : 0];
  return [offset, instructionsStart, instructionsEnd, codeAlignment, dataAlignment, ...flags];
}

/** By the lower half of DW_EH_PE_*: absptr, udata2, udata4, udata8, sdata2, sdata4, sdata8. */
const BYTES_OF_FORMAT = new Map([
  [0x00, 8],
  [0x02, 2],
  [0x03, 4],
  [0x04, 8],
  [0x0a, 2],
  [0x0b, 4],
  [0x0c, 8],
]);
/** DW_EH_PE_aligned: bytes that are skipped come first. */
const ALIGNED = 0x50;

/** @returns bytes of an address; 0 where they differ from one to the other */
function pointerBytes(encoding: number): number {
  return (encoding & 0x70) === ALIGNED ? 0 : (BYTES_OF_FORMAT.get(encoding & 0x0f) ?? 0);
}
