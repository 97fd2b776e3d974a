/** Message Sample: where nearly all bytes of a profile are. */
import type { Budget, SampleTable } from '../../../core/index.js';
import { FormatError, UnknownIn } from '../../../core/index.js';
import { grownCapacity, IntegerColumn, WideColumn } from './columns.js';
import { bytesTag, fieldNames, SampleField, varintTag } from './fields.js';
import { type IdTable, ReferenceColumn, rowOf } from './ids.js';
import { LabelDecoder } from './label-decoder.js';
import { appendPackedIds } from './packed-ids.js';
import { TableRows } from './table-rows.js';
import type { UnknownCollector } from './unknown.js';
import type { WireReader } from './wire-reader.js';
import { bytesTo, endBit, sevens } from './words.js';

const LOCATION_ID = varintTag(SampleField.locationId);
const LOCATION_IDS = bytesTag(SampleField.locationId);
const VALUE = varintTag(SampleField.value);
const VALUES = bytesTag(SampleField.value);
const LABEL = bytesTag(SampleField.label);

export class SampleDecoder {
  readonly #rows: TableRows;
  readonly #reader: WireReader;
  readonly #unknown: UnknownCollector;
  readonly #budget: Budget;
  readonly #labels: LabelDecoder;
  readonly #stackStart = new IntegerColumn();
  readonly #labelStart = new IntegerColumn();
  readonly #stack = new ReferenceColumn();
  readonly #values = new WideColumn();
  #stackLength = 0;
  #valuesLength = 0;
  /** Number of values of the first sample, and the first sample with another number. */
  #valueCount = 0;
  #oddRow = -1;
  #oddCount = 0;
  /** The high halves of all values, or-ed. */
  #signs = 0;

  constructor(reader: WireReader, unknown: UnknownCollector, budget: Budget) {
    this.#reader = reader;
    this.#unknown = unknown;
    this.#budget = budget;
    this.#labels = new LabelDecoder(reader, unknown, budget);
    this.#rows = new TableRows('Profile.sample', [this.#stackStart, this.#labelStart], reader, budget);
  }

  get hasNegativeValues(): boolean {
    return this.#signs >>> 31 === 1;
  }

  /** The Sample in the reader's bytes from `start` to `end`. @throws FormatError */
  decode(start: number, end: number): void {
    const reader = this.#reader;
    const row = this.#rows.begin(start, end);
    const stackStart = this.#stackLength;
    const valueStart = this.#valuesLength;
    const labelStart = this.#labels.rows.length;
    this.#stackStart.data[row] = stackStart;
    this.#labelStart.data[row] = labelStart;
    const { buf, words } = reader;
    let pos = start;
    while (pos < end) {
      const tag = buf[pos]!;
      const word = words.getInt32(pos + 1, true);
      const bit = endBit(word);
      let lo = sevens(word & (bit - 1));
      let hi = 0;
      let next = pos + 1 + bytesTo(bit);
      if (bit === 0) {
        next = reader.long(pos + 1, tag);
        lo = reader.lo;
        hi = reader.hi;
      }
      switch (tag) {
        case LOCATION_IDS: {
          const last = reader.bytesEnd(next, lo, hi);
          this.#stackLength = appendPackedIds(reader, this.#stack, this.#stackLength, next, last);
          next = last;
          break;
        }
        case VALUES: {
          const last = reader.bytesEnd(next, lo, hi);
          this.#packedValues(next, last);
          next = last;
          break;
        }
        case LABEL: {
          const last = reader.bytesEnd(next, lo, hi);
          this.#labels.decode(next, last);
          this.#rows.resume(row, end);
          next = last;
          break;
        }
        case LOCATION_ID:
          this.#location(lo, hi);
          break;
        case VALUE:
          this.#reserveValues(1);
          this.#value(lo, hi);
          break;
        default:
          next = this.#unknown.take(reader, pos, UnknownIn.sample, row, fieldNames.sample);
      }
      pos = next;
    }
    reader.leave(pos, end);
    this.#checkCounts(row, this.#stackLength - stackStart, this.#valuesLength - valueStart, labelStart);
  }

