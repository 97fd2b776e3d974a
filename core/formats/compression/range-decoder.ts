/** LZMA's range decoder: bits by adaptive probabilities of 11 bits. Source: the LZMA SDK's lzma-specification.txt, "Range Decoder". */
import { FormatError } from '../errors.js';

const PROBABILITY_BITS = 11;
const ADAPTION_SHIFT = 5;
/** A range with none of these bits is widened. */
const HIGHEST_BYTE = 0xff000000;
/** A zero byte, and the first four of the code. */
const START_BYTES = 5;

export class RangeDecoder {
  static readonly evenProbability = 1 << (PROBABILITY_BITS - 1);
  readonly #input: Uint8Array;
  readonly #probabilities: Uint16Array;
  readonly #section: string;
  #at = 0;
  #end = 0;
  /** Unsigned numbers of 32 bits, kept as signed ones: those are no objects on the heap. */
  #range = 0;
  #code = 0;

  constructor(input: Uint8Array, probabilities: Uint16Array, section: string) {
    this.#input = input;
    this.#probabilities = probabilities;
    this.#section = section;
  }

  /** @param offset into the input @throws FormatError E_LZMA_TRUNCATED, E_LZMA_DATA */
  start(offset: number, length: number): void {
    if (length > this.#input.length - offset) throw this.#error('E_LZMA_TRUNCATED', 'input ends within a chunk');
    this.#at = offset;
    this.#end = offset + length;
    if (length < START_BYTES || this.#input[offset] !== 0) throw this.#error('E_LZMA_DATA', 'no start of a chunk');
    const view = new DataView(this.#input.buffer, this.#input.byteOffset + offset);
    this.#code = view.getInt32(1);
    this.#range = -1;
    this.#at += START_BYTES;
  }

  /** @throws FormatError E_LZMA_DATA when what was decoded is not all that the chunk has */
  finish(): void {
    if ((this.#range & HIGHEST_BYTE) === 0) this.#normalize();
    if (this.#code !== 0 || this.#at !== this.#end)
      throw this.#error('E_LZMA_DATA', 'chunk does not end where it says');
  }

  /** @param index of its probability */
  bit(index: number): 0 | 1 {
    const probability = this.#probabilities[index]!;
    const bound = Math.imul(this.#range >>> PROBABILITY_BITS, probability);
    let bit: 0 | 1;
    if (this.#code >>> 0 < bound >>> 0) {
      this.#range = bound;
      this.#probabilities[index] = probability + (((1 << PROBABILITY_BITS) - probability) >>> ADAPTION_SHIFT);
      bit = 0;
    } else {
      this.#range = (this.#range - bound) | 0;
      this.#code = (this.#code - bound) | 0;
      this.#probabilities[index] = probability - (probability >>> ADAPTION_SHIFT);
      bit = 1;
    }
    if ((this.#range & HIGHEST_BYTE) === 0) this.#normalize();
    return bit;
  }

  /** A number of some bits, highest first. @param model index of a tree of probabilities */
  tree(model: number, bits: number): number {
    let node = 1;
    for (let i = 0; i < bits; i++) node = (node << 1) | this.bit(model + node);
    return node - (1 << bits);
  }

  /** The same, lowest bit first. */
  reverseTree(model: number, bits: number): number {
    let node = 1;
    let value = 0;
    for (let i = 0; i < bits; i++) {
      const bit = this.bit(model + node);
      node = (node << 1) | bit;
      value |= bit << i;
    }
    return value;
  }

  /** A number of at most 30 bits that are coded without probabilities. */
  direct(bits: number): number {
    let value = 0;
    for (let i = 0; i < bits; i++) {
      this.#range = (this.#range >>> 1) | 0;
      const bit = this.#code >>> 0 >= this.#range >>> 0 ? 1 : 0;
      if (bit === 1) this.#code = (this.#code - this.#range) | 0;
      value = value * 2 + bit;
      if ((this.#range & HIGHEST_BYTE) === 0) this.#normalize();
    }
    return value;
  }

  #normalize(): void {
    if (this.#at >= this.#end) throw this.#error('E_LZMA_DATA', 'chunk is shorter than its content');
    this.#range <<= 8;
    this.#code = (this.#code << 8) | this.#input[this.#at++]!;
  }

  #error(code: string, message: string): FormatError {
    return new FormatError(code, message, { section: this.#section, offset: this.#at });
  }
}
