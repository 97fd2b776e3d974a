/** The sources of one binary as one: asked in order, answers kept. */
import { FormatError } from '../../formats/errors.js';
import type { Binary } from '../binary.js';
import { createDemangler, type DemangleMode } from './demangle.js';
import { openDwarfSource } from './dwarf-source.js';
import { openGoSource } from './go-source.js';
import { openJitSource } from './jit-source.js';
import type { FrameRows, SourceOpener, SymbolDetail, SymbolFrame, SymbolSource } from './source.js';
import { openTableSources } from './table-source.js';

/** In the order in which they are asked, the most exact first; symbol tables come last. */
const openers: readonly SourceOpener[] = [openGoSource, openDwarfSource, openJitSource, openTableSources];
/** Tables that may be as they should be, of machines that are not read. */
const UNSUPPORTED: ReadonlySet<string> = new Set(['E_GO_POINTER_SIZE']);
/** Addresses of one binary whose answers are kept; then it begins anew. */
const MAX_KEPT = 1 << 16;

export type Lookup =
  | { readonly frames: readonly SymbolFrame[]; readonly source: string }
  | {
      readonly frames: undefined;
      /** "no_symbols", "no_function", "padding", "unsupported_table", "spoilt_table". */
      readonly reason: string;
      /** Of a table that could not be read. */
      readonly error?: FormatError;
    };

export class SymbolChain {
  readonly #binary: Binary;
  /** Of the openers so far: debug information that nothing was asked of is not even decompressed. */
  readonly #sources: SymbolSource[] = [];
  #opened = 0;
  /** What an opener said. */
  #spoilt: FormatError | undefined;
  readonly #kept = new Map<number, Lookup>();
  readonly #demangle: (name: string) => string;

  /** @param demangle gives names for people; those that it does not know unchanged */
  constructor(binary: Binary, demangle: (name: string) => string) {
    this.#binary = binary;
    this.#demangle = demangle;
  }

  /** What is spoilt or missing of the tables and done without, as far as addresses led there. For a person, each once. */
  get faults(): readonly string[] {
    return this.#sources.flatMap(({ faults }) => faults);
  }

  /** What frames of a source have besides names; [] of one that was not asked yet. */
  gives(source: string): readonly SymbolDetail[] {
    return [...(this.#sources.find(({ name }) => name === source)?.gives ?? [])];
  }

  /** As `lookup`, and kept: for those who ask for the same addresses again and again. */
  lookupKept(objectAddress: number): Lookup {
    let found = this.#kept.get(objectAddress);
    if (found !== undefined) return found;
    found = this.lookup(objectAddress);
    if (this.#kept.size === MAX_KEPT) this.#kept.clear();
    this.#kept.set(objectAddress, found);
    return found;
  }

  /**
   * Has what `lookupKept` is asked for next looked up in order of address: tables that are too large to be held are read in parts, each once
   * then. @param objectAddresses 65,536 at most
   */
  keepAll(objectAddresses: Float64Array): void {
    if (this.#kept.size + objectAddresses.length > MAX_KEPT) this.#kept.clear();
    for (const address of objectAddresses.slice().sort()) this.lookupKept(address);
  }

  /** What the first source that knows the address says; a spoilt table passes it on to the next source. */
  lookup(objectAddress: number): Lookup {
    let spoilt: FormatError | undefined;
    for (let at = 0; ; at++) {
      const source = this.#sources[at] ?? this.#openNext();
      if (source === undefined) break;
      try {
        const frames = source.framesAt(objectAddress);
        if (frames === undefined) continue;
        if (frames.length === 0) return { frames: undefined, reason: 'padding' };
        return { frames: this.#forPeople(frames), source: source.name };
      } catch (error) {
        spoilt ??= formatError(error);
      }
    }
    spoilt = this.#spoilt ?? spoilt;
    if (spoilt !== undefined) {
      const reason = UNSUPPORTED.has(spoilt.code) ? 'unsupported_table' : 'spoilt_table';
      return { frames: undefined, reason, error: spoilt };
    }
    return { frames: undefined, reason: this.#sources.length === 0 ? 'no_symbols' : 'no_function' };
  }

  /**
   * What the first source says of many addresses, if it is quick at that; names are as it has them, not yet for people. What it does not
   * answer is for `lookup`.
   */
  rowsAt(objectAddresses: Float64Array): FrameRows | undefined {
    const first = this.#sources[0] ?? this.#openNext();
    return first?.rowsAt?.(objectAddresses);
  }

  /** The next source that the binary has; undefined behind the last. */
  #openNext(): SymbolSource | undefined {
    const known = this.#sources.length;
    while (this.#opened < openers.length && this.#sources.length === known) {
      const open = openers[this.#opened++]!;
      try {
        this.#sources.push(...open(this.#binary));
      } catch (error) {
        this.#spoilt ??= formatError(error);
      }
    }
    return this.#sources[known];
  }

  #forPeople(frames: readonly SymbolFrame[]): readonly SymbolFrame[] {
    let demangled: SymbolFrame[] | undefined;
    for (let row = 0; row < frames.length; row++) {
      const { systemName, file, line, column, startLine } = frames[row]!;
      const name = this.#demangle(systemName);
      if (name === systemName) continue;
      demangled ??= frames.slice();
      demangled[row] = { function: name, systemName, file, line, column, startLine };
    }
    return demangled ?? frames;
  }
}

/** Chains of binaries, for as long as these are in use. */
export class SymbolChains {
  readonly #chains = new WeakMap<Binary, SymbolChain>();
  readonly #demangle: (name: string) => string;

  constructor(mode: DemangleMode) {
    this.#demangle = createDemangler(mode);
  }

  of(binary: Binary): SymbolChain {
    let chain = this.#chains.get(binary);
    if (chain === undefined) {
      chain = new SymbolChain(binary, this.#demangle);
      this.#chains.set(binary, chain);
    }
    return chain;
  }
}

function formatError(error: unknown): FormatError {
  if (error instanceof FormatError) return error;
  throw error;
}
