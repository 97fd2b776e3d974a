/** Message Label. */
import type { Budget, LabelTable } from '../../../core/index.js';
import { UnknownIn } from '../../../core/index.js';
import { IntegerColumn, WideColumn } from './columns.js';
import { fieldNames, LabelField, varintTag } from './fields.js';
import { TableRows } from './table-rows.js';
import type { UnknownCollector } from './unknown.js';
import type { WireReader } from './wire-reader.js';
import { bytesTo, endBit, sevens } from './words.js';

const KEY = varintTag(LabelField.key);
const STR = varintTag(LabelField.str);
const NUM = varintTag(LabelField.num);
const NUM_UNIT = varintTag(LabelField.numUnit);

export class LabelDecoder {
  readonly rows: TableRows;
  readonly #reader: WireReader;
  readonly #unknown: UnknownCollector;
  readonly #key = new IntegerColumn();
  readonly #str = new IntegerColumn();
  readonly #num = new WideColumn();
  readonly #unit = new IntegerColumn();

  constructor(reader: WireReader, unknown: UnknownCollector, budget: Budget) {
    this.#reader = reader;
    this.#unknown = unknown;
    const columns = [this.#key, this.#str, this.#num, this.#unit];
    this.rows = new TableRows('Profile.sample.label', columns, reader, budget);
  }

  /** The Label in the reader's bytes from `start` to `end`. @throws FormatError */
  decode(start: number, end: number): void {
    const reader = this.#reader;
    const row = this.rows.begin(start, end);
    const { buf, words } = reader;
    let key = 0;
    let str = 0;
    let numLo = 0;
    let numHi = 0;
    let unit = 0;
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
        case KEY:
          key = reader.stringRow('key', lo, hi);
          break;
        case STR:
          str = reader.stringRow('str', lo, hi);
          break;
        case NUM:
          numLo = lo;
          numHi = hi;
          break;
        case NUM_UNIT:
          unit = reader.stringRow('num_unit', lo, hi);
          break;
        default:
          next = this.#unknown.take(reader, pos, UnknownIn.label, row, fieldNames.label);
      }
      pos = next;
    }
    reader.leave(pos, end);
    this.#key.data[row] = key;
    this.#str.data[row] = str;
    this.#num.set(row, numLo, numHi);
    this.#unit.data[row] = unit;
  }

  finish(): LabelTable {
    const length = this.rows.finish();
    return {
      length,
      key: this.#key.finish(length),
      str: this.#str.finish(length),
      num: this.#num.finishSigned(length),
      numUnit: this.#unit.finish(length),
    };
  }
}
