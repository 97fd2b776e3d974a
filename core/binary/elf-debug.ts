/** Debug information and symbols of an ELF file, in the file itself or in those that go with it, which are looked for when asked for. */

import { basename, dirname, join, resolve } from 'node:path';
import type { DebugSections } from '../formats/dwarf/sections.js';
import type { ElfSymbolTable } from '../formats/elf/symbol-table.js';
import type { ByteSource } from '../formats/source.js';
import type { DebugFiles } from './debug-files.js';
import type { ElfPart } from './elf-part.js';

/** `.dwo` files that are open at a time: a program has one for each of its sources. */
const MAX_SPLIT_FILES = 64;

export class ElfDebug implements DebugSections {
  readonly addressBytes: 4 | 8;
  readonly isLittleEndian = true;
  readonly imageBase: bigint;
  readonly #own: ElfPart;
  readonly #files: DebugFiles;
  #debugFile: { readonly part: ElfPart | undefined } | undefined;
  #alternate: { readonly part: ElfPart | undefined } | undefined;
  #splitPackage: { readonly part: ElfPart | undefined } | undefined;
  /** By path, in order of last use. */
  readonly #splitFiles = new Map<string, ElfPart | undefined>();
  #embedded: ElfPart | undefined;
  #symbolTables: readonly ElfSymbolTable[] | undefined;

  constructor(own: ElfPart, imageBase: bigint, files: DebugFiles) {
    this.#own = own;
    this.#files = files;
    this.addressBytes = own.elf.header.wordBytes;
    this.imageBase = imageBase;
  }

  section(name: string): ByteSource | undefined {
    const isOwn = !name.startsWith('.debug_') || (name === '.debug_frame' && this.#own.sections.has(name));
    return (isOwn ? this.#own : this.#withDebugInfo()).sections.find(name);
  }

  get alternate(): DebugSections | undefined {
    this.#alternate ??= { part: this.#files.findAlternate(this.#withDebugInfo()) };
    return this.#sectionsOf(this.#alternate.part);
  }

  get splitPackage(): DebugSections | undefined {
    this.#splitPackage ??= {
      part: this.#files.openFirst([`${this.#own.path}.dwp`, `${this.#withDebugInfo().path}.dwp`]),
    };
    return this.#sectionsOf(this.#splitPackage.part);
  }

  splitFile(dwoName: string, compilationFolder: string): DebugSections | undefined {
    const path = resolve(compilationFolder, dwoName);
    const part = this.#splitFiles.has(path) ? this.#splitFiles.get(path) : this.#findSplitFile(path, dwoName);
    this.#splitFiles.delete(path);
    this.#splitFiles.set(path, part);
    if (this.#splitFiles.size > MAX_SPLIT_FILES) {
      const [oldest, released] = this.#splitFiles.entries().next().value!;
      released?.release();
      this.#splitFiles.delete(oldest);
    }
    return this.#sectionsOf(part);
  }

  /** `.symtab` has all of `.dynsym`. Where it was stripped the debug file has it, or MiniDebugInfo, which leaves out what `.dynsym` has. */
  get symbolTables(): readonly ElfSymbolTable[] {
    this.#symbolTables ??= this.#findSymbolTables();
    return this.#symbolTables;
  }

  get heldBytes(): number {
    return this.#parts().reduce((bytes, part) => bytes + part.heldBytes, 0);
  }

  /** What is asked for later is read again. */
  release(): void {
    for (const part of this.#parts()) part.release();
  }

  #findSymbolTables(): ElfSymbolTable[] {
    const symtabOf = (part: ElfPart | undefined) => part?.symbolTables('symtab', this.imageBase) ?? [];
    let symtab = symtabOf(this.#own);
    if (symtab.length === 0) symtab = symtabOf(this.#openDebugFile());
    if (symtab.length === 0) {
      this.#embedded = this.#files.openEmbedded(this.#own);
      symtab = symtabOf(this.#embedded);
    }
    return [...symtab, ...this.#own.symbolTables('dynsym', this.imageBase)];
  }

  #findSplitFile(path: string, dwoName: string): ElfPart | undefined {
    const beside = dirname(this.#own.path);
    return this.#files.openFirst([path, join(beside, dwoName), join(beside, basename(dwoName))]);
  }

  /** All of it comes from one file, since sections refer to each other by offset. */
  #withDebugInfo(): ElfPart {
    if (hasDebugInfo(this.#own)) return this.#own;
    const debugFile = this.#openDebugFile();
    return debugFile !== undefined && hasDebugInfo(debugFile) ? debugFile : this.#own;
  }

  #openDebugFile(): ElfPart | undefined {
    this.#debugFile ??= { part: this.#files.findDebugFile(this.#own) };
    return this.#debugFile.part;
  }

  #sectionsOf(part: ElfPart | undefined): DebugSections | undefined {
    if (part === undefined) return undefined;
    return {
      addressBytes: part.elf.header.wordBytes,
      isLittleEndian: true,
      imageBase: this.imageBase,
      section: (name) => part.sections.find(name),
    };
  }

  #parts(): ElfPart[] {
    const parts = [
      this.#debugFile?.part,
      this.#alternate?.part,
      this.#splitPackage?.part,
      ...this.#splitFiles.values(),
    ];
    return [this.#own, ...parts.filter((part) => part !== undefined)];
  }
}

function hasDebugInfo({ sections }: ElfPart): boolean {
  return sections.has('.debug_info') || sections.has('.debug_line');
}
