/**
 * The kernel as a Binary: its list of symbols, as perf keeps it in its cache by build ID, and as this machine's own kernel gives it. Of its image
 * alone: where modules are, and the code that it makes, is not told by a build ID. Object addresses count from the image's first symbol, by
 * which perf tells where the image was: that is another place each time the machine starts.
 * Source: Linux tools/perf/util/{build-id,machine}.c; /sys/kernel/notes has the notes of the kernel's own file.
 */
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { noFrameSections } from '../formats/cfi/section.js';
import { gnuBuildIdIn } from '../formats/elf/note.js';
import { FormatError } from '../formats/errors.js';
import type { Budget } from '../formats/limits.js';
import { readKallsyms } from '../formats/symbol-text/kallsyms.js';
import type { KernelNames } from '../formats/symbol-text/kernel-names.js';
import type { ObjectSymbol, SymbolTable } from '../formats/symbols/symbol.js';
import type { Binary } from './binary.js';

/** Here it also stands for this machine's own kernel. */
export const OWN_KERNEL = '/proc/kallsyms';
const NOTES = '/sys/kernel/notes';
/** As perf calls its mapping. */
const NAME = /^\[(guest\.)?kernel\.kallsyms\]$/;
const CACHED = /[/\\]\.build-id[/\\]([0-9a-f]{2})[/\\]([0-9a-f]+)[/\\]kallsyms$/;
const CHUNK_BYTES = 1 << 20;

export const isKernel = ({ filename }: { readonly filename: string }): boolean => NAME.test(filename);

/** Whether the list of a path, in a cache or this machine's own, is that of a kernel. */
export const isKernelList = (path: string): boolean => path === OWN_KERNEL || CACHED.test(path);

/** Of the kernel that runs here; undefined on other systems. */
export function ownKernelBuildId(): string | undefined {
  try {
    return gnuBuildIdIn(readFileSync(NOTES), NOTES);
  } catch (error) {
    if (error instanceof FormatError || (error as NodeJS.ErrnoException).code !== undefined) return undefined;
    throw error;
  }
}

/** The list is read when it is first asked. @throws Error ENOENT, EACCES … */
export function openKernelList(path: string, budget: Budget): KernelList {
  closeSync(openSync(path, 'r'));
  return new KernelList(path, budget);
}

class KernelList implements Binary {
  readonly format = 'kallsyms';
  readonly path: string;
  readonly architecture = 'other';
  readonly imageBase = 0n;
  readonly entry = 0n;
  readonly isPositionIndependent = true;
  readonly gnuBuildId: string | undefined;
  readonly goBuildId = undefined;
  readonly segments = [];
  readonly go = undefined;
  readonly dwarf = undefined;
  readonly debug = { addressBytes: 8, isLittleEndian: true, imageBase: 0n, section: () => undefined } as const;
  readonly refusals: readonly string[] = [];
  readonly frames = noFrameSections;
  readonly #budget: Budget;
  #table: ImageSymbols | undefined;

  constructor(path: string, budget: Budget) {
    this.path = path;
    this.#budget = budget;
    const [, start, end] = CACHED.exec(path) ?? [];
    this.gnuBuildId = path === OWN_KERNEL ? ownKernelBuildId() : `${start}${end}`;
  }

  /** @throws FormatError of `readKallsyms` */
  get symbolTables(): readonly SymbolTable[] {
    this.#table ??= new ImageSymbols(readKallsyms(this.#read(), this.#budget.limits));
    return [this.#table];
  }

  bytesAt(): Uint8Array {
    return new Uint8Array(0);
  }

  get heldBytes(): number {
    return this.#table?.heldBytes ?? 0;
  }

  release(): void {
    this.#table = undefined;
  }

  /** What the kernel gives has no size before it is read. @throws FormatError E_LIMIT, E_IO */
  #read(): Uint8Array {
    const chunks: Uint8Array[] = [];
    let size = 0;
    try {
      const file = openSync(this.path, 'r');
      try {
        for (;;) {
          const chunk = new Uint8Array(CHUNK_BYTES);
          const read = readSync(file, chunk);
          if (read === 0) return Buffer.concat(chunks);
          chunks.push(chunk.subarray(0, read));
          size += read;
          this.#budget.check('objectTableBytes', size, { section: this.path });
        }
      } finally {
        closeSync(file);
      }
    } catch (error) {
      if (error instanceof FormatError) throw error;
      throw new FormatError('E_IO', (error as Error).message, { section: this.path }, { cause: error });
    }
  }
}

class ImageSymbols implements SymbolTable {
  readonly name = 'kallsyms';
  readonly #names: KernelNames;
  readonly #first: bigint;

  /** @throws FormatError E_KALLSYMS for a list without the image's first symbol */
  constructor(names: KernelNames) {
    const first = names.firstOfImage();
    if (first === undefined) throw new FormatError('E_KALLSYMS', 'neither _text nor _stext is in the list');
    this.#names = names;
    this.#first = first;
  }

  get length(): number {
    return this.#names.length;
  }

  get heldBytes(): number {
    return this.#names.heldBytes;
  }

  find(objectAddress: number): ObjectSymbol | undefined {
    const found = this.#names.findInImage(this.#first + BigInt(objectAddress));
    if (found === undefined) return undefined;
    const { name, start, end } = found;
    const place = { objectAddress: Number(start - this.#first), size: Number(end - start) };
    return { name, ...place, binding: 'global', type: 'function', file: '' };
  }
}
