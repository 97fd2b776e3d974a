/** Messages Sample and Label: where nearly all bytes of a profile are. */
import type { Budget, LabelTable, SampleTable } from '../../../core/index.js';
import { FormatError, NO_ROW, UnknownIn } from '../../../core/index.js';
import { IntegerColumn, WideColumn } from './columns.js';
import { bytesTag, fieldNames, LabelField, SampleField, varintTag } from './fields.js';
import { type IdTable, ReferenceColumn, rowOf } from './ids.js';
import type { UnknownCollector } from './unknown.js';
import type { WireReader } from './wire-reader.js';

const LOCATION_ID = varintTag(SampleField.locationId);
const LOCATION_IDS = bytesTag(SampleField.locationId);
const VALUE = varintTag(SampleField.value);
const VALUES = bytesTag(SampleField.value);
const LABEL = bytesTag(SampleField.label);
const KEY = varintTag(LabelField.key);
const STR = varintTag(LabelField.str);
const NUM = varintTag(LabelField.num);
const NUM_UNIT = varintTag(LabelField.numUnit);

export class SampleDecoder {
  readonly #reader: WireReader;
  readonly #unknown: UnknownCollector;
  readonly #budget: Budget;
  readonly #stackStart = new IntegerColumn();
  readonly #stack = new ReferenceColumn();
  readonly #values = new WideColumn();
  readonly #labelStart = new IntegerColumn();
  readonly #labelKey = new IntegerColumn();
  readonly #labelStr = new IntegerColumn();
  readonly #labelNum = new WideColumn();
  readonly #labelUnit = new IntegerColumn();
  /** Number of values of the first sample, and the first sample with another number. */
  #valueCount = 0;
  #oddRow = -1;
  #oddCount = 0;
  /** The sign bits of all values, or-ed. */
  #signs = 0;

  constructor(reader: WireReader, unknown: UnknownCollector, budget: Budget) {
    this.#reader = reader;
    this.#unknown = unknown;
    this.#budget = budget;
  }

  get length(): number {
    return this.#stackStart.length;
  }

  get hasNegativeValues(): boolean {
    return this.#signs >>> 31 === 1;
  }

  /** One Sample: the reader stands at its start, and its `len` is its end. */
  decode(): void {
    const reader = this.#reader;
    const row = this.length;
    const stackStart = this.#stack.rows.length;
    const valueStart = this.#values.length;
    const labelStart = this.#labelKey.length;
    this.#stackStart.push(stackStart);
    this.#labelStart.push(labelStart);
    const end = reader.len;
    while (reader.pos < end) {
      const start = reader.pos;
      const tag = reader.next();
      switch (tag) {
        case LOCATION_IDS:
          this.#packedLocations(reader.pos + reader.lo);
          break;
        case VALUES:
          this.#packedValues(reader.pos + reader.lo);
          break;
        case LABEL:
          reader.len = reader.pos + reader.lo;
          this.#label();
          reader.len = end;
          reader.message = 'Profile.sample';
          reader.row = row;
          break;
        case LOCATION_ID:
          this.#stack.push(reader.lo, reader.hi);
          break;
        case VALUE:
          this.#signs |= reader.hi;
          this.#values.push(reader.lo, reader.hi);
          break;
        default:
          reader.skipField(tag, fieldNames.sample);
          this.#unknown.add(UnknownIn.sample, row, reader.buf, start, reader.pos);
      }
    }
    this.#checkCounts(row, this.#stack.rows.length - stackStart, this.#values.length - valueStart, labelStart);
  }

  /**
   * Ids are read by hand, not by Reader.uint32, which would drop the high bits of large ones: this loop sees most of the bytes. Those
   * of up to three bytes (below 2,097,152) are read without a branch on their length, which no processor can foresee: the lowest bit
   * 7 that is 0 ends the number, and the sevens of bits below it are moved together.
   */
  #packedLocations(end: number): void {
    const reader = this.#reader;
    const { words, lastWord, len } = reader;
    const column = this.#stack.rows;
    column.reserve(end - reader.pos);
    const { data } = column;
    let length = column.length | 0;
    let pos = reader.pos | 0;
    let max = -1;
    // Its sign bit is set when any id is 0.
    let all = 0;
    while (pos < end) {
      const word = pos <= lastWord ? words.getInt32(pos, true) : -1;
      const ends = ~word & 0x808080;
      if (ends !== 0) {
        const lowest = ends & -ends;
        const bits = word & (lowest - 1);
        const row = ((bits & 0x7f) | ((bits >>> 1) & 0x3f80) | ((bits >>> 2) & 0x1fc000)) - 1;
        data[length++] = row;
        if (row > max) max = row;
        all |= row;
        pos += (39 - Math.clz32(lowest)) >>> 3;
        continue;
      }
      reader.pos = pos;
      reader.len = end;
      reader.varint64();
      column.length = length;
      this.#stack.push(reader.lo, reader.hi);
      length++;
      pos = reader.pos;
    }
    column.length = length;
    if (all < 0) max = NO_ROW;
    if (max > this.#stack.max) this.#stack.max = max;
    reader.pos = pos;
    if (pos > end) throw reader.fail('E_TRUNCATED', 'message ends within a number', { field: 'location_id' });
    reader.len = len;
  }

