/**
 * Records that are held, in blocks of memory that are used again: fresh memory costs more than what is copied into it. Of a block that a
 * file was read into, records are held as they lie; others are copied. What was let go stays where it is until its block is recycled, so
 * that captured stacks need no other copy.
 */

const BLOCK_BYTES = 2 ** 20;

export interface Block {
  readonly view: DataView;
  /** The same memory. */
  readonly bytes: Uint8Array;
  /** Bytes that were copied into it. */
  used: number;
  /** Records that were not let go. */
  held: number;
}

export class RecordStore {
  /** That records are copied into. */
  #copies: Block | undefined;
  /** That records lie in. */
  #read: Block | undefined;
  /** None of these two, and all of their records let go. */
  #spent: Block[] = [];
  readonly #free: Block[] = [];
  /** Where the last record that was held begins in its block. */
  heldAt = 0;

  /** Memory for a piece of a file. */
  room(): Block {
    return this.#free.pop() ?? newBlock();
  }

  /** Records that follow lie in this block of `room`, and none in the one before. */
  takeRead(block: Block | undefined): void {
    const before = this.#read;
    this.#read = block;
    if (before?.held === 0) this.#spent.push(before);
  }

  /** Holds a record of at most 64 KiB; a copy, unless it lies in the block that was read. */
  hold(view: DataView, start: number, size: number): Block {
    const read = this.#read;
    if (read !== undefined && view.buffer === read.view.buffer) {
      this.heldAt = view.byteOffset + start;
      read.held++;
      return read;
    }
    const block = this.#roomForCopy(size);
    block.bytes.set(new Uint8Array(view.buffer, view.byteOffset + start, size), block.used);
    this.heldAt = block.used;
    block.used += size;
    block.held++;
    return block;
  }

  letGo(block: Block): void {
    block.held--;
    if (block.held === 0 && block !== this.#copies && block !== this.#read) this.#spent.push(block);
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

  #roomForCopy(size: number): Block {
    const copies = this.#copies;
    if (copies !== undefined && copies.used + size <= BLOCK_BYTES) return copies;
    if (copies?.held === 0) this.#spent.push(copies);
    this.#copies = this.room();
    return this.#copies;
  }
}

function newBlock(): Block {
  const memory = new ArrayBuffer(BLOCK_BYTES);
  return { view: new DataView(memory), bytes: new Uint8Array(memory), used: 0, held: 0 };
}
