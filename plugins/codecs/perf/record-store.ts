/**
 * Records that are held, in blocks of memory that are used again: fresh memory costs more than what is copied into it. Of a block that a
 * file was read into, records are held as they lie; others are copied. What was let go stays where it is until its block is recycled, so
 * that captured stacks need no other copy.
 */

const BLOCK_BYTES = 2 ** 20;
/** Records that are held at once. */
export const MOST_HELD_BYTES = BLOCK_BYTES;

export interface Block {
  readonly number: number;
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
  /** All, by number. */
  readonly blocks: Block[] = [];
  /** Where the last bytes that were held begin in their block. */
  heldAt = 0;

  /** Memory for a piece of a file. */
  room(): Block {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    const block = newBlock(this.blocks.length);
    this.blocks.push(block);
    return block;
  }

  /** Records that follow lie in this block of `room`, and none in the one before. */
  takeRead(block: Block | undefined): void {
    const before = this.#read;
    this.#read = block;
    if (before?.held === 0) this.#spent.push(before);
  }

  /** Holds records of at most MOST_HELD_BYTES together; copies, unless they lie in the block that was read. */
  hold(bytes: Uint8Array, records: number): Block {
    const read = this.#read;
    const isInPlace = read !== undefined && bytes.buffer === read.bytes.buffer;
    const block = isInPlace ? read : this.#roomForCopy(bytes.length);
    this.heldAt = isInPlace ? bytes.byteOffset : block.used;
    if (!isInPlace) {
      block.bytes.set(bytes, block.used);
      block.used += bytes.length;
    }
    block.held += records;
    return block;
  }

  /** @param records as many of those that it holds */
  letGo(block: Block, records: number): void {
    block.held -= records;
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

function newBlock(number: number): Block {
  const memory = new ArrayBuffer(BLOCK_BYTES);
  return { number, view: new DataView(memory), bytes: new Uint8Array(memory), used: 0, held: 0 };
}
