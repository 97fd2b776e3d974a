/** A jitdump as a Binary: its code has the dump's own offsets for object addresses, so that a mapping of a function's bytes leads there. */
import { noFrameSections } from '../formats/cfi/section.js';
import type { DebugSections } from '../formats/dwarf/sections.js';
import { JitSymbols } from '../formats/jitdump/jit-symbols.js';
import { readJitdump } from '../formats/jitdump/jitdump.js';
import type { Budget } from '../formats/limits.js';
import type { Architecture, Binary, Segment } from './binary.js';
import type { FileSource } from './file-source.js';

/** ELF's numbers. */
const ARCHITECTURE: { readonly [machine: number]: Architecture } = { 62: 'amd64', 183: 'arm64', 3: '386', 40: 'arm' };

export class JitdumpBinary implements Binary {
  readonly format = 'jitdump';
  readonly path: string;
  readonly architecture: Architecture;
  readonly imageBase = 0n;
  readonly entry = 0n;
  readonly isPositionIndependent = true;
  readonly gnuBuildId = undefined;
  readonly goBuildId = undefined;
  /** The dump as a whole: it has thousands of functions, each mapped by itself. */
  readonly segments: readonly Segment[];
  readonly go = undefined;
  readonly dwarf = undefined;
  readonly debug: DebugSections = {
    addressBytes: 8,
    isLittleEndian: true,
    imageBase: 0n,
    section: () => undefined,
  };
  readonly symbolTables: readonly JitSymbols[];
  readonly refusals: readonly string[] = [];
  readonly frames = noFrameSections;
  readonly #source: FileSource;

  /** @throws FormatError of `readJitdump` */
  constructor(source: FileSource, budget: Budget) {
    this.#source = source;
    this.path = source.path;
    const { machine, codes } = readJitdump(source, budget);
    this.architecture = ARCHITECTURE[machine] ?? 'other';
    const { size } = source;
    this.segments = [{ objectAddress: 0, memoryBytes: size, fileOffset: 0, fileBytes: size, executable: true }];
    this.symbolTables = [new JitSymbols(codes)];
  }

  bytesAt(objectAddress: number, length: number): Uint8Array {
    if (objectAddress < 0 || objectAddress >= this.#source.size) return new Uint8Array(0);
    return this.#source.read(objectAddress, Math.min(length, this.#source.size - objectAddress), 'code');
  }

  get heldBytes(): number {
    return this.#source.heldBytes + this.symbolTables[0]!.heldBytes;
  }

  release(): void {
    this.#source.release();
  }
}
