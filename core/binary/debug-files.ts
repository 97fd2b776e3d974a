/**
 * Files that go with an ELF file: its debug information where that was split off, and what debug information refers to. A file whose
 * build ID or checksum differs is refused, and that is said.
 */
import { realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { bytesSource } from '../formats/bytes-source.js';
import { crc32Of } from '../formats/compression/crc32.js';
import { unxz } from '../formats/compression/xz.js';
import { readAlternateLink, readDebugLink } from '../formats/elf/debug-link.js';
import { FormatError } from '../formats/errors.js';
import type { Budget } from '../formats/limits.js';
import { buildIdPath } from './binary-folders.js';
import { ElfPart, type HeldSource } from './elf-part.js';
import { FileSource } from './file-source.js';

/** Where debug files are looked for besides the folder of the binary. */
export interface DebugSearch {
  /** Laid out as /usr/lib/debug: `.build-id/xx/yyyy.debug`, and beneath it the paths of binaries. */
  readonly folders: readonly string[];
}

const MINI_DEBUG_INFO = '.gnu_debugdata';
/** A program may name any number of split files that are none. */
const MAX_REFUSALS = 100;

export const defaultDebugSearch: DebugSearch = { folders: ['/usr/lib/debug'] };

export class DebugFiles {
  readonly #search: DebugSearch;
  readonly #budget: Budget;
  /** What was there, but is not the file that was looked for, each once. For a person. */
  readonly refusals: string[] = [];

  constructor(search: DebugSearch, budget: Budget) {
    this.#search = search;
    this.#budget = budget;
  }

  /** The separate debug file, in GDB's order: by build ID, by the link beside the binary, in its `.debug` folder, beneath the folders. */
  findDebugFile(part: ElfPart): ElfPart | undefined {
    return this.#byBuildId(part.gnuBuildId) ?? this.#byLink(part);
  }

  /** The file that dwz moved shared parts to. @param part that refers to it */
  findAlternate(part: ElfPart): ElfPart | undefined {
    const link = this.#attempt(part.path, () => readAlternateLink(part.sections));
    if (link === undefined) return undefined;
    const beside = resolve(dirname(realPath(part.path)), link.path);
    return (
      this.#open(beside, (found) => this.#expectBuildId(beside, found, link.buildId)) ?? this.#byBuildId(link.buildId)
    );
  }

  /** The file of symbols that is within a file: MiniDebugInfo, in `.gnu_debugdata`. */
  openEmbedded({ path, sections }: ElfPart): ElfPart | undefined {
    const place = `${path}:${MINI_DEBUG_INFO}`;
    return this.#attempt(place, () => {
      const source = sections.find(MINI_DEBUG_INFO);
      if (source === undefined) return undefined;
      const packed = source.read(0, source.size, MINI_DEBUG_INFO);
      const bytes = unxz(packed, this.#budget.limits.objectTableBytes, MINI_DEBUG_INFO);
      return new ElfPart(place, heldSource(bytes, place), this.#budget);
    });
  }

  /** An ELF file at one of some paths, the first that there is. */
  openFirst(paths: readonly string[]): ElfPart | undefined {
    for (const path of paths) {
      const part = this.#open(path, () => true);
      if (part !== undefined) return part;
    }
    return undefined;
  }

  #byBuildId(buildId: string | undefined): ElfPart | undefined {
    if (buildId === undefined || buildId.length < 4) return undefined;
    for (const folder of this.#search.folders) {
      // As debuggers have it, and as perf's cache does.
      for (const path of [buildIdPath(folder, buildId, '.debug'), join(buildIdPath(folder, buildId), 'debug')]) {
        const found = this.#open(path, (part) => this.#expectBuildId(path, part, buildId));
        if (found !== undefined) return found;
      }
    }
    return undefined;
  }

  #byLink(part: ElfPart): ElfPart | undefined {
    const link = this.#attempt(part.path, () => readDebugLink(part.sections));
    if (link === undefined || link.name === '') return undefined;
    const ownPath = realPath(part.path);
    const folder = dirname(ownPath);
    const folders = [folder, join(folder, '.debug'), ...this.#search.folders.map((root) => join(root, folder))];
    for (const candidate of folders.map((where) => join(where, link.name))) {
      const isRight = (found: ElfPart) =>
        this.#expectCrc(candidate, found, link.crc) && this.#expectBuildId(candidate, found, part.gnuBuildId);
      const found = candidate === ownPath ? undefined : this.#open(candidate, isRight);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** A file that is not there is the usual case, and says nothing. */
  #open(path: string, isRight: (part: ElfPart) => boolean): ElfPart | undefined {
    let source: FileSource;
    try {
      source = new FileSource(path, this.#budget);
    } catch {
      return undefined;
    }
    const part = this.#attempt(path, () => {
      const opened = new ElfPart(path, source, this.#budget);
      return isRight(opened) ? opened : undefined;
    });
    if (part === undefined) source.release();
    return part;
  }

  #attempt<T>(path: string, read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      this.#refuse(`${path}: ${error.describe()}`);
      return undefined;
    }
  }

  #refuse(message: string): void {
    if (this.refusals.length < MAX_REFUSALS && !this.refusals.includes(message)) this.refusals.push(message);
  }

  #expectBuildId(path: string, { gnuBuildId }: ElfPart, wanted: string | undefined): boolean {
    if (wanted === undefined || gnuBuildId === undefined || gnuBuildId === wanted) return true;
    this.#refuse(`${path} has build id ${gnuBuildId}, wanted is ${wanted}: not used`);
    return false;
  }

  #expectCrc(path: string, { elf }: ElfPart, wanted: number): boolean {
    const crc = crc32Of(elf.source, 'debug file');
    if (crc === wanted) return true;
    this.#refuse(`${path} has checksum 0x${crc.toString(16)}, its link says 0x${wanted.toString(16)}: not used`);
    return false;
  }
}

/** Held for as long as the binary is: it cannot be read again in part. */
function heldSource(bytes: Uint8Array, name: string): HeldSource {
  return { ...bytesSource(bytes, name), heldBytes: bytes.length, release: () => {} };
}

/** Links to a binary lead to the folder where its debug file is. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}
