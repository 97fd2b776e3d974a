/**
 * Lines of a stream, as batches: all that are complete when those before are answered. Whoever writes a line and waits for its answer gets
 * a batch of one; what comes in a burst is one of tens of thousands. (node:readline takes longer for a line than symbolizing it.)
 */
import { createReadStream, fstatSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { ExitCode } from '../exit-codes.js';
import { CallProblem } from '../verb.js';

const NEWLINE = 0x0a;
const MAX_LINE_BYTES = 1 << 16;
/** A batch has no more than that, and one piece of the stream: its answers are held. */
const BATCH_BYTES = 1 << 18;
const STDIN = 0;

/** Standard input, of a file in pieces of a batch. */
export function openStdin(): AsyncIterable<Uint8Array> {
  return fstatSync(STDIN).isFile()
    ? createReadStream('', { fd: STDIN, autoClose: false, highWaterMark: BATCH_BYTES })
    : process.stdin;
}

/** @returns batches without the newline of their last line @throws CallProblem for a line of more than 64 KiB */
export async function* batchesOfLines(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let rest: Uint8Array = new Uint8Array(0);
  for await (const pieces of bursts(stream)) {
    const bytes = Buffer.concat([rest, ...pieces]);
    const end = bytes.lastIndexOf(NEWLINE);
    rest = bytes.subarray(end + 1);
    if (rest.length > MAX_LINE_BYTES) {
      throw new CallProblem('E_LIMIT', `-: a line of more than ${MAX_LINE_BYTES} bytes`, ExitCode.badInput);
    }
    if (end >= 0) yield bytes.subarray(0, end);
  }
  if (rest.length > 0) yield rest;
}

/** Pieces that have come, at least one; more is not waited for. */
async function* bursts(stream: AsyncIterable<Uint8Array>): AsyncGenerator<readonly Uint8Array[]> {
  const iterator = stream[Symbol.asyncIterator]();
  let next = iterator.next();
  for (;;) {
    const first = await next;
    if (first.done === true) return;
    const pieces = [first.value];
    let bytes = first.value.length;
    for (;;) {
      next = iterator.next();
      // What goes wrong is thrown when what came before is answered.
      const arrived = next.catch(() => undefined);
      if (bytes >= BATCH_BYTES) break;
      const more = await Promise.race([arrived, setImmediate()]);
      if (more === undefined || more.done === true) break;
      pieces.push(more.value);
      bytes += more.value.length;
    }
    yield pieces;
  }
}
