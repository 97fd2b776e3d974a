/** Debug sections of formats that compress them in one way only (`.zdebug_*`): Mach-O and PE. */
import { bytesSource, rangeSource } from './bytes-source.js';
import { inflateZdebug } from './compression/zdebug.js';
import type { Budget } from './limits.js';
import type { ByteSource } from './source.js';

/** A section by its ELF name, as far as the format has room for it. */
export interface DebugRange {
  readonly name: string;
  readonly fileOffset: number;
  readonly size: number;
}

export class DebugRanges {
  readonly #source: ByteSource;
  readonly #ranges: ReadonlyMap<string, DebugRange>;
  readonly #nameBytes: number;
  readonly #budget: Budget;
  readonly #inflated = new Map<string, Uint8Array>();
  #heldBytes = 0;

  /** @param nameBytes that the format has room for */
  constructor(source: ByteSource, ranges: readonly DebugRange[], budget: Budget, nameBytes = Number.POSITIVE_INFINITY) {
    this.#source = source;
    this.#ranges = new Map(ranges.map((range) => [range.name, range]));
    this.#nameBytes = nameBytes;
    this.#budget = budget;
  }

  /** Of the inflated sections, which are kept until `release`. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** @param name ".debug_info", also for a `.zdebug_info` @throws FormatError of `inflateZdebug`; E_LIMIT for all that are kept together */
  find(name: string): ByteSource | undefined {
    const plain = this.#range(name);
    if (plain !== undefined) return rangeSource(this.#source, plain);
    const packed = this.#range(name.replace(/^\.debug_/, '.zdebug_'));
    return packed && bytesSource(this.#inflate(packed), packed.name);
  }

  release(): void {
    this.#inflated.clear();
    this.#heldBytes = 0;
  }

  #range(name: string): DebugRange | undefined {
    return this.#ranges.get(name.slice(0, this.#nameBytes));
  }

  #inflate({ name, fileOffset, size }: DebugRange): Uint8Array {
    let bytes = this.#inflated.get(name);
    if (bytes === undefined) {
      bytes = inflateZdebug(this.#source.read(fileOffset, size, name), name, this.#budget);
      this.#budget.check('decompressedSectionBytes', this.#heldBytes + bytes.length, { section: name });
      this.#inflated.set(name, bytes);
      this.#heldBytes += bytes.length;
    }
    return bytes;
  }
}
