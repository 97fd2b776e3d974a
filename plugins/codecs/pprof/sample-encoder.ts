/** Messages Sample and Label of a profile. */
import { halves, type Profile, UnknownIn } from '../../../core/index.js';
import { bytesTag, LabelField, ProfileField, SampleField } from './fields.js';
import { idHalves } from './id-field.js';
import { FIELD_BYTES, MESSAGE_BYTES, type PieceWriter, VARINT_BYTES, varintSize } from './piece-writer.js';
import { UnknownCursor } from './unknown-cursor.js';
import { putField, putVarint } from './words.js';

const SAMPLE = bytesTag(ProfileField.sample);
const LOCATION_IDS = bytesTag(SampleField.locationId);
const VALUES = bytesTag(SampleField.value);
const LABEL = bytesTag(SampleField.label);
const LABEL_BYTES = MESSAGE_BYTES + 4 * FIELD_BYTES;

/** @returns writes samples from a row on until the piece is full, and returns the next row */
export function sampleEncoder(profile: Profile, writer: PieceWriter): (from: number) => number {
  const { samples, sampleTypes, locations, unknown } = profile;
  const { length, stackStart, stackLocations, labelStart } = samples;
  const ids = idHalves(locations.id);
  const values = halves(samples.values);
  const typeCount = sampleTypes.length;
  const idBytes = locations.length < 128 ? 1 : 2;
  const labels = new LabelEncoder(profile, writer);
  const fields = new UnknownCursor(unknown, UnknownIn.sample);

  return (from) => {
    let row = from;
    let pos = writer.pos;
    for (; row < length && pos < writer.fullBytes; row++) {
      const stack = stackStart[row]!;
      const stackEnd = stackStart[row + 1]!;
      const depth = stackEnd - stack;
      const words = writer.reserve(pos, 3 * MESSAGE_BYTES + (depth + typeCount) * VARINT_BYTES);
      const gap = varintSize(depth * idBytes + 4 * typeCount);
      const start = pos + 1 + gap;
      words.setUint8(pos, SAMPLE);
      pos = start;
      if (depth > 0) {
        const idsGap = varintSize(depth * idBytes);
        const idsStart = pos + 1 + idsGap;
        words.setUint8(pos, LOCATION_IDS);
        pos =
          ids === undefined
            ? putRows(words, idsStart, stackLocations, stack, stackEnd)
            : putIds(words, idsStart, stackLocations, ids, stack, stackEnd);
        pos = writer.close(idsStart, idsGap, pos);
      }
      if (typeCount > 0) {
        words.setUint8(pos, VALUES);
        const valuesGap = varintSize(typeCount);
        const valuesStart = pos + 1 + valuesGap;
        pos = putNumbers(words, valuesStart, values, typeCount * row, typeCount * (row + 1));
        pos = writer.close(valuesStart, valuesGap, pos);
      }
      const labelEnd = labelStart[row + 1]!;
      for (let label = labelStart[row]!; label < labelEnd; label++) pos = labels.put(pos, label);
      if (fields.hasMore) pos = fields.write(row, writer, pos);
      writer.reserve(pos, MESSAGE_BYTES);
      pos = writer.close(start, gap, pos);
    }
    writer.pos = pos;
    return row;
  };
}

class LabelEncoder {
  readonly #writer: PieceWriter;
  readonly #key: Uint32Array;
  readonly #str: Uint32Array;
  readonly #num: Uint32Array;
  readonly #unit: Uint32Array;
  readonly #unknown: UnknownCursor;

  constructor(profile: Profile, writer: PieceWriter) {
    const { key, str, num, numUnit } = profile.samples.labels;
    this.#writer = writer;
    this.#key = key;
    this.#str = str;
    this.#num = halves(num);
    this.#unit = numUnit;
    this.#unknown = new UnknownCursor(profile.unknown, UnknownIn.label);
  }

  /** Writes a label at `pos`, making room for it. @returns the position behind it */
  put(pos: number, row: number): number {
    const words = this.#writer.reserve(pos, LABEL_BYTES);
    words.setUint8(pos, LABEL);
    const start = pos + 2;
    let at = putField(words, start, LabelField.key, this.#key[row]! | 0, 0);
    at = putField(words, at, LabelField.str, this.#str[row]! | 0, 0);
    at = putField(words, at, LabelField.num, this.#num[2 * row]! | 0, this.#num[2 * row + 1]! | 0);
    at = putField(words, at, LabelField.numUnit, this.#unit[row]! | 0, 0);
    if (this.#unknown.hasMore) {
      at = this.#unknown.write(row, this.#writer, at);
      this.#writer.reserve(at, MESSAGE_BYTES);
    }
    return this.#writer.close(start, 1, at);
  }
}

/** Numbers of a 64-bit column, one behind the other. @returns the position behind them */
function putNumbers(words: DataView, pos: number, column: Uint32Array, from: number, to: number): number {
  let at = pos;
  for (let row = from; row < to; row++) at = putVarint(words, at, column[2 * row]! | 0, column[2 * row + 1]! | 0);
  return at;
}

/**
 * Ids that are row + 1, two at once where both take at most two bytes. Written out, and cut to 32 bits, else the compiler counts in
 * floating point: this loop writes most of the bytes. @returns the position behind them
 */
function putRows(words: DataView, pos: number, rows: Uint32Array, from: number, to: number): number {
  const end = to | 0;
  let at = pos | 0;
  let i = from | 0;
  for (; i + 1 < end; i = (i + 2) | 0) {
    const first = (rows[i]! + 1) | 0;
    const second = (rows[i + 1]! + 1) | 0;
    if ((first | second) >>> 14 === 0) {
      const firstLong = (127 - first) >>> 31;
      const secondLong = (127 - second) >>> 31;
      const low = (first & 0x7f) | ((first & 0x3f80) << 1) | (firstLong << 7);
      const high = (second & 0x7f) | ((second & 0x3f80) << 1) | (secondLong << 7);
      words.setInt32(at, low | (high << (8 + 8 * firstLong)), true);
      at = (at + 2 + firstLong + secondLong) | 0;
    } else {
      at = putVarint(words, at, first, 0);
      at = putVarint(words, at, second, 0);
    }
  }
  return i < end ? putVarint(words, at, (rows[i]! + 1) | 0, 0) : at;
}

function putIds(words: DataView, pos: number, rows: Uint32Array, ids: Uint32Array, from: number, to: number): number {
  let at = pos;
  for (let i = from; i < to; i++) {
    const row = rows[i]!;
    at = putVarint(words, at, ids[2 * row]! | 0, ids[2 * row + 1]! | 0);
  }
  return at;
}
