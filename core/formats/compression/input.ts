/** Opens bytes as a ByteInput: tells the compression by the first bytes, not by the name. */
import { FormatError } from '../errors.js';
import { freeBuffers } from '../free-buffers.js';
import { type ByteInput, type InputNote, type PlacedReads, placedReads } from '../input.js';
import type { Budget } from '../limits.js';
import { gunzip, gunzipSync, isGzip } from './gzip.js';
import { loadZlib } from './load-zlib.js';
import { OutputMeter, RATIO_FREE_BYTES } from './meter.js';
import { joinPieces, PieceQueue } from './piece-queue.js';
import type { Zlib } from './zlib.js';
import { isZstd, unzstd } from './zstd.js';

const HEAD_BYTES = 4096;
/** Of a piece that is read for the second time. */
const PIECE_BYTES = 2 ** 20;
/** A compressed input up to this size is taken whole, and decompressed in one call when that gives at most RATIO_FREE_BYTES. */
const SMALL_INPUT_BYTES = 4 * 2 ** 20;
/** Pieces that a large input at hand is cut into: at the limit of the ratio one gives less than RATIO_FREE_BYTES, so a bomb is seen there. */
const SLICE_BYTES = 32 * 1024;
/** gzip in gzip is what a careless upload makes; a third layer is an attack or a mistake. */
const MAX_LAYERS = 2;

/**
 * @param source the bytes as they came, compressed or not: all at hand, or in pieces that are read as they are wanted
 * @param placed reads the same bytes at any place
 * @param budget its fileBytes, decompressedBytes and decompressionRatio hold; exceeding them throws while reading
 */
export function openInput(
  source: Uint8Array | AsyncIterable<Uint8Array>,
  budget: Budget,
  placed: PlacedReads = {},
): ByteInput {
  return new OpenedInput(source, budget, placed);
}

class OpenedInput implements ByteInput {
  readonly #budget: Budget;
  readonly #source: Uint8Array | AsyncIterable<Uint8Array>;
  readonly #notes: InputNote[] = [];
  readonly #placed: PlacedReads;
  #compression: 'none' | 'gzip' | 'zstd' = 'none';
  #opened: Promise<PieceQueue> | undefined;
  /** All of the input, where it was decompressed in one call: its memory is nobody else's. */
  #whole: Uint8Array | undefined;

  constructor(source: Uint8Array | AsyncIterable<Uint8Array>, budget: Budget, placed: PlacedReads) {
    this.#source = source;
    this.#placed = source instanceof Uint8Array ? placedReads(source) : placed;
    this.#budget = budget;
    if (source instanceof Uint8Array) this.#compression = sniff(source);
  }

  get compression(): 'none' | 'gzip' | 'zstd' {
    return this.#compression;
  }

  get readAt(): ByteInput['readAt'] {
    return this.#compression === 'none' ? this.#placed.readAt : undefined;
  }

  get readInto(): ByteInput['readInto'] {
    return this.#compression === 'none' ? this.#placed.readInto : undefined;
  }

  get again(): ByteInput['again'] {
    const { readInto } = this.#placed;
    if (readInto === undefined) return undefined;
    const sourceAgain = () => (this.#source instanceof Uint8Array ? this.#source : piecesOf(readInto));
    return () => new OpenedInput(sourceAgain(), this.#budget, this.#placed);
  }

  get notes(): readonly InputNote[] {
    return this.#notes;
  }

  async head(): Promise<Uint8Array> {
    return (await this.#open()).peek(HEAD_BYTES);
  }

  async *chunks(): AsyncIterable<Uint8Array> {
    const queue = await this.#open();
    for (let piece = await queue.next(); piece !== undefined; piece = await queue.next()) yield piece;
    if (this.#whole !== undefined) freeBuffers([this.#whole.buffer]);
    this.#whole = undefined;
  }

  async readAll(maxBytes: number): Promise<Uint8Array> {
    const pieces: Uint8Array[] = [];
    let total = 0;
    for await (const piece of this.chunks()) {
      total += piece.length;
      if (total > maxBytes) {
        throw new FormatError('E_LIMIT', 'too large to be read at once', { got: total, limit: maxBytes });
      }
      // A copy, which `slice` of a Buffer is not.
      pieces.push(new Uint8Array(piece));
    }
    return joinPieces(pieces, total);
  }

  #open(): Promise<PieceQueue> {
    this.#opened ??= this.#openLayers();
    return this.#opened;
  }

  async #openLayers(): Promise<PieceQueue> {
    let layer = await this.#gather();
    for (let depth = 0; ; depth++) {
      const head = layer instanceof Uint8Array ? layer : await layer.peek(4);
      const compression = sniff(head);
      if (depth === 0) this.#compression = compression;
      if (compression === 'none') return layer instanceof Uint8Array ? new PieceQueue([layer]) : layer;
      if (depth === MAX_LAYERS) {
        throw new FormatError('E_NESTED', `${compression} within ${MAX_LAYERS} layers of compression`, {
          limit: MAX_LAYERS,
        });
      }
      layer = await this.#decompress(layer, compression);
    }
  }

  /** The input whole if it is small, else its pieces. */
  async #gather(): Promise<Uint8Array | PieceQueue> {
    if (this.#source instanceof Uint8Array) {
      this.#budget.check('fileBytes', this.#source.length);
      return this.#source;
    }
    const queue = new PieceQueue(this.#metered(this.#source));
    const head = await queue.peek(SMALL_INPUT_BYTES + 1);
    return head.length <= SMALL_INPUT_BYTES ? head : queue;
  }

  async *#metered(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    let total = 0;
    for await (const piece of source) {
      total += piece.length;
      this.#budget.check('fileBytes', total);
      yield piece;
    }
  }

  async #decompress(layer: Uint8Array | PieceQueue, compression: 'gzip' | 'zstd'): Promise<Uint8Array | PieceQueue> {
    const zlib = await loadZlib();
    if (compression === 'gzip' && layer instanceof Uint8Array && layer.length <= SMALL_INPUT_BYTES) {
      const whole = this.#gunzipSmall(layer, zlib);
      this.#whole = whole;
      if (whole !== undefined) return whole;
    }
    const queue = layer instanceof Uint8Array ? new PieceQueue(slices(layer)) : layer;
    const meter = new OutputMeter(this.#budget, compression);
    return new PieceQueue(compression === 'gzip' ? gunzip(queue, zlib, meter, this.#notes) : unzstd(queue, meter));
  }

  #gunzipSmall(bytes: Uint8Array, zlib: Zlib): Uint8Array | undefined {
    const maxBytes = Math.min(RATIO_FREE_BYTES, this.#budget.limits.decompressedBytes);
    return gunzipSync(bytes, maxBytes, zlib, this.#notes);
  }
}

/** All in the same memory. */
async function* piecesOf(readInto: NonNullable<PlacedReads['readInto']>): AsyncGenerator<Uint8Array, void, undefined> {
  const piece = new Uint8Array(PIECE_BYTES);
  for (let offset = 0, count = -1; count !== 0; offset += count) {
    count = await readInto(offset, piece);
    if (count > 0) yield piece.subarray(0, count);
  }
}

function sniff(head: Uint8Array): 'none' | 'gzip' | 'zstd' {
  if (isGzip(head)) return 'gzip';
  return isZstd(head) ? 'zstd' : 'none';
}

function* slices(bytes: Uint8Array): Generator<Uint8Array, void, undefined> {
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) yield bytes.subarray(at, at + SLICE_BYTES);
}
