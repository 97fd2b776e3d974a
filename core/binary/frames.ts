/** Stack frames of an executable's functions, from Go's own tables: what `pipe binary frames` prints. */
import { FormatError } from '../formats/errors.js';
import type { Binary } from './binary.js';

export interface FunctionFrame {
  readonly function: string;
  /** Absolute address, as the file has it. */
  readonly entry: bigint;
  /** Bytes of code, padding excluded. */
  readonly size: number;
  /**
   * Largest value of the function's pcsp table: bytes between SP and the word of the return address at the deepest point.
   * The return address itself (8 bytes that a call on amd64 pushes) is not included.
   */
  readonly frameBytes: number;
}

/**
 * Functions in order of address; those without a pcsp table are left out.
 * @throws FormatError E_GO_NO_TABLE for a binary without Go's tables, or of the tables
 */
export function* functionFrames(binary: Binary): Generator<FunctionFrame> {
  const { go } = binary;
  if (go === undefined) throw new FormatError('E_GO_NO_TABLE', 'no Go function table in this binary');
  for (let index = 0; index < go.length; index++) {
    const frameBytes = go.maxStackDelta(index);
    if (frameBytes === undefined) continue;
    const entry = go.entry(index);
    yield {
      function: go.name(index),
      entry: binary.imageBase + BigInt(entry),
      size: go.end(index) - entry,
      frameBytes,
    };
  }
}
