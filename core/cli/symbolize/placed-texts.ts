/** Texts in the memory of a kernel: UTF-8 that ends with a NUL, with as many bytes behind it as the kernel reads at once. */
import type { KernelExports } from '../../formats/kernel.js';

/** A kernel with kernels/memory.ts. Addresses are signed. */
export interface BlockExports extends KernelExports {
  allocate(bytes: number): number;
  release(block: number, bytes: number): void;
}

interface Block {
  readonly address: number;
  readonly bytes: number;
}

/** Behind each text. */
const SLACK = 16;
/** A byte that ends no text and is in none that is taken as it is. */
const NO_TEXT = 1;
const BLOCK_BYTES = 1 << 16;
/** Most bytes of UTF-8 that a character of a string takes. */
const CHARACTER_BYTES = 3;
/** Texts that are kept; then they are gathered anew. */
const MAX_KEPT = 1 << 14;

export class PlacedTexts {
  readonly #exports: BlockExports;
  readonly #escaped: (text: string) => string;
  /** Addresses by text. */
  readonly #kept = new Map<string, number>();
  #blocks: Block[] = [];
  /** Room in the last block. */
  #next = 0;
  #end = 0;
  #tables: { readonly from: readonly Uint8Array[]; readonly blocks: readonly Block[] } | undefined;
  #memory = Buffer.alloc(0);

  /** @param escaped what is written in place of a text, without NULs */
  constructor(exports: BlockExports, escaped: (text: string) => string) {
    this.#exports = exports;
    this.#escaped = escaped;
  }

  /** Address of a text; good until `tidy`. */
  place(text: string): number {
    let address = this.#kept.get(text);
    if (address === undefined) {
      address = this.#write(this.#escaped(text));
      this.#kept.set(text, address);
    }
    return address;
  }

  /** Addresses of two tables of texts that end with a NUL. Those of the last ones are kept. */
  placeTables(...from: readonly [Uint8Array, Uint8Array]): readonly [number, number] {
    if (this.#tables === undefined || from.some((table, index) => table !== this.#tables!.from[index])) {
      for (const block of this.#tables?.blocks ?? []) this.#release(block);
      this.#tables = { from, blocks: from.map((table) => this.#copy(table)) };
    }
    const [first, second] = this.#tables.blocks;
    return [first!.address, second!.address];
  }

  /** Forgets texts when they have become many. */
  tidy(): void {
    if (this.#kept.size < MAX_KEPT) return;
    this.#kept.clear();
    for (const block of this.#blocks) this.#release(block);
    this.#blocks = [];
    this.#next = this.#end = 0;
  }

  #write(text: string): number {
    const most = text.length * CHARACTER_BYTES + 1 + SLACK;
    if (this.#end - this.#next < most) {
      const block = this.#allocate(Math.max(most, BLOCK_BYTES));
      this.#blocks.push(block);
      this.#next = block.address;
      this.#end = block.address + block.bytes;
    }
    const { buffer } = this.#exports.memory;
    if (this.#memory.buffer !== buffer) this.#memory = Buffer.from(buffer);
    const address = this.#next;
    const bytes = this.#memory.write(text, address, 'utf8');
    this.#memory[address + bytes] = 0;
    this.#next += bytes + 1;
    return address;
  }

  #copy(table: Uint8Array): Block {
    const block = this.#allocate(table.length + SLACK);
    const memory = new Uint8Array(this.#exports.memory.buffer, block.address, block.bytes);
    memory.set(table);
    // No text goes on there.
    memory.fill(NO_TEXT, table.length);
    return block;
  }

  #allocate(bytes: number): Block {
    return { address: this.#exports.allocate(bytes) >>> 0, bytes };
  }

  #release({ address, bytes }: Block): void {
    this.#exports.release(address, bytes);
  }
}
