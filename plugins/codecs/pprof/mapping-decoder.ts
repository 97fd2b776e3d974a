/** Message Mapping. */
import type { MappingTable } from '../../../core/index.js';
import { MappingFlag, UnknownIn } from '../../../core/index.js';
import { ByteColumn, IntegerColumn, WideColumn } from './columns.js';
import { MappingField, WireType } from './fields.js';
import { IdTable } from './ids.js';
import type { UnknownCollector } from './unknown.js';
import type { WireReader } from './wire-reader.js';

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
      const fieldStart = reader.pos;
      const tag = reader.tag();
      const field = tag >>> 3;
      if (field === 0 || field > MappingField.hasInlineFrames) {
        reader.skipField(tag);
        this.#unknown.add(UnknownIn.mapping, row, reader.buf, fieldStart, reader.pos);
        continue;
      }
      reader.expect(tag, WireType.varint, mappingFieldNames[field]!);
      if (field === MappingField.filename) filename = reader.stringIndex('filename');
      else if (field === MappingField.buildId) buildId = reader.stringIndex('build_id');
      else {
        reader.varint64();
        const { lo, hi } = reader;
        switch (field) {
          case MappingField.id:
            [idLo, idHi] = [lo, hi];
            break;
          case MappingField.memoryStart:
            [startLo, startHi] = [lo, hi];
            break;
          case MappingField.memoryLimit:
            [limitLo, limitHi] = [lo, hi];
            break;
          case MappingField.fileOffset:
            [offsetLo, offsetHi] = [lo, hi];
            break;
          default: {
            const flag = mappingFlagOfField[field]!;
            flags = lo !== 0 || hi !== 0 ? flags | flag : flags & ~flag;
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

const mappingFieldNames: readonly string[] = [
  '',
  'id',
  'memory_start',
  'memory_limit',
  'file_offset',
  'filename',
  'build_id',
  'has_functions',
  'has_filenames',
  'has_line_numbers',
  'has_inline_frames',
];

const mappingFlagOfField: { readonly [field: number]: number } = {
  [MappingField.hasFunctions]: MappingFlag.hasFunctions,
  [MappingField.hasFilenames]: MappingFlag.hasFilenames,
  [MappingField.hasLineNumbers]: MappingFlag.hasLineNumbers,
  [MappingField.hasInlineFrames]: MappingFlag.hasInlineFrames,
};
