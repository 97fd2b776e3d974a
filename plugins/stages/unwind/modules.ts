/** The binaries behind the mappings of one profile. */
import { type BinaryStore, type Profile, type RegisterFile, stringAt } from '../../../core/index.js';
import type { BinaryTables, TableCache } from './binary-tables.js';

/** One mapping of a profile. */
export interface Module {
  /** As the profile names it. */
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

/** Names that the kernel gives to mappings of no file. */
const WITHOUT_FILE = /^($|\/\/anon|\/memfd:|\/dev\/zero|\[)/;

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

  /** What a person should know of the files that were asked for, each once. */
  warnings(): ReadonlyMap<string, string> {
    const codes = new Map<string, string>();
    for (const { tables, isWithoutFile, reason, message } of this.#modules.values()) {
      if (tables === undefined && !isWithoutFile) codes.set(message, reason);
      for (const fault of tables?.faults ?? []) codes.set(`${tables!.path}: ${fault.describe()}`, 'spoilt_table');
    }
    return codes;
  }

  #open(mappingRow: number): Module {
    const { mappings, strings } = this.#profile;
    const name = stringAt(strings, mappings.filename[mappingRow]!);
    const isWithoutFile = WITHOUT_FILE.test(name);
    const mapped = this.#binaries.forMapping(this.#profile, mappingRow);
    if (mapped.binary === undefined || mapped.binary.architecture !== this.#registers.architecture) {
      const { reason, message } =
        mapped.binary === undefined
          ? mapped
          : { reason: 'other_machine', message: `${mapped.binary.path}: code of another machine` };
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
