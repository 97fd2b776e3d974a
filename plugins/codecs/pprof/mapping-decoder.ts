/** Message Mapping. */
import type { Budget, MappingTable } from '../../../core/index.js';
import { MappingFlag, UnknownIn } from '../../../core/index.js';
import { ByteColumn, IntegerColumn, WideColumn } from './columns.js';
import { fieldNames, MappingField, varintTag } from './fields.js';
import { IdTable } from './ids.js';
import { TableRows } from './table-rows.js';
import type { UnknownCollector } from './unknown.js';
import type { WireReader } from './wire-reader.js';

const flagOfTag: { readonly [tag: number]: number } = {
  [varintTag(MappingField.hasFunctions)]: MappingFlag.hasFunctions,
  [varintTag(MappingField.hasFilenames)]: MappingFlag.hasFilenames,
  [varintTag(MappingField.hasLineNumbers)]: MappingFlag.hasLineNumbers,
  [varintTag(MappingField.hasInlineFrames)]: MappingFlag.hasInlineFrames,
};

export class MappingDecoder {
  readonly ids = new IdTable('Profile.mapping');
  readonly #rows: TableRows;
  readonly #reader: WireReader;
  readonly #unknown: UnknownCollector;
  readonly #start = new WideColumn();
  readonly #limit = new WideColumn();
  readonly #offset = new WideColumn();
  readonly #filename = new IntegerColumn();
  readonly #buildId = new IntegerColumn();
  readonly #flags = new ByteColumn();

  constructor(reader: WireReader, unknown: UnknownCollector, budget: Budget) {
    this.#reader = reader;
    this.#unknown = unknown;
    const columns = [this.#start, this.#limit, this.#offset, this.#filename, this.#buildId, this.#flags];
    this.#rows = new TableRows('Profile.mapping', columns, reader, budget);
  }

  /** The Mapping in the reader's bytes from `start` to `end`. @throws FormatError */
  decode(start: number, end: number): void {
    const reader = this.#reader;
    const row = this.#rows.begin(start, end);
    let [idLo, idHi, startLo, startHi, limitLo, limitHi, offsetLo, offsetHi] = [0, 0, 0, 0, 0, 0, 0, 0];
    let [filename, buildId, flags] = [0, 0, 0];
    while (reader.pos < end) {
      const fieldStart = reader.pos;
      const tag = reader.next();
      const { lo, hi } = reader;
      switch (tag) {
        case varintTag(MappingField.id):
          [idLo, idHi] = [lo, hi];
          break;
        case varintTag(MappingField.memoryStart):
          [startLo, startHi] = [lo, hi];
          break;
        case varintTag(MappingField.memoryLimit):
          [limitLo, limitHi] = [lo, hi];
          break;
        case varintTag(MappingField.fileOffset):
          [offsetLo, offsetHi] = [lo, hi];
          break;
        case varintTag(MappingField.filename):
          filename = reader.stringRow('filename');
          break;
        case varintTag(MappingField.buildId):
          buildId = reader.stringRow('build_id');
          break;
        default: {
          const flag = flagOfTag[tag];
          if (flag !== undefined) flags = lo !== 0 || hi !== 0 ? flags | flag : flags & ~flag;
          else {
            reader.skipField(tag, fieldNames.mapping);
            this.#unknown.add(UnknownIn.mapping, row, reader.buf, fieldStart, reader.pos);
          }
        }
      }
    }
    this.ids.push(idLo, idHi);
    this.#start.set(row, startLo, startHi);
    this.#limit.set(row, limitLo, limitHi);
    this.#offset.set(row, offsetLo, offsetHi);
    this.#filename.data[row] = filename;
    this.#buildId.data[row] = buildId;
    this.#flags.data[row] = flags;
  }

  finish(): MappingTable {
    const length = this.#rows.finish();
    return {
      length,
      id: this.ids.finish(),
      memoryStart: this.#start.finishUnsigned(length),
      memoryLimit: this.#limit.finishUnsigned(length),
      fileOffset: this.#offset.finishUnsigned(length),
      filename: this.#filename.finish(length),
      buildId: this.#buildId.finish(length),
      flags: this.#flags.finish(length),
    };
  }
}