  #packedValues(end: number): void {
    const reader = this.#reader;
    const column = this.#values;
    column.reserve(end - reader.pos);
    const { data } = column;
    const { len } = reader;
    reader.len = end;
    let { length } = column;
    while (reader.pos < end) {
      data[2 * length] = reader.varint64();
      data[2 * length + 1] = reader.hi;
      this.#signs |= reader.hi;
      length++;
    }
    reader.len = len;
    column.length = length;
  }

  #label(): void {
    const reader = this.#reader;
    const row = this.#labelKey.length;
    reader.message = 'Profile.sample.label';
    reader.row = row;
    if (row >= this.#budget.limits.tableRows) this.#budget.check('tableRows', row + 1, { section: reader.message });
    let key = 0;
    let str = 0;
    let numLo = 0;
    let numHi = 0;
    let unit = 0;
    while (reader.pos < reader.len) {
      const start = reader.pos;
      const tag = reader.next();
      switch (tag) {
        case KEY:
          key = reader.stringRow('key');
          break;
        case STR:
          str = reader.stringRow('str');
          break;
        case NUM:
          numLo = reader.lo;
          numHi = reader.hi;
          break;
        case NUM_UNIT:
          unit = reader.stringRow('num_unit');
          break;
        default:
          reader.skipField(tag, fieldNames.label);
          this.#unknown.add(UnknownIn.label, row, reader.buf, start, reader.pos);
      }
    }
    this.#labelKey.push(key);
    this.#labelStr.push(str);
    this.#labelNum.push(numLo, numHi);
    this.#labelUnit.push(unit);
  }

  #checkCounts(row: number, depth: number, values: number, labelStart: number): void {
    const { stackDepth, labelsPerSample } = this.#budget.limits;
    if (depth > stackDepth) this.#budget.check('stackDepth', depth, { section: `Profile.sample[${row}].location_id` });
    const labels = this.#labelKey.length - labelStart;
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
    const { length } = this;
    if (length > 0) {
      if (sampleTypes === 0)
        throw new FormatError('E_SAMPLE_TYPES', `${length} samples, but no sample types`, { section: 'Profile' });
      if (this.#valueCount !== sampleTypes) throw valueCount(0, this.#valueCount, sampleTypes);
      if (this.#oddRow >= 0) throw valueCount(this.#oddRow, this.#oddCount, sampleTypes);
    }
    this.#stackStart.push(this.#stack.rows.length);
    this.#labelStart.push(this.#labelKey.length);
    this.#oddRow = -1;
    this.#signs = 0;
    const stackStart = this.#stackStart.finish();
    const stackLocations = locations.resolve(this.#stack, false, (index, id) => {
      const row = rowOf(stackStart, index);
      const section = `Profile.sample[${row}].location_id[${index - stackStart[row]!}]`;
      return new FormatError('E_DANGLING', 'no location has this id', { section, got: id });
    });
    const labels: LabelTable = {
      length: this.#labelKey.length,
      key: this.#labelKey.finish(),
      str: this.#labelStr.finish(),
      num: this.#labelNum.finishSigned(),
      numUnit: this.#labelUnit.finish(),
    };
    return {
      length,
      stackStart,
      stackLocations,
      values: this.#values.finishSigned(),
      labelStart: this.#labelStart.finish(),
      labels,
    };
  }
}

function valueCount(row: number, got: number, want: number): FormatError {
  return new FormatError('E_VALUE_COUNT', `${got} values, profile has ${want} sample types`, {
    section: `Profile.sample[${row}]`,
    got,
    limit: want,
  });
}
