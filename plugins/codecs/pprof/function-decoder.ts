/** Message Function. */
import type { FunctionTable } from '../../../core/index.js';
import { UnknownIn } from '../../../core/index.js';
import { IntegerColumn, WideColumn } from './columns.js';
import { FunctionField, fieldNames, varintTag } from './fields.js';
import { IdTable } from './ids.js';
import type { UnknownCollector } from './unknown.js';
import type { WireReader } from './wire-reader.js';

const ID = varintTag(FunctionField.id);
const NAME = varintTag(FunctionField.name);
const SYSTEM_NAME = varintTag(FunctionField.systemName);
const FILENAME = varintTag(FunctionField.filename);
const START_LINE = varintTag(FunctionField.startLine);

export class FunctionDecoder {
  readonly ids = new IdTable('Profile.function');
  readonly #reader: WireReader;
  readonly #unknown: UnknownCollector;
  readonly #name = new IntegerColumn();
  readonly #systemName = new IntegerColumn();
  readonly #filename = new IntegerColumn();
  readonly #startLine = new WideColumn();

  constructor(reader: WireReader, unknown: UnknownCollector) {
    this.#reader = reader;
    this.#unknown = unknown;
  }

  /** One Function: the reader stands at its start, and its `len` is its end. */
  decode(): void {
    const reader = this.#reader;
    const row = this.ids.length;
    let idLo = 0;
    let idHi = 0;
    let name = 0;
    let systemName = 0;
    let filename = 0;
    let startLo = 0;
    let startHi = 0;
    while (reader.pos < reader.len) {
      const start = reader.pos;
      const tag = reader.next();
      switch (tag) {
        case ID:
          idLo = reader.lo;
          idHi = reader.hi;
          break;
        case NAME:
          name = reader.stringRow('name');
          break;
        case SYSTEM_NAME:
          systemName = reader.stringRow('system_name');
          break;
        case FILENAME:
          filename = reader.stringRow('filename');
          break;
        case START_LINE:
          startLo = reader.lo;
          startHi = reader.hi;
          break;
        default:
          reader.skipField(tag, fieldNames.function);
          this.#unknown.add(UnknownIn.function, row, reader.buf, start, reader.pos);
      }
    }
    this.ids.push(idLo, idHi);
    this.#name.push(name);
    this.#systemName.push(systemName);
    this.#filename.push(filename);
    this.#startLine.push(startLo, startHi);
  }

  finish(): FunctionTable {
    return {
      length: this.ids.length,
      id: this.ids.finish(),
      name: this.#name.finish(),
      systemName: this.#systemName.finish(),
      filename: this.#filename.finish(),
      startLine: this.#startLine.finishSigned(),
    };
  }
}
