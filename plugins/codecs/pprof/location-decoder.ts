/** Messages Location and Line. */
import type { Budget, LocationTable } from '../../../core/index.js';
import { FormatError, UnknownIn } from '../../../core/index.js';
import { ByteColumn, IntegerColumn, SparseColumn, WideColumn } from './columns.js';
import { bytesTag, fieldNames, LineField, LocationField, varintTag } from './fields.js';
import { IdTable, ReferenceColumn, rowOf } from './ids.js';
import { TableRows } from './table-rows.js';
import type { UnknownCollector } from './unknown.js';
import type { WireReader } from './wire-reader.js';
import { bytesTo, endBit, sevens } from './words.js';

const ID = varintTag(LocationField.id);
const MAPPING_ID = varintTag(LocationField.mappingId);
const ADDRESS = varintTag(LocationField.address);
const LINES = bytesTag(LocationField.line);
const IS_FOLDED = varintTag(LocationField.isFolded);
const FUNCTION_ID = varintTag(LineField.functionId);
const LINE = varintTag(LineField.line);
const COLUMN = varintTag(LineField.column);

export class LocationDecoder {
  readonly ids = new IdTable('Profile.location');
  readonly #rows: TableRows;
  readonly #lineRows: TableRows;
  readonly #reader: WireReader;
  readonly #unknown: UnknownCollector;
  readonly #mapping = new ReferenceColumn();
  readonly #address = new WideColumn();
  readonly #isFolded = new ByteColumn();
  readonly #lineStart = new IntegerColumn();
  readonly #lineFunction = new ReferenceColumn();
  readonly #line = new WideColumn();
  readonly #column = new SparseColumn(2);

  constructor(reader: WireReader, unknown: UnknownCollector, budget: Budget) {
    this.#reader = reader;
    this.#unknown = unknown;
    const columns = [this.#mapping, this.#address, this.#isFolded, this.#lineStart];
    this.#rows = new TableRows('Profile.location', columns, reader, budget);
    this.#lineRows = new TableRows('Profile.location.line', [this.#lineFunction, this.#line], reader, budget);
  }

  /** The Location in the reader's bytes from `start` to `end`. @throws FormatError */
  decode(start: number, end: number): void {
    const reader = this.#reader;
    const row = this.#rows.begin(start, end);
    this.#lineStart.data[row] = this.#lineRows.length;
    const { buf, words } = reader;
    let idLo = 0;
    let idHi = 0;
    let mappingLo = 0;
    let mappingHi = 0;
    let addressLo = 0;
    let addressHi = 0;
    let isFolded = 0;
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
        case MAPPING_ID:
          mappingLo = lo;
          mappingHi = hi;
          break;
        case ADDRESS:
          addressLo = lo;
          addressHi = hi;
          break;
        case LINES: {
          const last = reader.bytesEnd(next, lo, hi);
          this.#decodeLine(next, last);
          this.#rows.resume(row, end);
          next = last;
          break;
        }
        case IS_FOLDED:
          isFolded = lo !== 0 || hi !== 0 ? 1 : 0;
          break;
        default:
          next = this.#unknown.take(reader, pos, UnknownIn.location, row, fieldNames.location);
      }
      pos = next;
    }
    reader.leave(pos, end);
    this.ids.push(idLo, idHi);
    this.#mapping.set(row, mappingLo, mappingHi);
    this.#address.set(row, addressLo, addressHi);
    this.#isFolded.data[row] = isFolded;
  }

  #decodeLine(start: number, end: number): void {
    const reader = this.#reader;
    const row = this.#lineRows.begin(start, end);
    const { buf, words } = reader;
    let functionLo = 0;
    let functionHi = 0;
    let lineLo = 0;
    let lineHi = 0;
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
        case FUNCTION_ID:
          functionLo = lo;
          functionHi = hi;
          break;
        case LINE:
          lineLo = lo;
          lineHi = hi;
          break;
        case COLUMN:
          this.#column.set(row, lo, hi);
          break;
        default:
          next = this.#unknown.take(reader, pos, UnknownIn.line, row, fieldNames.line);
      }
      pos = next;
    }
    reader.leave(pos, end);
    this.#lineFunction.set(row, functionLo, functionHi);
    this.#line.set(row, lineLo, lineHi);
  }

  /** @throws FormatError E_DANGLING, E_LINE_WITHOUT_FUNCTION */
  finish(mappings: IdTable, functions: IdTable): LocationTable {
    const length = this.#rows.finish();
    const lineLength = this.#lineRows.finish();
    this.#lineStart.data[length] = lineLength;
    const lineStart = this.#lineStart.finish(length + 1);
    const column = this.#column.finish(lineLength);
    const lineFunction = functions.resolve(this.#lineFunction, lineLength, false, (index, id) => {
      const row = rowOf(lineStart, index);
      const section = `Profile.location[${row}].line[${index - lineStart[row]!}].function_id`;
      return id === 0n
        ? new FormatError('E_LINE_WITHOUT_FUNCTION', 'line has no function', { section, got: id })
        : new FormatError('E_DANGLING', 'no function has this id', { section, got: id });
    });
    const mapping = mappings.resolve(this.#mapping, length, true, (row, id) => {
      const section = `Profile.location[${row}].mapping_id`;
      return new FormatError('E_DANGLING', 'no mapping has this id', { section, got: id });
    });
    return {
      length,
      id: this.ids.finish(),
      mapping,
      address: this.#address.finishUnsigned(length),
      isFolded: this.#isFolded.finish(length),
      lineStart,
      lines: {
        length: lineLength,
        function: lineFunction,
        line: this.#line.finishSigned(lineLength),
        column: column === undefined ? undefined : new BigInt64Array(column.buffer),
      },
    };
  }
}
