/** The functions that a PE file exports by name, found by address: what is left in a stripped library. Source: Microsoft's "PE Format", ".edata". */
import type { Budget } from '../limits.js';
import { ByteReader } from '../reader.js';
import type { SegmentImage } from '../segment-image.js';
import { LazySymbols } from '../symbols/lazy-symbols.js';
import type { ObjectSymbol } from '../symbols/symbol.js';
import { SymbolColumns } from '../symbols/symbol-columns.js';
import type { SymbolIndex } from '../symbols/symbol-index.js';

const NAME_BYTES = 4096;

interface ReadTable {
  readonly names: readonly string[];
  readonly addresses: readonly number[];
  readonly index: SymbolIndex;
}

export class PeExports extends LazySymbols<ReadTable> {
  readonly name = 'exports';
  readonly #image: SegmentImage;
  readonly #directory: { readonly address: number; readonly size: number };
  readonly #budget: Budget;

  /** Nothing is read before the first question. */
  constructor(image: SegmentImage, directory: { readonly address: number; readonly size: number }, budget: Budget) {
    super();
    this.#image = image;
    this.#directory = directory;
    this.#budget = budget;
  }

  protected bytesOf({ names }: ReadTable): number {
    return names.reduce((bytes, name) => bytes + 2 * name.length + 24, 0);
  }

  protected symbolAt({ names, addresses }: ReadTable, row: number): ObjectSymbol {
    return {
      name: names[row]!,
      objectAddress: addresses[row]!,
      size: 0,
      binding: 'global',
      type: 'function',
      file: '',
    };
  }

  /** @throws FormatError E_TRUNCATED, E_LIMIT */
  protected readAll(): ReadTable {
    const { address, size } = this.#directory;
    const directory = this.#at(address, 40);
    directory.seek(20);
    const [functions, names] = [directory.u32(), directory.u32()];
    this.#budget.check('tableRows', Math.max(functions, names), { section: this.name });
    const addressTable = this.#at(directory.u32(), 4 * functions);
    const nameTable = this.#at(directory.u32(), 4 * names);
    const ordinals = this.#at(directory.u32(), 2 * names);
    const read = { names: [] as string[], addresses: [] as number[] };
    const columns = new SymbolColumns(names);
    for (let row = 0; row < names; row++) {
      const name = this.#string(nameTable.u32());
      addressTable.seek(4 * ordinals.u16());
      const target = addressTable.u32();
      read.names.push(name);
      read.addresses.push(target);
      // One that lies in the directory is the name of another library's function.
      const isForwarder = target >= address && target < address + size;
      const code = this.#image.segments.find(
        (segment) =>
          segment.executable && target >= segment.objectAddress && target < segment.objectAddress + segment.memoryBytes,
      );
      if (isForwarder || code === undefined) continue;
      const facts = { objectAddress: target, size: 0, binding: 'global', type: 'function' } as const;
      columns.add(row, facts, code.objectAddress + code.memoryBytes);
    }
    return { ...read, index: columns.index() };
  }

  #at(address: number, bytes: number): ByteReader {
    return new ByteReader(this.#image.bytesAt(address, bytes), 'export directory');
  }

  #string(address: number): string {
    const bytes = this.#image.bytesAt(address, NAME_BYTES);
    return new TextDecoder().decode(new ByteReader(bytes, 'export names').cstring());
  }
}
