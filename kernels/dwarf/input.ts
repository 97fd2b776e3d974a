/** The bytes that a call is about. */
import { allocate, releaseAll } from '../memory';

/** Zeros behind the bytes: more than any field that is read without a look at the end. */
const ZEROS = 32;

/** Where the host puts them. */
export let input: usize = 0;

/** Makes room for bytes, in place of everything that was there. */
export function placeInput(bytes: u32): void {
  releaseAll();
  input = allocate(bytes + ZEROS);
  memory.fill(input + bytes, 0, ZEROS);
}
