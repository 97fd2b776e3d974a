/** Message Function. */
import type { Budget, FunctionTable } from '../../../core/index.js';
import { UnknownIn } from '../../../core/index.js';
import { IntegerColumn, WideColumn } from './columns.js';
import { FunctionField, fieldNames, varintTag } from './fields.js';
import { IdTable } from './ids.js';
import { TableRows } from './table-rows.js';
import type { UnknownCollector } from './unknown.js';
import type { WireReader } from './wire-reader.js';
import { bytesTo, endBit, sevens } from './words.js';

const ID = varintTag(FunctionField.id);
const NAME = varintTag(FunctionField.name);
const SYSTEM_NAME = varintTag(FunctionField.systemName);
const FILENAME = varintTag(FunctionField.filename);
const START_LINE = varintTag(FunctionField.startLine);

export class FunctionDecoder {
  readonly ids = new IdTable('Profile.function');
  readonly #rows: TableRows;
  readonly #reader: WireReader;
  readonly #unknown: UnknownCollector;
  readonly #name = new IntegerColumn();
  readonly #systemName = new IntegerColumn();
  readonly #filename = new IntegerColumn();
  readonly #startLine = new WideColumn();

  constructor(reader: WireReader, unknown: UnknownCollector, budget: Budget) {
    this.#reader = reader;
    this.#unknown = unknown;
    const columns = [this.#name, this.#systemName, this.#filename, this.#startLine];
    this.#rows = new TableRows('Profile.function', columns, reader, budget);
  }

  /** The Function in the reader's bytes from `start` to `end`. @throws FormatError */
  decode(start: number, end: number): void {
    const reader = this.#reader;
    const row = this.#rows.begin(start, end);
    const { buf, words } = reader;
    let idLo = 0;
    let idHi = 0;
    let name = 0;
    let systemName = 0;
    let filename = 0;
    let startLo = 0;
    let startHi = 0;
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
        case ID:
          idLo = lo;
          idHi = hi;
          break;
        case NAME:
          name = reader.stringRow('name', lo, hi);
          break;
        case SYSTEM_NAME:
          systemName = reader.stringRow('system_name', lo, hi);
          break;
        case FILENAME:
          filename = reader.stringRow('filename', lo, hi);
          break;
        case START_LINE:
          startLo = lo;
          startHi = hi;
          break;
        default:
          next = this.#unknown.take(reader, pos, UnknownIn.function, row, fieldNames.function);
      }
      pos = next;
    }
    reader.leave(pos, end);
    this.ids.push(idLo, idHi);
    this.#name.data[row] = name;
    this.#systemName.data[row] = systemName;
    this.#filename.data[row] = filename;
    this.#startLine.set(row, startLo, startHi);
  }

  finish(): FunctionTable {
    const length = this.#rows.finish();
    return {
      length,
      id: this.ids.finish(),
      name: this.#name.finish(length),
      systemName: this.#systemName.finish(length),
      filename: this.#filename.finish(length),
      startLine: this.#startLine.finishSigned(length),
    };
  }
}
