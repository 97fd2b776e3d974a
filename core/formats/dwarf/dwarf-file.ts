/** The sections of one object file, and the units that were read of it. */
import { FormatError } from '../errors.js';
import type { ByteSource } from '../source.js';
import { AbbreviationTable } from './abbreviation.js';
import { UnitType } from './constants.js';
import type { ImageBase } from './cursor.js';
import type { Encoding } from './form.js';
import { KernelSection } from './kernel-range-lists.js';
import { SectionWindow } from './section-window.js';
import type { DebugSections } from './sections.js';
import { type DieReference, Unit } from './unit.js';
import { UnitDirectory } from './unit-directory.js';
import { readUnitHeader } from './unit-header.js';

/** What units hold in memory before all are dropped: what is dropped takes memory as well, until the engine frees it. */
const MAX_HELD_BYTES = 24 * 2 ** 20;
const MAX_ABBREVIATION_TABLES = 4_096;

export class DwarfFile {
  readonly imageBase: ImageBase;
  readonly info: ByteSource;
  readonly infoName: string;
  readonly units: UnitDirectory;
  readonly #sections: DebugSections;
  /** ".dwo" for the sections of split files. */
  readonly #suffix: string;
  readonly #windows = new Map<string, SectionWindow | undefined>();
  readonly #kernelSections = new Map<string, KernelSection | undefined>();
  readonly #abbreviations = new Map<string, AbbreviationTable>();
  /** By offset. */
  readonly #open = new Map<number, Unit>();
  #heldBytes = 0;
  #alternate: { readonly file: DwarfFile | undefined } | undefined;

  /** @param info the file's `.debug_info` */
  constructor(sections: DebugSections, info: ByteSource, imageBase: ImageBase, suffix: '' | '.dwo' = '') {
    this.#sections = sections;
    this.#suffix = suffix;
    this.imageBase = imageBase;
    this.info = info;
    this.infoName = `.debug_info${suffix}`;
    this.units = new UnitDirectory(info, this.infoName);
  }

  /** The file that `dwz` moved shared DIEs and texts to; undefined where it is not at hand. */
  get alternate(): DwarfFile | undefined {
    if (this.#alternate === undefined) {
      const { alternate } = this.#sections;
      const info = alternate?.section('.debug_info');
      this.#alternate = { file: alternate && info && new DwarfFile(alternate, info, this.imageBase) };
    }
    return this.#alternate.file;
  }

  /** Whether something refers to the alternate file, and it is not at hand. */
  get lacksAlternate(): boolean {
    return this.#alternate !== undefined && this.#alternate.file === undefined;
  }

  get heldBytes(): number {
    let bytes = this.#heldBytes + (this.#alternate?.file?.heldBytes ?? 0);
    for (const window of this.#windows.values()) bytes += window?.heldBytes ?? 0;
    return bytes;
  }

  /** Counts what was read for units, which are dropped when it is too much. */
  hold(bytes: number): void {
    this.#heldBytes += bytes;
  }

  /** @param name without ".dwo" @returns undefined for a section that the file lacks */
  find(name: string): SectionWindow | undefined {
    if (!this.#windows.has(name)) {
      const fullName = name + this.#suffix;
      const source = this.#sections.section(fullName);
      this.#windows.set(name, source && new SectionWindow(source, fullName));
    }
    return this.#windows.get(name);
  }

  /** A section as kernels read it. @returns undefined for one that the file lacks, and a large one */
  kernelSection(name: string): KernelSection | undefined {
    if (!this.#kernelSections.has(name)) {
      const section = this.find(name);
      this.#kernelSections.set(name, section && KernelSection.of(section));
    }
    return this.#kernelSections.get(name);
  }

  /** @throws FormatError E_DWARF_SECTION when the file lacks it */
  need(name: string): SectionWindow {
    const window = this.find(name);
    if (window !== undefined) return window;
    throw new FormatError('E_DWARF_SECTION', 'section is referred to, but is not in the file', {
      section: name + this.#suffix,
    });
  }

  /** An offset out of a table. @throws FormatError E_TRUNCATED behind the section's end */
  number(section: string, offset: number, bytes: 4 | 8): number {
    const cursor = this.need(section).cursorAt(offset, bytes);
    const value = cursor.offset(bytes);
    cursor.check();
    return value;
  }

  /** An object address out of a table. @throws FormatError E_TRUNCATED behind the section's end */
  address(section: string, offset: number, bytes: 4 | 8): number {
    const cursor = this.need(section).cursorAt(offset, bytes);
    const value = cursor.address(bytes, this.imageBase);
    cursor.check();
    return value;
  }

  /** The table at an offset of `.debug_abbrev`, as units of that encoding read it. */
  abbreviations(offset: number, { version, offsetBytes, addressBytes }: Encoding): AbbreviationTable {
    const key = `${offset}:${version === 2}:${offsetBytes}:${addressBytes}`;
    let table = this.#abbreviations.get(key);
    if (table === undefined) {
      const encoding = { version, offsetBytes, addressBytes };
      table = new AbbreviationTable(this.need('.debug_abbrev'), offset, encoding);
      if (this.#abbreviations.size === MAX_ABBREVIATION_TABLES) this.#abbreviations.clear();
      this.#abbreviations.set(key, table);
    }
    return table;
  }

  /** The unit that begins at an offset, not kept. @throws FormatError for a spoilt one */
  readUnit(offset: number): Unit {
    return new Unit(this, readUnitHeader(this.info, offset, this.infoName));
  }

  /** The unit that begins at an offset. @throws FormatError for a spoilt one */
  unitAt(offset: number): Unit {
    let unit = this.#open.get(offset);
    if (unit === undefined) {
      this.#makeRoom();
      unit = this.readUnit(offset);
      this.#open.set(offset, unit);
    }
    return unit;
  }

  /** The DIE at an offset of `.debug_info`. @returns undefined in no unit, or in a type unit @throws FormatError */
  dieAt(offset: number): DieReference | undefined {
    const start = this.units.containing(offset);
    if (start === undefined) return undefined;
    const unit = this.unitAt(start);
    const { type } = unit.encoding;
    if (type === UnitType.type || type === UnitType.splitType) return undefined;
    return { unit, position: offset - start };
  }

  #makeRoom(): void {
    if (this.#heldBytes <= MAX_HELD_BYTES) return;
    this.#open.clear();
    this.#heldBytes = 0;
  }
}
