/** The functions of a jitdump as its table of symbols: an object address is the place of the code's bytes in the dump. */
import type { ObjectSymbol, SymbolTable } from '../symbols/symbol.js';
import type { JitCode } from './jitdump.js';

/** Bytes in memory of one function, about: its object and a short name. */
const CODE_BYTES = 128;

export class JitSymbols implements SymbolTable {
  readonly name = 'jitdump';
  readonly #codes: readonly JitCode[];

  /** @param codes in order of their bytes, which do not overlap */
  constructor(codes: readonly JitCode[]) {
    this.#codes = codes;
  }

  get length(): number {
    return this.#codes.length;
  }

  get heldBytes(): number {
    return this.#codes.length * CODE_BYTES;
  }

  find(objectAddress: number): ObjectSymbol | undefined {
    const code = this.code(objectAddress);
    if (code === undefined) return undefined;
    const { name, fileOffset, size } = code;
    return { name, objectAddress: fileOffset, size, binding: 'global', type: 'function', file: '' };
  }

  /** The function whose bytes hold an object address. */
  code(objectAddress: number): JitCode | undefined {
    let low = 0;
    let high = this.#codes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#codes[middle]!.fileOffset <= objectAddress) low = middle + 1;
      else high = middle;
    }
    const code = this.#codes[low - 1];
    return code === undefined || objectAddress >= code.fileOffset + code.size ? undefined : code;
  }
}
