/** Message Function. */
import type { FunctionTable } from '../../../core/index.js';
import { UnknownIn } from '../../../core/index.js';
import { IntegerColumn, WideColumn } from './columns.js';
import { FunctionField, WireType } from './fields.js';
import { IdTable } from './ids.js';
import type { UnknownCollector } from './unknown.js';
import type { WireReader } from './wire-reader.js';

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
    let [idLo, idHi, name, systemName, filename, startLo, startHi] = [0, 0, 0, 0, 0, 0, 0];
    while (reader.pos < reader.len) {
      const start = reader.pos;
      const tag = reader.tag();
      switch (tag >>> 3) {
        case FunctionField.id:
          reader.expect(tag, WireType.varint, 'id');
          reader.varint64();
          idLo = reader.lo;
          idHi = reader.hi;
          break;
        case FunctionField.name:
          reader.expect(tag, WireType.varint, 'name');
          name = reader.stringIndex('name');
          break;
        case FunctionField.systemName:
          reader.expect(tag, WireType.varint, 'system_name');
          systemName = reader.stringIndex('system_name');
          break;
        case FunctionField.filename:
          reader.expect(tag, WireType.varint, 'filename');
          filename = reader.stringIndex('filename');
          break;
        case FunctionField.startLine:
          reader.expect(tag, WireType.varint, 'start_line');
          reader.varint64();
          startLo = reader.lo;
          startHi = reader.hi;
          break;
        default:
          reader.skipField(tag);
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
