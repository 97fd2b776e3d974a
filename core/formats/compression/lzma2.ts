/**
 * LZMA2: chunks of LZMA or of plain bytes, with one dictionary. Source: the LZMA SDK's lzma-specification.txt (the decoder's states
 * and probabilities), and Linux' lib/xz/xz_dec_lzma2.c (the chunks). The output is the dictionary, since it is kept whole.
 */
import { FormatError } from '../errors.js';
import { RangeDecoder } from './range-decoder.js';

const STATES = 12;
const MAX_POSITION_STATES = 16;
/** States below this one come after a literal. */
const FIRST_MATCH_STATE = 7;
const MIN_MATCH = 2;
const LENGTH_SLOTS = 4;
/** Position slots from here on have bits that are coded one by one, and four bits of alignment. */
const FIRST_DIRECT_SLOT = 14;
const FIRST_CONTEXT_SLOT = 4;
const ALIGN_BITS = 4;

/** Offsets of the models in one array of probabilities. */
const IS_MATCH = 0;
const IS_REP = IS_MATCH + STATES * MAX_POSITION_STATES;
const IS_REP0 = IS_REP + STATES;
const IS_REP1 = IS_REP0 + STATES;
const IS_REP2 = IS_REP1 + STATES;
const IS_REP0_LONG = IS_REP2 + STATES;
const SLOT = IS_REP0_LONG + STATES * MAX_POSITION_STATES;
const SPECIAL = SLOT + LENGTH_SLOTS * 64;
const ALIGN = SPECIAL + 128;
/** A model of lengths: two choices, then trees of 3, 3 and 8 bits. */
const LENGTH_LOW = 2;
const LENGTH_MIDDLE = LENGTH_LOW + MAX_POSITION_STATES * 8;
const LENGTH_HIGH = LENGTH_MIDDLE + MAX_POSITION_STATES * 8;
const LENGTH_MODEL = LENGTH_HIGH + 256;
const MATCH_LENGTH = ALIGN + (1 << ALIGN_BITS);
const REP_LENGTH = MATCH_LENGTH + LENGTH_MODEL;
const LITERAL = REP_LENGTH + LENGTH_MODEL;
const LITERAL_MODEL = 0x300;
/** LZMA2 allows lc + lp up to this. */
const MAX_LITERAL_BITS = 4;

const Control = { end: 0, plainWithReset: 1, plain: 2, lzma: 0x80 } as const;
const FIRST_BYTES = 2 ** 18;

export class Lzma2Decoder {
  readonly #input: Uint8Array;
  readonly #section: string;
  readonly #maxBytes: number;
  readonly #range: RangeDecoder;
  readonly #probabilities = new Uint16Array(LITERAL + (LITERAL_MODEL << MAX_LITERAL_BITS));
  #output = new Uint8Array(FIRST_BYTES);
  #length = 0;
  /** Output from here on may be referred to. */
  #dictionaryStart = 0;
  #literalContextBits = 0;
  #literalPositionMask = 0;
  #positionMask = 0;
  #state = 0;
  #rep0 = 0;
  #rep1 = 0;
  #rep2 = 0;
  #rep3 = 0;
  /** Into the input: behind the last chunk after `decode`. */
  offset: number;

  /**
   * @param offset into `input` of the first chunk @param maxBytes that the output may have
   * @param section name for errors
   */
  constructor(input: Uint8Array, offset: number, maxBytes: number, section: string) {
    this.#input = input;
    this.#section = section;
    this.#maxBytes = maxBytes;
    this.#range = new RangeDecoder(input, this.#probabilities, section);
    this.offset = offset;
  }

