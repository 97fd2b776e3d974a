/** Raw deflate by pako, through its zlib-like calls: they say how many bytes of the input were used. */
import {
  Deflate,
  Z_BUF_ERROR,
  Z_FINISH,
  Z_NO_FLUSH,
  Z_OK,
  Z_STREAM_END,
  Z_SYNC_FLUSH,
  ZStream,
  zlibInflate,
  zlibInflateEnd,
  zlibInflateInit2,
} from 'pako';
import { joinPieces, type PieceQueue } from './piece-queue.js';
import { type DeflateOptions, InflateError, type Zlib } from './zlib.js';

const CHUNK_BYTES = 64 * 1024;
/** windowBits for raw deflate with the largest window: pako takes zlib's convention of a negative number. */
const RAW_WINDOW_BITS = -15;

/** Table of CRC-32, polynomial 0xedb88320 (reflected). Source: RFC 1952, section 8. */
const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});

function crc32(bytes: Uint8Array, seed: number): number {
  let crc = ~seed;
  for (let i = 0; i < bytes.length; i++) crc = (crc >>> 8) ^ crcTable[(crc ^ bytes[i]!) & 0xff]!;
  return ~crc >>> 0;
}

/** One deflate stream that is being read. */
class Inflation {
  readonly #stream = new ZStream();
  ended = false;

  constructor() {
    zlibInflateInit2(this.#stream, RAW_WINDOW_BITS);
  }

  /** Output pieces for one input piece, each in memory of its own. @returns bytes of the input that were used */
  *feed(bytes: Uint8Array): Generator<Uint8Array, number, undefined> {
    const stream = this.#stream;
    stream.input = bytes;
    stream.next_in = 0;
    stream.avail_in = bytes.length;
    do {
      stream.output = new Uint8Array(CHUNK_BYTES);
      stream.next_out = 0;
      stream.avail_out = CHUNK_BYTES;
      const status = zlibInflate(stream, Z_NO_FLUSH);
      if (stream.next_out > 0) yield stream.output.subarray(0, stream.next_out);
      if (status === Z_STREAM_END) {
        this.ended = true;
        zlibInflateEnd(stream);
        return stream.next_in;
      }
      if (status !== Z_OK && status !== Z_BUF_ERROR)
        throw new InflateError(stream.msg || `zlib status ${status}`, false);
      // Output that filled its buffer may have more behind it, even when the input is used up.
    } while (stream.avail_in > 0 || stream.avail_out === 0);
    return stream.next_in;
  }
}

function inflateRawSync(bytes: Uint8Array, maxBytes: number) {
  const inflation = new Inflation();
  const pieces: Uint8Array[] = [];
  let total = 0;
  const feeding = inflation.feed(bytes);
  for (;;) {
    const step = feeding.next();
    if (step.done === true) {
      if (!inflation.ended) throw new InflateError('unexpected end of file', true);
      return { output: joinPieces(pieces, total), consumed: step.value };
    }
    pieces.push(step.value);
    total += step.value.length;
    if (total > maxBytes) return undefined;
  }
}

async function* inflateRaw(queue: PieceQueue): AsyncGenerator<Uint8Array, void, undefined> {
  const inflation = new Inflation();
  while (!inflation.ended) {
    const piece = await queue.next();
    if (piece === undefined) throw new InflateError('unexpected end of file', true);
    const used = yield* inflation.feed(piece);
    queue.unread(piece.subarray(used));
  }
}

async function deflateRaw(bytes: Uint8Array, options: DeflateOptions): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let total = 0;
  const deflate = new Deflate({
    raw: true,
    level: options.level,
    chunkSize: CHUNK_BYTES,
    ...(options.dictionary === undefined ? {} : { dictionary: options.dictionary }),
  });
  deflate.onData = (piece) => {
    pieces.push(piece as Uint8Array);
    total += piece.length;
  };
  deflate.push(bytes, options.last ? Z_FINISH : Z_SYNC_FLUSH);
  return joinPieces(pieces, total);
}

export const pakoZlib: Zlib = { name: 'pako', crc32, inflateRawSync, inflateRaw, deflateRaw };
