/** The bytes that a call is about: put in for it, or ones that stay in the kernel's memory. */
import { Block, reserve } from './block';

/** Zeros behind the bytes: more than any field that is read without a look at the end. */
const ZEROS = 32;

/** Of the bytes that are put in. */
const block = changetype<Block>(memory.data(offsetof<Block>(), 8));

export let input: usize = 0;
/** Of DIEs: position of the first byte in its unit. */
export let origin: u32 = 0;

/** Makes room for bytes, in place of those of the call before. @returns where the host puts them */
export function placeInput(bytes: u32, newOrigin: u32): usize {
  reserve(block, 0, u64(bytes) + ZEROS);
  input = block.address;
  origin = newOrigin;
  memory.fill(input + bytes, 0, ZEROS);
  return input;
}

/** Calls from now on are about bytes that the host has put elsewhere, with as many zeros behind them: a whole unit. */
export function useInput(address: usize): void {
  input = address;
  origin = 0;
}