  /** All chunks up to the end marker. @throws FormatError E_LZMA_DATA, E_LZMA_TRUNCATED, E_LIMIT */
  decode(): Uint8Array {
    let needsDictionary = true;
    let needsProperties = true;
    for (;;) {
      const chunkStart = this.offset;
      const control = this.#byte();
      if (control === Control.end) return this.#output.subarray(0, this.#length);
      if (control > Control.plain && control < Control.lzma) throw this.#spoilt('unknown chunk', chunkStart, control);
      const reset = control < Control.lzma ? 0 : (control >>> 5) & 3;
      if (control === Control.plainWithReset || reset === 3) {
        this.#dictionaryStart = this.#length;
        needsDictionary = false;
      } else if (needsDictionary) {
        throw this.#spoilt('first chunk does not reset the dictionary', chunkStart, control);
      }
      if (control < Control.lzma) {
        this.#copyPlain();
        continue;
      }
      const bytes = (((control & 0x1f) << 16) | (this.#byte() << 8) | this.#byte()) + 1;
      const packedBytes = ((this.#byte() << 8) | this.#byte()) + 1;
      if (reset >= 2) {
        this.#setProperties(this.#byte());
        needsProperties = false;
      } else if (needsProperties) {
        throw this.#spoilt('chunk without properties', chunkStart, control);
      }
      if (reset >= 1) this.#resetState();
      this.#reserve(bytes);
      this.#range.start(this.offset, packedBytes);
      this.#decodeChunk(this.#length + bytes);
      this.#range.finish();
      this.offset += packedBytes;
    }
  }

  #copyPlain(): void {
    const bytes = ((this.#byte() << 8) | this.#byte()) + 1;
    if (bytes > this.#input.length - this.offset) throw this.#truncated();
    this.#reserve(bytes);
    this.#output.set(this.#input.subarray(this.offset, this.offset + bytes), this.#length);
    this.#length += bytes;
    this.offset += bytes;
  }

  #setProperties(properties: number): void {
    const literalContextBits = properties % 9;
    const literalPositionBits = Math.floor(properties / 9) % 5;
    const positionBits = Math.floor(properties / 45);
    if (positionBits > 4 || literalContextBits + literalPositionBits > MAX_LITERAL_BITS) {
      throw this.#spoilt('properties out of range', this.offset - 1, properties);
    }
    this.#literalContextBits = literalContextBits;
    this.#literalPositionMask = (1 << literalPositionBits) - 1;
    this.#positionMask = (1 << positionBits) - 1;
  }

  #resetState(): void {
    this.#probabilities.fill(RangeDecoder.evenProbability);
    this.#state = 0;
    this.#rep0 = 0;
    this.#rep1 = 0;
    this.#rep2 = 0;
    this.#rep3 = 0;
  }

  #decodeChunk(end: number): void {
    const range = this.#range;
    while (this.#length < end) {
      const positionState = (this.#length - this.#dictionaryStart) & this.#positionMask;
      const stateAndPosition = this.#state * MAX_POSITION_STATES + positionState;
      if (range.bit(IS_MATCH + stateAndPosition) === 0) {
        this.#decodeLiteral();
        continue;
      }
      let length: number;
      if (range.bit(IS_REP + this.#state) === 0) {
        length = this.#decodeLength(MATCH_LENGTH, positionState);
        this.#rep3 = this.#rep2;
        this.#rep2 = this.#rep1;
        this.#rep1 = this.#rep0;
        this.#rep0 = this.#decodeDistance(length);
        this.#state = this.#state < FIRST_MATCH_STATE ? 7 : 10;
      } else if (this.#decodeRepeat(stateAndPosition)) {
        length = 1;
        this.#state = this.#state < FIRST_MATCH_STATE ? 9 : 11;
      } else {
        length = this.#decodeLength(REP_LENGTH, positionState);
        this.#state = this.#state < FIRST_MATCH_STATE ? 8 : 11;
      }
      this.#copyMatch(length, end);
    }
  }

  #decodeLiteral(): void {
    const position = this.#length - this.#dictionaryStart;
    const previous = position === 0 ? 0 : this.#output[this.#length - 1]!;
    const context =
      ((position & this.#literalPositionMask) << this.#literalContextBits) +
      (previous >>> (8 - this.#literalContextBits));
    const model = LITERAL + LITERAL_MODEL * context;
    let symbol = 1;
    if (this.#state >= FIRST_MATCH_STATE) {
      let matched = this.#matchByte();
      while (symbol < 0x100) {
        const matchBit = (matched >>> 7) & 1;
        matched <<= 1;
        const bit = this.#range.bit(model + ((1 + matchBit) << 8) + symbol);
        symbol = (symbol << 1) | bit;
        if (bit !== matchBit) break;
      }
    }
    while (symbol < 0x100) symbol = (symbol << 1) | this.#range.bit(model + symbol);
    this.#output[this.#length++] = symbol;
    this.#state = this.#state < 4 ? 0 : this.#state < 10 ? this.#state - 3 : this.#state - 6;
  }

  /** The byte that the last match would go on with. */
  #matchByte(): number {
    this.#expectDistance();
    return this.#output[this.#length - this.#rep0 - 1]!;
  }

  /** Moves the repeated distance to the front. @returns whether the match is one byte of the last distance */
  #decodeRepeat(stateAndPosition: number): boolean {
    const range = this.#range;
    if (range.bit(IS_REP0 + this.#state) === 0) return range.bit(IS_REP0_LONG + stateAndPosition) === 0;
    let distance: number;
    if (range.bit(IS_REP1 + this.#state) === 0) {
      distance = this.#rep1;
    } else {
      if (range.bit(IS_REP2 + this.#state) === 0) {
        distance = this.#rep2;
      } else {
        distance = this.#rep3;
        this.#rep3 = this.#rep2;
      }
      this.#rep2 = this.#rep1;
    }
    this.#rep1 = this.#rep0;
    this.#rep0 = distance;
    return false;
  }

  #decodeLength(model: number, positionState: number): number {
    const range = this.#range;
    if (range.bit(model) === 0) return MIN_MATCH + range.tree(model + LENGTH_LOW + positionState * 8, 3);
    if (range.bit(model + 1) === 0) return MIN_MATCH + 8 + range.tree(model + LENGTH_MIDDLE + positionState * 8, 3);
    return MIN_MATCH + 16 + range.tree(model + LENGTH_HIGH, 8);
  }

  #decodeDistance(length: number): number {
    const range = this.#range;
    const slot = range.tree(SLOT + 64 * Math.min(length - MIN_MATCH, LENGTH_SLOTS - 1), 6);
    if (slot < FIRST_CONTEXT_SLOT) return slot;
    const bits = (slot >>> 1) - 1;
    const start = (2 | (slot & 1)) * 2 ** bits;
    if (slot < FIRST_DIRECT_SLOT) return start + range.reverseTree(SPECIAL + start - slot, bits);
    return start + range.direct(bits - ALIGN_BITS) * 2 ** ALIGN_BITS + range.reverseTree(ALIGN, ALIGN_BITS);
  }

  #copyMatch(length: number, end: number): void {
    this.#expectDistance();
    if (length > end - this.#length) throw this.#spoilt('match goes over the end of its chunk', this.offset, length);
    const output = this.#output;
    const distance = this.#rep0 + 1;
    let at = this.#length;
    for (const last = at + length; at < last; at++) output[at] = output[at - distance]!;
    this.#length = at;
  }

  #expectDistance(): void {
    if (this.#rep0 < this.#length - this.#dictionaryStart) return;
    throw this.#spoilt('match begins before the dictionary', this.offset, this.#rep0 + 1);
  }

  #reserve(bytes: number): void {
    const wanted = this.#length + bytes;
    if (wanted > this.#maxBytes) {
      throw new FormatError('E_LIMIT', 'too large when decompressed', {
        section: this.#section,
        offset: this.offset,
        got: wanted,
        limit: this.#maxBytes,
      });
    }
    if (wanted <= this.#output.length) return;
    const larger = new Uint8Array(Math.max(wanted, 2 * this.#output.length));
    larger.set(this.#output.subarray(0, this.#length));
    this.#output = larger;
  }

  #byte(): number {
    const byte = this.#input[this.offset++];
    if (byte === undefined) throw this.#truncated();
    return byte;
  }

  #truncated(): FormatError {
    return new FormatError('E_LZMA_TRUNCATED', 'input ends within a chunk', {
      section: this.#section,
      offset: this.#input.length,
    });
  }

  #spoilt(message: string, offset: number, got: number): FormatError {
    return new FormatError('E_LZMA_DATA', message, { section: this.#section, offset, got });
  }
}
