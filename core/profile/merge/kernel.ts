/** The kernel of merging (kernels/merge), and what it needs to be called: memory for columns that go in, views of those that come out. */
import { defineKernel, type KernelExports } from '../../formats/kernel.js';
import { mergeKernel } from './kernel.gen.js';

/** See kernels/merge/index.ts. Numbers are 32-bit integers; addresses are in the kernel's memory, and signed. */
interface MergeExports extends KernelExports {
  begin(): void;
  beginEmpty(): void;
  allocate(bytes: number): number;
  release(address: number, bytes: number): void;
  usedBytes(): number;

  inputCount(): number;
  compareInputs(a: number, b: number): number;
  compareStrings(a: number, b: number): number;
  addProfile(columns: number): number;
  addMerge(columns: number, typeCount: number): number;

  columnCount(): number;
  columnAt(index: number): number;
  columnLength(index: number): number;
  restoreColumn(index: number, length: number): number;

  orderSamples(ranks: number, typeCount: number): void;
  labelKeys(): number;
  stringCount(): number;
  sumAt(value: number, typeCount: number): number;
  beginFinish(): void;
  numberString(row: number): number;
  numberMapping(row: number): number;
  resultSamples(): number;
  resultLocations(): number;
  resultLines(): number;
  resultFunctions(): number;
  resultMappings(): number;
  resultStrings(): number;
  resultStringBytes(): number;
  writeValues(typeCount: number, from: number, to: number): number;
  writeStackStarts(): number;
  writeStacks(from: number, to: number, count: number): number;
  writeLabelStarts(places: number): number;
  writeLabels(from: number, to: number, count: number): number;
  writeLocations(): number;
  writeLines(lineCount: number): number;
  writeFunctions(): number;
  writeMappings(): number;
  writeStrings(byteCount: number): number;
}

/** A column to be copied in, a number, or nothing: the address 0. */
export type Word = ArrayBufferView | number | undefined;

/** Rows of the merge, and numbers of its samples, by those of what was added to it. */
export interface AddedRows {
  readonly strings: Int32Array;
  readonly mappings: Int32Array;
  /** None where a profile was added. */
  readonly samples: Int32Array;
}

/** Bytes that the kernel may read behind a column. */
const SLACK = 8;

export class MergeKernel {
  readonly exports: MergeExports;
  /** By value of a sample: how many times 2^64 is to be added to its sum. Nearly always empty. */
  turns = new Map<number, number>();
  /** Used by any of the merges that it was given back by. */
  mostBytes = 0;

  constructor() {
    this.exports = instantiate({ turn: (value: number, times: number) => this.turn(value, times) });
  }

  /** A view of its memory: to be used before anything is called that allocates. */
  view<View>(
    type: new (buffer: ArrayBuffer, at: number, length: number) => View,
    address: number,
    length: number,
  ): View {
    return new type(this.exports.memory.buffer, address >>> 0, length);
  }

  /** A copy of its memory, which has its buffer for itself. Not cleared before it is written, as `slice` would. */
  copy(address: number, byteLength: number): Uint8Array<ArrayBuffer> {
    const copy = new Uint8Array(Buffer.allocUnsafeSlow(byteLength).buffer);
    copy.set(this.view(Uint8Array, address, byteLength));
    return copy;
  }

  /**
   * Calls the kernel with the address of a list of words: numbers as they are, columns as the address of a copy.
   *
   * @param call must not keep it
   */
  withWords<Result>(words: readonly Word[], call: (address: number) => Result): Result {
    let bytes = aligned(4 * words.length);
    for (const word of words) if (typeof word === 'object') bytes += aligned(word.byteLength);
    const address = this.exports.allocate(bytes + SLACK) >>> 0;
    this.#put(words, address, bytes);
    const result = call(address);
    this.exports.release(address, bytes + SLACK);
    return result;
  }

  /** The list of words, and the columns behind it. */
  #put(words: readonly Word[], address: number, bytes: number): void {
    const list = this.view(Int32Array, address, words.length);
    const all = this.view(Uint8Array, address, bytes);
    let end = aligned(list.byteLength);
    for (let i = 0; i < words.length; i++) {
      const word = words[i];
      if (typeof word === 'object') {
        list[i] = address + end;
        all.set(new Uint8Array(word.buffer, word.byteOffset, word.byteLength), end);
        end += aligned(word.byteLength);
      } else list[i] = word ?? 0;
    }
  }

  /**
   * Calls the kernel with a list of words, as `withWords` does.
   *
   * @param add returns `AddedRows`: see kernels/merge/added-rows.ts
   * @param read must call nothing that allocates
   */
  addWords(words: readonly Word[], add: (address: number) => number, read: (rows: AddedRows) => void): void {
    const address = this.withWords(words, add);
    const counts = this.view(Int32Array, address, 3);
    let end = counts.byteOffset + counts.byteLength;
    const [strings, mappings, samples] = [...counts].map((count) => {
      const rows = this.view(Int32Array, end, count);
      end += rows.byteLength;
      return rows;
    });
    read({ strings: strings!, mappings: mappings!, samples: samples! });
    this.exports.release(address, end - counts.byteOffset);
  }

  turn(value: number, times: number): void {
    const turns = (this.turns.get(value) ?? 0) + times;
    if (turns === 0) this.turns.delete(value);
    else this.turns.set(value, turns);
  }
}

const aligned = (bytes: number) => (bytes + 7) & ~7;

const instantiate = defineKernel<MergeExports>('merge', mergeKernel);

/** Kernels that no merge uses: their memory is there already, and the system takes longer to give memory than most merges take. */
const idle: MergeKernel[] = [];
/** Of all idle kernels of a thread, what merges used of them. */
const IDLE_BYTES = 2 ** 27;

/** To be begun. */
export function takeKernel(): MergeKernel {
  return idle.pop() ?? new MergeKernel();
}

/** Gives a kernel back that a merge is done with. */
export function giveKernel(kernel: MergeKernel): void {
  kernel.mostBytes = Math.max(kernel.mostBytes, kernel.exports.usedBytes() >>> 0);
  const bytes = [...idle, kernel].reduce((sum, { mostBytes }) => sum + mostBytes, 0);
  if (bytes <= IDLE_BYTES) idle.push(kernel);
}
