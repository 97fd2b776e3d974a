/** An ELF file's debug sections by name, as if none were compressed. */
import { bytesSource, rangeSource } from '../bytes-source.js';
import type { Budget } from '../limits.js';
import type { ByteSource } from '../source.js';
import { decompressSection, isCompressed } from './compressed-section.js';
import { type ElfFile, findSection } from './file.js';
import { type ElfSection, SectionType } from './section.js';

export class ElfSections {
  readonly #elf: ElfFile;
  readonly #budget: Budget;
  readonly #decompressed = new Map<string, Uint8Array>();
  #heldBytes = 0;

  constructor(elf: ElfFile, budget: Budget) {
    this.#elf = elf;
    this.#budget = budget;
  }

  /** Of the decompressed sections, which are kept until `release`. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /**
   * @param name ".debug_info", also for a `.zdebug_info`
   * @returns undefined where the file has none, and where it has no bytes for it (SHT_NOBITS)
   * @throws FormatError of `decompressSection`; E_LIMIT decompressedSectionBytes for all that are kept together
   */
  find(name: string): ByteSource | undefined {
    const section = this.#section(name);
    if (section === undefined) return undefined;
    return isCompressed(section)
      ? bytesSource(this.#decompress(section), section.name)
      : rangeSource(this.#elf.source, section);
  }

  has(name: string): boolean {
    return this.#section(name) !== undefined;
  }

  release(): void {
    this.#decompressed.clear();
    this.#heldBytes = 0;
  }

  #section(name: string): ElfSection | undefined {
    const section = findSection(this.#elf, name) ?? findSection(this.#elf, name.replace(/^\.debug_/, '.zdebug_'));
    return section?.type === SectionType.nobits ? undefined : section;
  }

  #decompress(section: ElfSection): Uint8Array {
    let bytes = this.#decompressed.get(section.name);
    if (bytes === undefined) {
      bytes = decompressSection(this.#elf, section, this.#budget);
      const held = this.#heldBytes + bytes.length;
      this.#budget.check('decompressedSectionBytes', held, { section: section.name });
      this.#decompressed.set(section.name, bytes);
      this.#heldBytes = held;
    }
    return bytes;
  }
}
