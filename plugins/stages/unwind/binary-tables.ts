/** What a binary has for unwinding, each part read when it is first asked for. */
import { type CfiSection, UnwindTable } from '../../../core/binaries.js';
import { type Binary, FormatError, type RegisterFile } from '../../../core/index.js';
import { GoFunctions } from './go-functions.js';
import { beginsSignalReturn, isSignalReturn } from './signal-return.js';
import { WalkKernel } from './walk-kernel.js';

const NO_SECTIONS: readonly CfiSection[] = [];

export class BinaryTables {
  /** Object address that execution begins at; NaN where it does not begin there. */
  readonly entry: number;
  readonly #binary: Binary;
  readonly #registers: RegisterFile;
  readonly #faults: FormatError[] = [];
  #cfi: readonly UnwindTable[] | undefined;
  /** Of a file that has a section for each function: by these. */
  readonly #cfiOfFunctions = new Map<readonly CfiSection[], readonly UnwindTable[]>();
  #go: { readonly functions: GoFunctions | undefined } | undefined;

  constructor(binary: Binary, registers: RegisterFile) {
    this.#binary = binary;
    this.#registers = registers;
    this.entry = binary.entry === 0n ? Number.NaN : Number(binary.entry - binary.imageBase);
  }

  get path(): string {
    return this.#binary.path;
  }

  /** Undefined for a binary without Go code, or whose table is spoilt. */
  get go(): GoFunctions | undefined {
    if (this.#go === undefined) {
      const table = this.#guarded(() => this.#binary.go);
      this.#go = { functions: table && new GoFunctions(table) };
    }
    return this.#go.functions;
  }

  /** Call frame information that may be about a pc, in the order in which it is asked. */
  cfiAt(pc: number): readonly UnwindTable[] {
    const { frames } = this.#binary;
    if (frames.sectionsAt === undefined) {
      if (this.#cfi === undefined) {
        this.#faults.push(...frames.faults);
        this.#cfi = this.#tablesOf(frames.sections);
      }
      return this.#cfi;
    }
    const sections = this.#guarded(() => frames.sectionsAt!(pc)) ?? NO_SECTIONS;
    let tables = this.#cfiOfFunctions.get(sections);
    if (tables === undefined) {
      tables = this.#tablesOf(sections);
      this.#cfiOfFunctions.set(sections, tables);
    }
    return tables;
  }

  /** Whether code begins at an object address that only handlers of signals return to, and that no table tells of. */
  beginsSignalReturn(pc: number): boolean {
    const { architecture } = this.#registers;
    return this.#guarded(() => beginsSignalReturn(architecture, this.#bytesAt, pc)) === true;
  }

  /** Whether a pc is within such code. */
  isSignalReturn(pc: number): boolean {
    const { architecture } = this.#registers;
    return this.#guarded(() => isSignalReturn(architecture, this.#bytesAt, pc)) === true;
  }

  /** Of what was asked for and could not be read, the first few of each table. */
  get faults(): readonly FormatError[] {
    const tables = [this.#cfi ?? [], ...this.#cfiOfFunctions.values()].flat();
    return [...this.#faults, ...tables.flatMap((table) => table.faults.first)];
  }

  #tablesOf(sections: readonly CfiSection[]): UnwindTable[] {
    return sections.flatMap((section) => {
      const table = this.#guarded(() => new UnwindTable(section, this.#registers));
      return table === undefined ? [] : [table];
    });
  }

  readonly #bytesAt = (pc: number, length: number) => this.#binary.bytesAt(pc, length);

  #guarded<Value>(work: () => Value): Value | undefined {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      this.#faults.push(error);
      return undefined;
    }
  }
}

/** Shared by all profiles of a worker: tables by binary, for as long as the binaries are in use, and the kernel. */
export class TableCache {
  readonly #tables = new WeakMap<Binary, BinaryTables>();
  #kernel: WalkKernel | undefined;

  get kernel(): WalkKernel {
    this.#kernel ??= new WalkKernel();
    return this.#kernel;
  }

  of(binary: Binary, registers: RegisterFile): BinaryTables {
    let found = this.#tables.get(binary);
    if (found === undefined) {
      found = new BinaryTables(binary, registers);
      this.#tables.set(binary, found);
    }
    return found;
  }
}
