/** The symbols of code of a Mach-O file, found by address. Source: Apple's mach-o/nlist.h, mach-o/stab.h. */
import { FormatError } from '../errors.js';
import type { Budget } from '../limits.js';
import { ByteReader } from '../reader.js';
import { LazySymbols } from '../symbols/lazy-symbols.js';
import type { ObjectSymbol } from '../symbols/symbol.js';
import { SymbolColumns } from '../symbols/symbol-columns.js';
import type { SymbolIndex } from '../symbols/symbol-index.js';
import type { MachFile, MachSymbolTable } from './file.js';

const ENTRY_BYTES = 16;
const Kind = { debuggers: 0xe0, mask: 0x0e, inSection: 0x0e, external: 0x01 } as const;
const WEAK_DEFINITION = 0x80;
/** Of assemblers; names of the source have a further underscore in front. */
const ASSEMBLERS_LABEL = /^(?:L|l_|ltmp\d)/;

interface ReadTable {
  readonly rows: ByteReader;
  readonly strings: Uint8Array;
  readonly index: SymbolIndex;
}

export class MachSymbols extends LazySymbols<ReadTable> {
  readonly name = 'nlist';
  readonly #file: MachFile;
  readonly #table: MachSymbolTable;
  readonly #imageBase: bigint;
  readonly #budget: Budget;

  /** Nothing is read before the first question. */
  constructor(file: MachFile, table: MachSymbolTable, imageBase: bigint, budget: Budget) {
    super();
    this.#file = file;
    this.#table = table;
    this.#imageBase = imageBase;
    this.#budget = budget;
  }

  protected bytesOf({ rows, strings }: ReadTable): number {
    return rows.bytes.length + strings.length;
  }

  protected symbolAt({ rows, strings }: ReadTable, row: number): ObjectSymbol {
    const { facts, nameOffset } = this.#symbol(rows, row);
    return { ...facts, name: this.#name(strings, nameOffset).replace(/^_/, ''), file: '' };
  }

  /** @throws FormatError E_MACHO_STRING, E_TRUNCATED, E_LIMIT */
  protected readAll(): ReadTable {
    const { fileOffset, count, stringsOffset, stringBytes } = this.#table;
    const { source } = this.#file;
    this.#budget.check('tableRows', count, { section: this.name });
    const rows = new ByteReader(source.read(fileOffset, count * ENTRY_BYTES, 'symbol table'), 'symbol table');
    const strings = source.read(stringsOffset, stringBytes, 'string table');
    const columns = new SymbolColumns(count);
    for (let row = 0; row < count; row++) {
      const { facts, nameOffset, sectionEnd } = this.#symbol(rows, row);
      if (sectionEnd === undefined || strings[nameOffset] === undefined || strings[nameOffset] === 0) continue;
      if (strings[nameOffset] !== 0x5f && ASSEMBLERS_LABEL.test(this.#name(strings, nameOffset))) continue;
      columns.add(row, facts, sectionEnd);
    }
    return { rows, strings, index: columns.index() };
  }

  /** `sectionEnd`: undefined for what is not in a section of code, as the linker's name of the file's header. */
  #symbol(rows: ByteReader, row: number) {
    rows.seek(row * ENTRY_BYTES);
    const nameOffset = rows.u32();
    const kind = rows.u8();
    const section = this.#file.sections[rows.u8() - 1];
    const description = rows.u16();
    const isPlaced = (kind & Kind.debuggers) === 0 && (kind & Kind.mask) === Kind.inSection;
    const isWeak = (description & WEAK_DEFINITION) !== 0;
    const binding: ObjectSymbol['binding'] = (kind & Kind.external) === 0 ? 'local' : isWeak ? 'weak' : 'global';
    const virtualAddress = rows.u64();
    const isCode = isPlaced && section?.isCode === true && virtualAddress >= section.virtualAddress;
    const code = isCode ? section : undefined;
    return {
      nameOffset,
      facts: { objectAddress: Number(virtualAddress - this.#imageBase), size: 0, binding, type: 'untyped' as const },
      sectionEnd: code && Number(code.virtualAddress - this.#imageBase) + code.size,
    };
  }

  #name(strings: Uint8Array, offset: number): string {
    const end = strings.indexOf(0, offset);
    const bytes = end < 0 ? strings.length - offset : end - offset;
    this.#budget.check('stringBytes', bytes, { section: 'string table', offset });
    if (offset <= strings.length) return new TextDecoder().decode(strings.subarray(offset, offset + bytes));
    throw new FormatError('E_MACHO_STRING', 'name lies behind the end of the table', {
      section: 'string table',
      offset,
      limit: strings.length,
    });
  }
}
