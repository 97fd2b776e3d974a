/** Messages Location and Line. */
import type { Budget, LocationTable } from '../../../core/index.js';
import { FormatError, UnknownIn } from '../../../core/index.js';
import { ByteColumn, IntegerColumn, SparseColumn, WideColumn } from './columns.js';
import { bytesTag, fieldNames, LineField, LocationField, varintTag } from './fields.js';
import { IdTable, ReferenceColumn, rowOf } from './ids.js';
import type { UnknownCollector } from './unknown.js';
import type { WireReader } from './wire-reader.js';

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
  readonly #reader: WireReader;
  readonly #unknown: UnknownCollector;
  readonly #budget: Budget;
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
    this.#budget = budget;
  }

  /** One Location: the reader stands at its start, and its `len` is its end. */
  decode(): void {
    const reader = this.#reader;
    const row = this.ids.length;
    const end = reader.len;
    this.#lineStart.push(this.#line.length);
    let idLo = 0;
    let idHi = 0;
    let mappingLo = 0;
    let mappingHi = 0;
    let addressLo = 0;
    let addressHi = 0;
    let isFolded = 0;
    while (reader.pos < end) {
      const start = reader.pos;
      const tag = reader.next();
      switch (tag) {
        case ID:
          idLo = reader.lo;
          idHi = reader.hi;
          break;
        case MAPPING_ID:
          mappingLo = reader.lo;
          mappingHi = reader.hi;
          break;
        case ADDRESS:
          addressLo = reader.lo;
          addressHi = reader.hi;
          break;
        case LINES:
          reader.len = reader.pos + reader.lo;
          this.#decodeLine();
          reader.len = end;
          reader.message = 'Profile.location';
          reader.row = row;
          break;
        case IS_FOLDED:
          isFolded = reader.lo !== 0 || reader.hi !== 0 ? 1 : 0;
          break;
        default:
          reader.skipField(tag, fieldNames.location);
          this.#unknown.add(UnknownIn.location, row, reader.buf, start, reader.pos);
      }
    }
    this.ids.push(idLo, idHi);
    this.#mapping.push(mappingLo, mappingHi);
    this.#address.push(addressLo, addressHi);
    this.#isFolded.push(isFolded);
  }

  #decodeLine(): void {
    const reader = this.#reader;
    const row = this.#line.length;
    reader.message = 'Profile.location.line';
    reader.row = row;
    if (row >= this.#budget.limits.tableRows) this.#budget.check('tableRows', row + 1, { section: reader.message });
    let functionLo = 0;
    let functionHi = 0;
    let lineLo = 0;
    let lineHi = 0;
    while (reader.pos < reader.len) {
      const start = reader.pos;
      const tag = reader.next();
      switch (tag) {
        case FUNCTION_ID:
          functionLo = reader.lo;
          functionHi = reader.hi;
          break;
        case LINE:
          lineLo = reader.lo;
          lineHi = reader.hi;
          break;
        case COLUMN:
          this.#column.set(row, reader.lo, reader.hi);
          break;
        default:
          reader.skipField(tag, fieldNames.line);
          this.#unknown.add(UnknownIn.line, row, reader.buf, start, reader.pos);
      }
    }
    this.#lineFunction.push(functionLo, functionHi);
    this.#line.push(lineLo, lineHi);
  }

  /** @throws FormatError E_DANGLING, E_LINE_WITHOUT_FUNCTION */
  finish(mappings: IdTable, functions: IdTable): LocationTable {
    this.#lineStart.push(this.#line.length);
    const lineStart = this.#lineStart.finish();
    const column = this.#column.finish(this.#line.length);
    const lineFunction = functions.resolve(this.#lineFunction, false, (index, id) => {
      const row = rowOf(lineStart, index);
      const section = `Profile.location[${row}].line[${index - lineStart[row]!}].function_id`;
      return id === 0n
        ? new FormatError('E_LINE_WITHOUT_FUNCTION', 'line has no function', { section, got: id })
        : new FormatError('E_DANGLING', 'no function has this id', { section, got: id });
    });
    const mapping = mappings.resolve(this.#mapping, true, (row, id) => {
      const section = `Profile.location[${row}].mapping_id`;
      return new FormatError('E_DANGLING', 'no mapping has this id', { section, got: id });
    });
    return {
      length: this.ids.length,
      id: this.ids.finish(),
      mapping,
      address: this.#address.finishUnsigned(),
      isFolded: this.#isFolded.finish(),
      lineStart,
      lines: {
        length: this.#line.length,
        function: lineFunction,
        line: this.#line.finishSigned(),
        column: column === undefined ? undefined : new BigInt64Array(column.buffer),
      },
    };
  }
}
