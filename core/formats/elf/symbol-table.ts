/**
 * The symbols of code of an ELF file's `.symtab` or `.dynsym`, found by address: functions, indirect functions, and untyped labels
 * in executable sections. Left out are sections, files, data, what lies outside of its section, and labels that are for tools
 * rather than people: mapping symbols (`$x`, `$d`, `$t`: ELF for the Arm architecture, "Mapping symbols"), `.L` and `.annobin`.
 */
import type { Budget } from '../limits.js';
import { SymbolsKernel } from '../symbols/kernel.js';
import { DROPPED } from '../symbols/kernel-codes.js';
import { LazySymbols } from '../symbols/lazy-symbols.js';
import type { ObjectSymbol } from '../symbols/symbol.js';
import type { SymbolIndex } from '../symbols/symbol-index.js';
import type { ElfFile } from './file.js';
import { ElfMachine } from './header.js';
import { type ElfSection, SectionFlag, SectionType } from './section.js';
import { StringSection } from './string-section.js';
import { type ElfSymbols, readSymbols, SymbolBinding, SymbolType } from './symbol.js';

const DOLLAR = 0x24;
const DOT = 0x2e;

/** The version that linkers append: "fsetpos@@GLIBC_2.2.5", "memcpy@GLIBC_2.14". */
const VERSION = /@{1,2}[\w.+-]+$/;

/** Symbols that are kept once they were found, and what one takes in memory, about. */
const MAX_FOUND = 1 << 16;
const FOUND_BYTES = 256;

type SymbolFacts = Omit<ObjectSymbol, 'name' | 'file'>;

interface ReadTable {
  readonly symbols: ElfSymbols;
  readonly strings: StringSection;
  readonly index: SymbolIndex;
  /** Rows that name source files, ascending: local symbols behind one are of that file. */
  readonly fileRows: Uint32Array;
  /** By row, what was asked for of these. */
  readonly fileNames: Map<number, string>;
  /** By row, what was found: the addresses that are asked for lie in few functions. */
  readonly found: Map<number, ObjectSymbol>;
}

export class ElfSymbolTable extends LazySymbols<ReadTable> {
  readonly name: 'symtab' | 'dynsym';
  readonly #elf: ElfFile;
  readonly #section: ElfSection;
  readonly #imageBase: bigint;
  readonly #baseLow: number;
  readonly #baseHigh: number;
  readonly #budget: Budget;

  /** @param section of type symtab or dynsym; nothing of it is read before the first question */
  constructor(elf: ElfFile, section: ElfSection, imageBase: bigint, budget: Budget) {
    super();
    this.name = section.type === SectionType.symtab ? 'symtab' : 'dynsym';
    this.#elf = elf;
    this.#section = section;
    this.#imageBase = imageBase;
    this.#baseLow = Number(imageBase & 0xffffffffn);
    this.#baseHigh = Number(imageBase >> 32n);
    this.#budget = budget;
  }

  protected bytesOf({ strings, fileRows, found }: ReadTable): number {
    return this.#section.size + strings.heldBytes + fileRows.byteLength + found.size * FOUND_BYTES;
  }

  /** @throws FormatError E_ELF_STRING */
  protected symbolAt(table: ReadTable, row: number): ObjectSymbol {
    let symbol = table.found.get(row);
    if (symbol === undefined) {
      symbol = this.#symbol(table, row);
      if (table.found.size === MAX_FOUND) table.found.clear();
      table.found.set(row, symbol);
    }
    return symbol;
  }

