/** An ELF string table as a section of a file, which may be larger than what one wants in memory. */
import { FormatError } from '../errors.js';
import type { Budget } from '../limits.js';
import type { ElfFile } from './file.js';
import { type ElfSection, SectionType } from './section.js';
import { behindEnd, stringInTable } from './string-table.js';

/** A table up to this size is read whole: names asked for one by one would be as many reads of the file. */
const WHOLE_BYTES = 2 ** 24;
/** One above this size only after some questions: who asks for one address shall not wait for it. */
const SMALL_BYTES = 2 ** 20;
const FEW_QUESTIONS = 256;
/** First part of a name that is looked at. */
const NAME_BYTES = 256;

export class StringSection {
  readonly #elf: ElfFile;
  readonly #section: ElfSection;
  readonly #budget: Budget;
  #whole: Uint8Array | undefined;
  #questions = 0;

  /** @param row of the section @throws FormatError E_ELF_STRING_SECTION when that is no string table */
  constructor(elf: ElfFile, row: number, budget: Budget) {
    const section = elf.sections[row];
    if (section?.type !== SectionType.strtab) {
      throw new FormatError('E_ELF_STRING_SECTION', 'names are in a section that is no string table', {
        section: 'section headers',
        got: row,
        limit: elf.sections.length,
      });
    }
    this.#elf = elf;
    this.#section = section;
    this.#budget = budget;
  }

  get heldBytes(): number {
    return this.#whole?.length ?? 0;
  }

  /** @throws FormatError E_ELF_STRING, E_LIMIT for one without a NUL over many bytes */
  at(offset: number): string {
    const { size, name } = this.#section;
    if (offset > size) throw behindEnd(offset, size, name);
    for (let bytes = NAME_BYTES; ; bytes *= 4) {
      const length = Math.min(bytes, size - offset);
      const part = this.#read(offset, length);
      if (part.includes(0) || length < bytes) return stringInTable(part, 0, name);
      this.#budget.check('stringBytes', bytes, { section: name, offset });
    }
  }

  /** Undefined for an empty string, and behind the end of the table. */
  firstByte(offset: number): number | undefined {
    return offset < this.#section.size ? this.#read(offset, 1)[0] || undefined : undefined;
  }

  #read(offset: number, length: number): Uint8Array {
    const { fileOffset, size, name } = this.#section;
    const isAskedMuch = this.#whole !== undefined || size <= SMALL_BYTES || ++this.#questions > FEW_QUESTIONS;
    if (size > WHOLE_BYTES || !isAskedMuch) return this.#elf.source.read(fileOffset + offset, length, name);
    this.#whole ??= this.#elf.source.read(fileOffset, size, name);
    return this.#whole.subarray(offset, offset + length);
  }
}
