/** Raw deflate by node:zlib. */
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import type { PieceQueue } from './piece-queue.js';
import { type DeflateOptions, InflateError, type Zlib } from './zlib.js';

const deflateRawAsync = promisify<zlib.InputType, zlib.ZlibOptions, Buffer>(zlib.deflateRaw);

/** Output buffer of a stream. */
const CHUNK_BYTES = 256 * 1024;
/** The least output buffer of a one-shot call. */
const LEAST_BYTES = 32 * 1024;

/** Levels that look for no better match: with larger tables than by default they take a tenth less time, for 0.6 % more bytes. */
const FAST_LEVELS = 3;

/** What `info: true` of the one-shot calls returns; @types/node does not say. */
interface WithInfo {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

function inflateError(error: unknown): InflateError {
  const { code, message } = error as NodeJS.ErrnoException;
  return new InflateError(message, code === 'Z_BUF_ERROR', { cause: error });
}

function inflateRawSync(bytes: Uint8Array, maxBytes: number, expectedBytes: number) {
  // One buffer that holds the whole output saves zlib's joining of many; one byte more, so that it sees the end.
  const chunkSize = Math.min(Math.max(expectedBytes + 1, LEAST_BYTES), maxBytes + 1);
  const options = { maxOutputLength: maxBytes, chunkSize, info: true };
  try {
    const { buffer, engine } = zlib.inflateRawSync(bytes, options) as unknown as WithInfo;
    return { output: buffer, consumed: engine.bytesWritten };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return undefined;
    throw inflateError(error);
  }
}

/**
 * Writes one piece at a time, the next when the one before is used up: so what is left behind the stream's end is always the
 * tail of the last piece.
 */
async function* inflateRaw(queue: PieceQueue): AsyncGenerator<Uint8Array, void, undefined> {
  const stream = zlib.createInflateRaw({ chunkSize: CHUNK_BYTES });
  const closed = new Promise<void>((done) => stream.once('close', done));
  let last: Uint8Array | undefined;
  let fed = 0;
  const feed = async () => {
    while (!stream.readableEnded && !stream.destroyed) {
      const piece = await queue.next();
      if (piece === undefined) {
        stream.end();
        return;
      }
      last = piece;
      fed += piece.length;
      await Promise.race([new Promise((done) => stream.write(piece, done)), closed]);
      if (stream.bytesWritten < fed) return;
    }
  };
  const fedAll = feed().catch((error: unknown) => {
    stream.destroy(error as Error);
  });
  try {
    for await (const chunk of stream) yield chunk as Uint8Array;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    throw typeof code === 'string' && code.startsWith('Z_') ? inflateError(error) : error;
  } finally {
    stream.destroy();
  }
  await fedAll;
  const left = fed - stream.bytesWritten;
  if (last !== undefined && left > 0) queue.unread(last.subarray(last.length - left));
}

async function deflateRaw(bytes: Uint8Array, options: DeflateOptions): Promise<Uint8Array> {
  const { Z_FINISH, Z_SYNC_FLUSH } = zlib.constants;
  return deflateRawAsync(bytes, {
    level: options.level,
    memLevel: options.level <= FAST_LEVELS ? 9 : 8,
    finishFlush: options.last ? Z_FINISH : Z_SYNC_FLUSH,
    // Room for the output of incompressible bytes, so that one buffer does.
    chunkSize: bytes.length + (bytes.length >>> 10) + 128,
    ...(options.dictionary === undefined ? {} : { dictionary: options.dictionary }),
  });
}

export const nodeZlib: Zlib = {
  name: 'node',
  crc32: (bytes, seed) => zlib.crc32(bytes, seed),
  inflateRawSync,
  inflateRaw,
  deflateRaw,
};