  /** @throws FormatError E_ELF_SYMBOLS, E_ELF_STRING, E_LIMIT */
  protected readAll(): ReadTable {
    const symbols = readSymbols(this.#elf, this.#section, this.#budget);
    const strings = new StringSection(this.#elf, this.#section.link, this.#budget);
    return { symbols, strings, ...this.#index(symbols, strings), fileNames: new Map(), found: new Map() };
  }

  #symbol(table: ReadTable, row: number): ObjectSymbol {
    const { symbols, strings, fileRows } = table;
    const name = strings.at(symbols.nameOffset(row));
    const isLocal = symbols.binding(row) === SymbolBinding.local;
    const fileRow = isLocal ? lastBefore(fileRows, row) : undefined;
    const { objectAddress, size, binding, type } = this.#facts(symbols, row);
    return {
      // A path within a name may hold an "@" of its own.
      name: !name.includes('@') || name.includes('/') ? name : name.replace(VERSION, ''),
      objectAddress,
      size,
      binding,
      type,
      file: fileRow === undefined ? '' : fileName(table, fileRow),
    };
  }

  #index(symbols: ElfSymbols, strings: StringSection): Pick<ReadTable, 'index' | 'fileRows'> {
    const { header, sections } = this.#elf;
    const kernel = new SymbolsKernel();
    const { exports } = kernel;
    exports.readElf(
      kernel.put(symbols.bytes),
      symbols.length,
      header.wordBytes === 8,
      header.machine === ElfMachine.arm,
      this.#baseHigh,
      this.#baseLow,
      kernel.put(new Uint8Array(this.#codeSections().buffer)),
      sections.length,
    );
    const rows = kernel.words(exports.rows, symbols.length);
    const ranks = kernel.bytes(exports.ranks, symbols.length);
    for (const at of kernel.words(exports.untyped, exports.untypedCount.value)) {
      if (isToolsLabel(strings.firstByte(symbols.nameOffset(rows[at]!)))) ranks[at] = DROPPED;
    }
    const fileRows = kernel.words(exports.fileRows, exports.fileCount.value).slice();
    return { index: kernel.index(), fileRows };
  }

  /** Object addresses where the executable sections begin and end, in turn; NaN for the others. */
  #codeSections(): Float64Array {
    const borders = this.#elf.sections.flatMap(({ flags, virtualAddress, size }) => {
      if ((flags & SectionFlag.execute) === 0 || (flags & SectionFlag.alloc) === 0) return [Number.NaN, Number.NaN];
      const start = Number(virtualAddress - this.#imageBase);
      return [start, start + size];
    });
    return Float64Array.from(borders);
  }

  #facts(symbols: ElfSymbols, row: number): SymbolFacts {
    const isFunction = symbols.type(row) !== SymbolType.none;
    const address = (symbols.valueHigh(row) - this.#baseHigh) * 2 ** 32 + (symbols.valueLow(row) - this.#baseLow);
    // On arm the lowest bit of a function's value says that it is Thumb code.
    const isThumb = this.#elf.header.machine === ElfMachine.arm && isFunction && address % 2 === 1;
    return {
      objectAddress: isThumb ? address - 1 : address,
      size: symbols.size(row),
      binding: bindingOf(symbols.binding(row)),
      type: typeOf(symbols.type(row)),
    };
  }
}

function fileName({ symbols, strings, fileNames }: ReadTable, row: number): string {
  let name = fileNames.get(row);
  if (name === undefined) {
    name = strings.at(symbols.nameOffset(row));
    fileNames.set(row, name);
  }
  return name;
}

/** @param rows ascending */
function lastBefore(rows: Uint32Array, row: number): number | undefined {
  let from = 0;
  let to = rows.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (rows[middle]! < row) from = middle + 1;
    else to = middle;
  }
  return from === 0 ? undefined : rows[from - 1];
}

function typeOf(type: number): ObjectSymbol['type'] {
  if (type === SymbolType.none) return 'untyped';
  return type === SymbolType.indirectFunction ? 'indirect' : 'function';
}

function isToolsLabel(firstByte: number | undefined): boolean {
  return firstByte === undefined || firstByte === DOLLAR || firstByte === DOT;
}

function bindingOf(binding: number): ObjectSymbol['binding'] {
  if (binding === SymbolBinding.local) return 'local';
  return binding === SymbolBinding.weak ? 'weak' : 'global';
}
