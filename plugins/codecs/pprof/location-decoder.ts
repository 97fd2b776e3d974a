/** Messages Location and Line. */
import { FormatError, type LineTable, type LocationTable, UnknownIn } from '../../../core/index.js';
import { asSigned } from './columns.js';
import { fieldNames, LineField, LocationField, ProfileField } from './fields.js';
import { type IdTable, rowOf } from './ids.js';
import type { RowKernel } from './row-kernel.js';

export class LocationDecoder {
  readonly #rows;
  readonly #lineRows;
  readonly ids;
  readonly #mapping;
  readonly #address;
  readonly #isFolded;
  readonly #lineStart;
  readonly #lineFunction;
  readonly #line;
  readonly #column;

  constructor(kernel: RowKernel) {
    this.#rows = kernel.table(UnknownIn.location, fieldNames.location, ProfileField.location);
    this.#lineRows = kernel.table(UnknownIn.line, fieldNames.line);
    this.ids = this.#rows.id(LocationField.id, 'Profile.location');
    this.#mapping = this.#rows.reference(LocationField.mappingId);
    this.#address = this.#rows.wide(LocationField.address);
    this.#isFolded = this.#rows.flags([[LocationField.isFolded, 1]]);
    this.#lineStart = this.#rows.starts(LocationField.line, this.#lineRows);
    this.#lineFunction = this.#lineRows.reference(LineField.functionId);
    this.#line = this.#lineRows.wide(LineField.line);
    this.#column = this.#lineRows.rare(LineField.column);
  }

  /** @throws FormatError E_DANGLING, E_LINE_WITHOUT_FUNCTION */
  finish(mappings: IdTable, functions: IdTable): LocationTable {
    const lineLength = this.#lineRows.length;
    this.#lineStart.append(Uint32Array.of(lineLength));
    const lineStart = this.#lineStart.finish();
    const column = this.#column.finish(lineLength);
    const lines: LineTable = {
      length: lineLength,
      function: functions.resolve(this.#lineFunction, false, (index, id) => {
        const row = rowOf(lineStart, index);
        const section = `Profile.location[${row}].line[${index - lineStart[row]!}].function_id`;
        return id === 0n
          ? new FormatError('E_LINE_WITHOUT_FUNCTION', 'line has no function', { section, got: id })
          : new FormatError('E_DANGLING', 'no function has this id', { section, got: id });
      }),
      line: asSigned(this.#line.finish()),
      column: column === undefined ? undefined : asSigned(column),
    };
    const mapping = mappings.resolve(this.#mapping, true, (row, id) => {
      const section = `Profile.location[${row}].mapping_id`;
      return new FormatError('E_DANGLING', 'no mapping has this id', { section, got: id });
    });
    return {
      length: this.#rows.length,
      id: this.ids.column,
      mapping,
      address: this.#address.finish(),
      isFolded: this.#isFolded.finish(),
      lineStart,
      lines,
    };
  }
}
