/** The symbols of code of a PE file's COFF table, found by address. Source: Microsoft's "PE Format", "COFF Symbol Table". */
import { FormatError } from '../errors.js';
import type { Budget } from '../limits.js';
import { ByteReader } from '../reader.js';
import { LazySymbols } from '../symbols/lazy-symbols.js';
import type { ObjectSymbol } from '../symbols/symbol.js';
import { SymbolColumns } from '../symbols/symbol-columns.js';
import type { SymbolIndex } from '../symbols/symbol-index.js';
import { coffStrings, type PeFile, PeMachine, type PeSection, PeSectionFlag } from './file.js';

const ENTRY_BYTES = 18;
const StorageClass = { external: 2, static: 3, label: 6, file: 103, weakExternal: 105 } as const;
const FUNCTION = 0x20;
const [DOT, UNDERSCORE] = [0x2e, 0x5f];

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
    const name = this.#name(rows, row, strings);
    // Names of the source have a further one in front.
    const isDecorated = this.#file.machine === PeMachine.i386 && name[0] === UNDERSCORE;
    return { ...facts, name: new TextDecoder().decode(isDecorated ? name.subarray(1) : name), file: '' };
  }

  /** @throws FormatError E_PE_STRING, E_TRUNCATED, E_LIMIT */
  protected readAll(): ReadTable {
    const { fileOffset, count } = this.#place;
    const { source } = this.#file;
    this.#budget.check('tableRows', count, { section: this.name });
    const rows = new ByteReader(source.read(fileOffset, count * ENTRY_BYTES, 'COFF symbols'), 'COFF symbols');
    const strings = coffStrings(source, this.#place);
    const functions: number[] = [];
    const borders: number[] = [];
    for (let row = 0; row < count; ) {
      const { facts, section, isLocalLabel, further } = this.#symbol(rows, row);
      const isPiece = isLocalLabel && this.#name(rows, row, strings)[0] === DOT;
      if (section !== undefined && !isPiece) functions.push(row);
      if (section !== undefined && isPiece && further > 0 && row + 1 < count) {
        borders.push(facts.objectAddress, facts.objectAddress + pieceBytes(rows, row + 1));
      }
      row += 1 + further;
    }
    const columns = new SymbolColumns(functions.length);
    const sorted = Float64Array.from(borders).sort();
    for (const row of functions) {
      const { facts, section } = this.#symbol(rows, row);
      if (section !== undefined) columns.add(row, facts, endOfPiece(sorted, facts.objectAddress, section));
    }
    return { rows, strings, index: columns.index() };
  }

  /** `section`: undefined for what is no code. `further`: records that belong to this one. */
  #symbol(rows: ByteReader, row: number) {
    rows.seek(row * ENTRY_BYTES + 8);
    const value = rows.u32();
    const section: PeSection | undefined = this.#file.sections[rows.u16() - 1];
    const isFunction = (rows.u16() & 0xf0) === FUNCTION;
    const storage = rows.u8();
    const further = rows.u8();
    const isPlaced =
      storage === StorageClass.external || storage === StorageClass.static || storage === StorageClass.label;
    const isCode = section !== undefined && (section.flags & PeSectionFlag.execute) !== 0 && isPlaced;
    const binding: ObjectSymbol['binding'] = storage === StorageClass.external ? 'global' : 'local';
    const type: ObjectSymbol['type'] = isFunction ? 'function' : 'untyped';
    return {
      facts: { objectAddress: (section?.address ?? 0) + value, size: 0, binding, type },
      section: isCode ? section : undefined,
      /** Of an assembler, or the name of a section: those begin with a dot. */
      isLocalLabel: !isFunction && storage !== StorageClass.external,
      further,
    };
  }

  /** In the record itself, or its offset in the strings behind four zeros. */
  #name(rows: ByteReader, row: number, strings: Uint8Array): Uint8Array {
    rows.seek(row * ENTRY_BYTES);
    const field = rows.take(8);
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
    return bytes.subarray(offset, offset + length);
  }
}

/** What an object file brought into a section: the record behind its symbol has its size. */
function pieceBytes(rows: ByteReader, row: number): number {
  rows.seek(row * ENTRY_BYTES);
  return rows.u32();
}

/** The next border of pieces of the section: symbols have no sizes, but do not go beyond it. */
function endOfPiece(borders: Float64Array, objectAddress: number, { address, memoryBytes }: PeSection): number {
  let low = 0;
  let high = borders.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (borders[middle]! <= objectAddress) low = middle + 1;
    else high = middle;
  }
  return Math.min(borders[low] ?? Number.POSITIVE_INFINITY, address + memoryBytes);
}
