/** The symbols of code of a PE file's COFF table, found by address. Source: Microsoft's "PE Format", "COFF Symbol Table". */
import { FormatError } from '../errors.js';
import type { Budget } from '../limits.js';
import { ByteReader } from '../reader.js';
import { LazySymbols } from '../symbols/lazy-symbols.js';
import type { ObjectSymbol } from '../symbols/symbol.js';
import { SymbolColumns, type SymbolIndex } from '../symbols/symbol-index.js';
import { coffStrings, type PeFile, type PeSection, PeSectionFlag } from './file.js';

const ENTRY_BYTES = 18;
const StorageClass = { external: 2, static: 3, label: 6, file: 103, weakExternal: 105 } as const;
const FUNCTION = 0x20;

interface ReadTable {
  readonly rows: ByteReader;
  readonly strings: Uint8Array;
  readonly index: SymbolIndex;
}

export class CoffSymbols extends LazySymbols<ReadTable> {
  readonly name = 'coff';
  readonly #file: PeFile;
  readonly #place: NonNullable<PeFile['symbolTable']>;
  readonly #budget: Budget;

  /** Nothing is read before the first question. */
  constructor(file: PeFile, place: NonNullable<PeFile['symbolTable']>, budget: Budget) {
    super();
    this.#file = file;
    this.#place = place;
    this.#budget = budget;
  }

  protected bytesOf({ rows, strings }: ReadTable): number {
    return rows.bytes.length + strings.length;
  }

  protected symbolAt({ rows, strings }: ReadTable, row: number): ObjectSymbol {
    const { facts } = this.#symbol(rows, row);
    rows.seek(row * ENTRY_BYTES);
    return { ...facts, name: this.#name(rows.take(8), strings), file: '' };
  }

  /** @throws FormatError E_PE_STRING, E_TRUNCATED, E_LIMIT */
  protected readAll(): ReadTable {
    const { fileOffset, count } = this.#place;
    const { source } = this.#file;
    this.#budget.check('tableRows', count, { section: this.name });
    const rows = new ByteReader(source.read(fileOffset, count * ENTRY_BYTES, 'COFF symbols'), 'COFF symbols');
    const columns = new SymbolColumns(count);
    for (let row = 0; row < count; ) {
      const { facts, section, further } = this.#symbol(rows, row);
      if (section !== undefined) columns.add(row, facts, section.address + section.memoryBytes);
      row += 1 + further;
    }
    return { rows, strings: coffStrings(source, this.#place), index: columns.index() };
  }

  /** `section`: undefined for what is no code. `further`: records that belong to this one. */
  #symbol(rows: ByteReader, row: number) {
    rows.seek(row * ENTRY_BYTES + 8);
    const value = rows.u32();
    const section: PeSection | undefined = this.#file.sections[rows.u16() - 1];
    const isFunction = (rows.u16() & 0xf0) === FUNCTION;
    const storage = rows.u8();
    const further = rows.u8();
    const isOfSection = storage === StorageClass.static && value === 0 && further > 0;
    const isPlaced =
      storage === StorageClass.external || storage === StorageClass.static || storage === StorageClass.label;
    const isCode = section !== undefined && (section.flags & PeSectionFlag.execute) !== 0 && isPlaced && !isOfSection;
    const binding: ObjectSymbol['binding'] = storage === StorageClass.external ? 'global' : 'local';
    const type: ObjectSymbol['type'] = isFunction ? 'function' : 'untyped';
    return {
      facts: { objectAddress: (section?.address ?? 0) + value, size: 0, binding, type },
      section: isCode ? section : undefined,
      further,
    };
  }

  /** In the record itself, or its offset in the strings behind four zeros. */
  #name(field: Uint8Array, strings: Uint8Array): string {
    const isShort = field[0] !== 0 || field[1] !== 0 || field[2] !== 0 || field[3] !== 0;
    const offset = isShort ? 0 : new DataView(field.buffer, field.byteOffset).getUint32(4, true);
    const bytes = isShort ? field : strings;
    if (offset > bytes.length) {
      throw new FormatError('E_PE_STRING', 'name lies behind the end of the strings', {
        section: 'COFF strings',
        offset,
        limit: bytes.length,
      });
    }
    const end = bytes.indexOf(0, offset);
    const length = (end < 0 ? bytes.length : end) - offset;
    this.#budget.check('stringBytes', length, { section: 'COFF strings', offset });
    return new TextDecoder().decode(bytes.subarray(offset, offset + length));
  }
}
