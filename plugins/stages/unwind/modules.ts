/** The binaries behind the mappings of one profile, with their unwind tables. */
import {
  type Binary,
  type BinaryStore,
  Budget,
  FormatError,
  type Profile,
  type RegisterFile,
  stringAt,
  UnwindTable,
} from '../../../core/index.js';
import { GoFunctions } from './go-functions.js';

/** What a binary has for unwinding. */
export interface BinaryTables {
  readonly tables: readonly UnwindTable[];
  readonly go: GoFunctions | undefined;
  /** Object address that execution begins at. */
  readonly entry: number;
  /** Of sections that could not be read. */
  readonly faults: readonly FormatError[];
}

/** One mapping of a profile. */
export interface Module {
  readonly name: string;
  /** Undefined where the file was not found or refused; `reason` and `message` say why. */
  readonly tables: BinaryTables | undefined;
  readonly reason: string;
  readonly message: string;
  /** Code that no file holds: made while the program ran, or given by the kernel. */
  readonly isWithoutFile: boolean;
  /** Runtime address less object address. */
  bias(runtimeAddress: number): number | undefined;
}

/** Tables by binary, for as long as the binaries are in use: shared by all profiles of a worker. */
export class TableCache {
  readonly #tables = new WeakMap<Binary, BinaryTables>();

  of(binary: Binary, registers: RegisterFile): BinaryTables {
    let found = this.#tables.get(binary);
    if (found === undefined) {
      found = open(binary, registers);
      this.#tables.set(binary, found);
    }
    return found;
  }
}

/** Names that the kernel gives to mappings of no file. */
const WITHOUT_FILE = /^($|\/\/anon|\/memfd:|\/dev\/zero|\[)/;

function open(binary: Binary, registers: RegisterFile): BinaryTables {
  const faults: FormatError[] = [...binary.frames.faults];
  const guarded = <Value>(work: () => Value): Value | undefined => {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      faults.push(error);
      return undefined;
    }
  };
  const tables = binary.frames.sections.flatMap((section) => {
    const table = guarded(() => new UnwindTable(section, registers, new Budget()));
    return table === undefined ? [] : [table];
  });
  const go = guarded(() => binary.go);
  return { tables, go: go && new GoFunctions(go), entry: Number(binary.entry - binary.imageBase), faults };
}

export class Modules {
  readonly #profile: Profile;
  readonly #binaries: BinaryStore;
  readonly #cache: TableCache;
  readonly #registers: RegisterFile;
  readonly #modules = new Map<number, Module>();

  constructor(profile: Profile, binaries: BinaryStore, cache: TableCache, registers: RegisterFile) {
    this.#profile = profile;
    this.#binaries = binaries;
    this.#cache = cache;
    this.#registers = registers;
  }

  at(mappingRow: number): Module {
    let found = this.#modules.get(mappingRow);
    if (found === undefined) {
      found = this.#open(mappingRow);
      this.#modules.set(mappingRow, found);
    }
    return found;
  }

  #open(mappingRow: number): Module {
    const { mappings, strings } = this.#profile;
    const name = stringAt(strings, mappings.filename[mappingRow]!);
    const isWithoutFile = WITHOUT_FILE.test(name);
    const mapped = this.#binaries.forMapping(this.#profile, mappingRow);
    if (mapped.binary === undefined || mapped.binary.architecture !== this.#registers.architecture) {
      const { reason, message } =
        mapped.binary === undefined ? mapped : { reason: 'other_machine', message: `${name}: code of another machine` };
      return { name, tables: undefined, reason, message, isWithoutFile, bias: () => undefined };
    }
    const { binary, toObjectAddress } = mapped;
    let known: number | undefined;
    return {
      name,
      tables: this.#cache.of(binary, this.#registers),
      reason: '',
      message: '',
      isWithoutFile,
      bias(runtimeAddress) {
        // The code of a mapping is one segment's, so what holds for one address holds for all.
        if (known === undefined) {
          const objectAddress = toObjectAddress(BigInt(runtimeAddress));
          if (objectAddress !== undefined) known = runtimeAddress - objectAddress;
        }
        return known;
      },
    };
  }
}
