/** A jitdump as a Binary: its code has the dump's own offsets for object addresses, so that a mapping of a function's bytes leads there. */
import type { CfiSection, FrameSections } from '../formats/cfi/section.js';
import type { DebugSections } from '../formats/dwarf/sections.js';
import { type JitLine, readJitLines } from '../formats/jitdump/jit-lines.js';
import { JitSymbols } from '../formats/jitdump/jit-symbols.js';
import { type JitCode, readJitdump } from '../formats/jitdump/jitdump.js';
import type { Budget } from '../formats/limits.js';
import type { Architecture, Binary, JitTable, Segment } from './binary.js';
import type { FileSource } from './file-source.js';

/** ELF's numbers. */
const ARCHITECTURE: { readonly [machine: number]: Architecture } = { 62: 'amd64', 183: 'arm64', 3: '386', 40: 'arm' };

/** The call frame information of a function counts as if it stood behind the code, from there on. */
const FRAME_ALIGNMENT = 8;

const NO_SECTIONS: readonly CfiSection[] = [];

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
  readonly jit: JitTable;
  readonly frames: FrameSections;
  readonly #source: FileSource;
  readonly #lines = new Map<JitCode, readonly JitLine[]>();
  readonly #sections = new Map<JitCode, readonly CfiSection[]>();

  /** @throws FormatError of `readJitdump` */
  constructor(source: FileSource, budget: Budget) {
    this.#source = source;
    this.path = source.path;
    const { machine, codes, lineShift } = readJitdump(source, budget);
    this.architecture = ARCHITECTURE[machine] ?? 'other';
    const { size } = source;
    this.segments = [{ objectAddress: 0, memoryBytes: size, fileOffset: 0, fileBytes: size, executable: true }];
    const symbols = new JitSymbols(codes);
    this.symbolTables = [symbols];
    this.jit = {
      hasLines: codes.some(({ lines }) => lines !== undefined),
      find: (objectAddress) => symbols.code(objectAddress),
      linesOf: (code) => kept(this.#lines, code, () => readJitLines(source, code, lineShift)),
    };
    const sectionsOf = (code: JitCode) => kept(this.#sections, code, () => this.#readSections(code));
    this.frames = {
      get sections() {
        return codes.flatMap(sectionsOf);
      },
      sectionsAt(objectAddress) {
        const code = symbols.code(objectAddress);
        return code === undefined ? NO_SECTIONS : sectionsOf(code);
      },
      faults: [],
    };
  }

  bytesAt(objectAddress: number, length: number): Uint8Array {
    if (objectAddress < 0 || objectAddress >= this.#source.size) return new Uint8Array(0);
    return this.#source.read(objectAddress, Math.min(length, this.#source.size - objectAddress), 'code');
  }

  get heldBytes(): number {
    return this.#source.heldBytes + this.symbolTables[0]!.heldBytes;
  }

  release(): void {
    this.#lines.clear();
    this.#sections.clear();
    this.#source.release();
  }

  #readSections({ fileOffset, size, ehFrame }: JitCode): CfiSection[] {
    if (ehFrame === undefined) return [];
    const name = '.eh_frame';
    const bytes = this.#source.read(ehFrame.fileOffset, ehFrame.size, name);
    const objectAddress = fileOffset + Math.ceil(size / FRAME_ALIGNMENT) * FRAME_ALIGNMENT;
    return [{ name, isEhFrame: true, bytes, objectAddress, imageBase: 0n }];
  }
}

function kept<Value>(known: Map<JitCode, Value>, code: JitCode, read: () => Value): Value {
  let value = known.get(code);
  if (value === undefined) {
    value = read();
    known.set(code, value);
  }
  return value;
}
