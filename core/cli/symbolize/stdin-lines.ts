/**
 * Lines of a stream, as batches: all that are complete when bytes come. Whoever writes a line and waits for its answer gets a batch of
 * one; a file comes in batches of thousands. (node:readline takes longer for a line than symbolizing it.)
 */
import { ExitCode } from '../exit-codes.js';
import { CallProblem } from '../verb.js';

const NEWLINE = 0x0a;
const MAX_LINE_BYTES = 1 << 16;

/** @throws CallProblem for a line of more than 64 KiB */
export async function* batchesOfLines(stream: AsyncIterable<Uint8Array>): AsyncGenerator<readonly string[]> {
  let rest: Uint8Array = new Uint8Array(0);
  for await (const piece of stream) {
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    const end = bytes.lastIndexOf(NEWLINE);
    rest = bytes.subarray(end + 1);
    if (rest.length > MAX_LINE_BYTES) {
      throw new CallProblem('E_LIMIT', `-: a line of more than ${MAX_LINE_BYTES} bytes`, ExitCode.badInput);
    }
    if (end >= 0) yield linesOf(bytes.subarray(0, end));
  }
  if (rest.length > 0) yield linesOf(rest);
}

function linesOf(bytes: Uint8Array): readonly string[] {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8').split('\n');
}
