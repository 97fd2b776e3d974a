/** Message Mapping. */
import type { MappingTable } from '../../../core/index.js';
import { MappingFlag, UnknownIn } from '../../../core/index.js';
import { ByteColumn, IntegerColumn, WideColumn } from './columns.js';
import { fieldNames, MappingField, varintTag } from './fields.js';
import { IdTable } from './ids.js';
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
  readonly #reader: WireReader;
  readonly #unknown: UnknownCollector;
  readonly #start = new WideColumn();
  readonly #limit = new WideColumn();
  readonly #offset = new WideColumn();
  readonly #filename = new IntegerColumn();
  readonly #buildId = new IntegerColumn();
  readonly #flags = new ByteColumn();

  constructor(reader: WireReader, unknown: UnknownCollector) {
    this.#reader = reader;
    this.#unknown = unknown;
  }

  /** One Mapping: the reader stands at its start, and its `len` is its end. */
  decode(): void {
    const reader = this.#reader;
    const row = this.ids.length;
    let [idLo, idHi, startLo, startHi, limitLo, limitHi, offsetLo, offsetHi] = [0, 0, 0, 0, 0, 0, 0, 0];
    let [filename, buildId, flags] = [0, 0, 0];
    while (reader.pos < reader.len) {
      const start = reader.pos;
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
            this.#unknown.add(UnknownIn.mapping, row, reader.buf, start, reader.pos);
          }
        }
      }
    }
    this.ids.push(idLo, idHi);
    this.#start.push(startLo, startHi);
    this.#limit.push(limitLo, limitHi);
    this.#offset.push(offsetLo, offsetHi);
    this.#filename.push(filename);
    this.#buildId.push(buildId);
    this.#flags.push(flags);
  }

  finish(): MappingTable {
    return {
      length: this.ids.length,
      id: this.ids.finish(),
      memoryStart: this.#start.finishUnsigned(),
      memoryLimit: this.#limit.finishUnsigned(),
      fileOffset: this.#offset.finishUnsigned(),
      filename: this.#filename.finish(),
      buildId: this.#buildId.finish(),
      flags: this.#flags.finish(),
    };
  }
}
