/** Stack frames of an executable's functions, from Go's own tables and call frame information: what `pipe binary frames` prints. */
import { FormatError } from '../formats/errors.js';
import type { GoTable } from '../formats/gopclntab/table.js';
import type { Binary } from './binary.js';
import type { FunctionFrame } from './function-frame.js';
import { cfiFrames } from './unwind/cfi-frames.js';

/**
 * Go's functions in order of address, those without a pcsp table left out; then the others.
 * @throws FormatError E_NO_FRAMES for a binary that tells nothing of its frames, or of the tables
 */
export function* functionFrames(binary: Binary): Generator<FunctionFrame> {
  const { go } = binary;
  if (go !== undefined) yield* goFrames(binary, go);
  const others = cfiFrames(binary);
  if (go === undefined && others.length === 0) {
    throw new FormatError('E_NO_FRAMES', "neither Go's function table nor call frame information in this binary");
  }
  yield* others;
}

function* goFrames(binary: Binary, go: GoTable): Generator<FunctionFrame> {
  for (let index = 0; index < go.length; index++) {
    const extent = go.stackExtent(index);
    if (extent === undefined) continue;
    yield {
      function: go.name(index),
      entry: binary.imageBase + BigInt(go.entry(index)),
      size: extent.codeBytes,
      frameBytes: extent.largestDelta,
      method: 'pcsp',
    };
  }
}