  #location(lo: number, hi: number): void {
    const index = this.#stackLength++;
    const { rows } = this.#stack;
    if (index >= rows.data.length) rows.reserve(grownCapacity(index, index + 1), index);
    this.#stack.set(index, lo, hi);
  }

  #reserveValues(count: number): void {
    const wanted = this.#valuesLength + count;
    const capacity = this.#values.data.length / 2;
    if (wanted > capacity) this.#values.reserve(grownCapacity(capacity, wanted), this.#valuesLength);
  }

  #value(lo: number, hi: number): void {
    this.#signs |= hi;
    this.#values.set(this.#valuesLength++, lo, hi);
  }

  #packedValues(start: number, end: number): void {
    const reader = this.#reader;
    const { words } = reader;
    this.#reserveValues(end - start);
    let pos = start;
    while (pos < end) {
      const word = words.getInt32(pos, true);
      const bit = endBit(word);
      if (bit !== 0) {
        this.#value(sevens(word & (bit - 1)), 0);
        pos += bytesTo(bit);
      } else {
        reader.pos = pos;
        this.#value(reader.varint64(), reader.hi);
        pos = reader.pos;
      }
    }
    reader.leave(pos, end);
  }

  #checkCounts(row: number, depth: number, values: number, labelStart: number): void {
    const { stackDepth, labelsPerSample } = this.#budget.limits;
    if (depth > stackDepth) this.#budget.check('stackDepth', depth, { section: `Profile.sample[${row}].location_id` });
    const labels = this.#labels.rows.length - labelStart;
    if (labels > labelsPerSample) {
      this.#budget.check('labelsPerSample', labels, { section: `Profile.sample[${row}].label` });
    }
    if (row === 0) this.#valueCount = values;
    else if (values !== this.#valueCount && this.#oddRow < 0) {
      this.#oddRow = row;
      this.#oddCount = values;
    }
  }

  /** @throws FormatError E_SAMPLE_TYPES, E_VALUE_COUNT, E_DANGLING; string rows are left to the caller */
  finish(sampleTypes: number, locations: IdTable): SampleTable {
    const length = this.#rows.finish();
    if (length > 0) {
      if (sampleTypes === 0)
        throw new FormatError('E_SAMPLE_TYPES', `${length} samples, but no sample types`, { section: 'Profile' });
      if (this.#valueCount !== sampleTypes) throw valueCount(0, this.#valueCount, sampleTypes);
      if (this.#oddRow >= 0) throw valueCount(this.#oddRow, this.#oddCount, sampleTypes);
    }
    const labels = this.#labels.finish();
    this.#stackStart.data[length] = this.#stackLength;
    this.#labelStart.data[length] = labels.length;
    const stackStart = this.#stackStart.finish(length + 1);
    const stackLocations = locations.resolve(this.#stack, this.#stackLength, false, (index, id) => {
      const row = rowOf(stackStart, index);
      const section = `Profile.sample[${row}].location_id[${index - stackStart[row]!}]`;
      return new FormatError('E_DANGLING', 'no location has this id', { section, got: id });
    });
    const values = this.#values.finishSigned(this.#valuesLength);
    this.#stackLength = 0;
    this.#valuesLength = 0;
    this.#oddRow = -1;
    this.#signs = 0;
    return { length, stackStart, stackLocations, values, labelStart: this.#labelStart.finish(length + 1), labels };
  }
}

function valueCount(row: number, got: number, want: number): FormatError {
  return new FormatError('E_VALUE_COUNT', `${got} values, profile has ${want} sample types`, {
    section: `Profile.sample[${row}]`,
    got,
    limit: want,
  });
}
