/** The bytes that a call is about. */
import { Block, reserve } from './block';

/** Zeros behind the bytes: more than any field that is read without a look at the end. */
const ZEROS = 32;

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
