/**
 * Records that are held, in blocks of memory that are used again: fresh memory costs more than what is copied into it. What was let go
 * stays where it is until its block is recycled, so that captured stacks need no other copy.
 */

const BLOCK_BYTES = 2 ** 20;

export interface Block {
  readonly view: DataView;
  /** The same memory. */
  readonly bytes: Uint8Array;
  /** Bytes that were taken of it. */
  used: number;
  /** Records that were not let go. */
  held: number;
}

export class RecordStore {
  #current = newBlock();
  /** Full, and all of their records let go. */
  #spent: Block[] = [];
  readonly #free: Block[] = [];

  /** Copies a record, of at most 64 KiB, to the end of a block. @returns the block: the record begins `size` before what is used of it */
  add(view: DataView, start: number, size: number): Block {
    if (this.#current.used + size > BLOCK_BYTES) {
      if (this.#current.held === 0) this.#spent.push(this.#current);
      this.#current = this.#free.pop() ?? newBlock();
    }
    const block = this.#current;
    block.bytes.set(new Uint8Array(view.buffer, view.byteOffset + start, size), block.used);
    block.used += size;
    block.held++;
    return block;
  }

  letGo(block: Block): void {
    block.held--;
    if (block.held === 0 && block !== this.#current) this.#spent.push(block);
  }

  get spentBlocks(): number {
    return this.#spent.length;
  }

  /** Blocks that nothing is held of, since the last call. */
  takeSpent(): Block[] {
    return this.#spent.splice(0);
  }

  /** Nothing refers to these any more. */
  recycle(blocks: readonly Block[]): void {
    for (const block of blocks) {
      block.used = 0;
      this.#free.push(block);
    }
  }
}

function newBlock(): Block {
  const memory = new ArrayBuffer(BLOCK_BYTES);
  return { view: new DataView(memory), bytes: new Uint8Array(memory), used: 0, held: 0 };
}
