/** Names that no binary has: of the kernel, and of code that programs make while they run. */
import { readKallsyms, readPerfMap } from '../../../core/binaries.js';
import {
  type AddressNames,
  type CreateContext,
  FormatError,
  type Lookup,
  type NamedRange,
} from '../../../core/index.js';

type Names = Pick<AddressNames, 'find'>;

/** Kernels of all 64-bit machines live in the upper half. */
const KERNEL_START = 1n << 63n;

export class RuntimeNames {
  readonly #kernel: Names | undefined;
  readonly #maps: readonly Names[];

  constructor(kernel: Names | undefined, maps: readonly Names[]) {
    this.#kernel = kernel;
    this.#maps = maps;
  }

  isKernel(address: bigint): boolean {
    return this.#kernel !== undefined && address >= KERNEL_START;
  }

  ofKernel(address: bigint): Lookup {
    const range = this.#kernel!.find(address);
    return range === undefined ? { frames: undefined, reason: 'no_function' } : frameOf(range, 'kallsyms');
  }

  /** @returns undefined where no map has the address; a refusal where maps of several processes have different names for it */
  ofProcess(address: bigint): Lookup | undefined {
    const ranges = this.#maps.flatMap((map) => map.find(address) ?? []);
    const [first] = ranges;
    if (first === undefined) return undefined;
    const isClear = ranges.every(({ name }) => name === first.name);
    return isClear ? frameOf(first, 'perf_map') : { frames: undefined, reason: 'several_processes' };
  }
}

/** @throws Error that names the file and the line */
export function readRuntimeNames(
  { kallsyms, perf_maps }: { readonly kallsyms?: string; readonly perf_maps: readonly string[] },
  context: CreateContext,
): RuntimeNames {
  const read = (path: string, reader: (bytes: Uint8Array, limits: CreateContext['limits']) => Names) => {
    try {
      return reader(context.readFile(path), context.limits);
    } catch (error) {
      if (error instanceof FormatError) throw new Error(`${path}: ${error.describe()}`, { cause: error });
      throw error;
    }
  };
  return new RuntimeNames(
    kallsyms === undefined ? undefined : read(kallsyms, readKallsyms),
    perf_maps.map((path) => read(path, readPerfMap)),
  );
}

function frameOf({ name }: NamedRange, source: string): Lookup {
  return {
    frames: [{ function: name, systemName: name, file: '', line: 0, column: 0, startLine: 0 }],
    source,
  };
}
