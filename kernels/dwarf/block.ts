/** A block of memory that grows, and stays for the next call. */
import { allocate, blockSize, release } from '../memory';

export class Block {
  /** Of the first byte; another one after `reserve`. */
  address!: usize;
  bytes!: u32;
}

/** @param kept bytes at the beginning that stay what they are */
export function reserve(block: Block, kept: u32, bytes: u64): void {
  if (bytes <= u64(block.bytes)) return;
  const wanted = u32(min<u64>(max<u64>(bytes, u64(kept) * 2), u32.MAX_VALUE));
  const address = allocate(wanted);
  memory.copy(address, block.address, kept);
  if (block.bytes > 0) release(block.address, block.bytes);
  block.address = address;
  block.bytes = u32(blockSize(wanted));
}
