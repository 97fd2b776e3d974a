/** Message Mapping. */
import { MappingFlag, type MappingTable, UnknownIn } from '../../../core/index.js';
import { fieldNames, MappingField, ProfileField } from './fields.js';
import type { RowKernel } from './row-kernel.js';

export class MappingDecoder {
  readonly #rows;
  readonly ids;
  readonly #start;
  readonly #limit;
  readonly #offset;
  readonly #filename;
  readonly #buildId;
  readonly #flags;

  constructor(kernel: RowKernel) {
    this.#rows = kernel.table(UnknownIn.mapping, fieldNames.mapping, ProfileField.mapping);
    this.ids = this.#rows.id(MappingField.id, 'Profile.mapping');
    this.#start = this.#rows.wide(MappingField.memoryStart);
    this.#limit = this.#rows.wide(MappingField.memoryLimit);
    this.#offset = this.#rows.wide(MappingField.fileOffset);
    this.#filename = this.#rows.string(MappingField.filename);
    this.#buildId = this.#rows.string(MappingField.buildId);
    this.#flags = this.#rows.flags([
      [MappingField.hasFunctions, MappingFlag.hasFunctions],
      [MappingField.hasFilenames, MappingFlag.hasFilenames],
      [MappingField.hasLineNumbers, MappingFlag.hasLineNumbers],
      [MappingField.hasInlineFrames, MappingFlag.hasInlineFrames],
    ]);
  }

  finish(): MappingTable {
    return {
      length: this.#rows.length,
      id: this.ids.column,
      memoryStart: this.#start.finish(),
      memoryLimit: this.#limit.finish(),
      fileOffset: this.#offset.finish(),
      filename: this.#filename.finish(),
      buildId: this.#buildId.finish(),
      flags: this.#flags.finish(),
    };
  }
}
