/** Opened binaries, least recently used first out: bounded in number and in bytes. */
import type { Binary } from './binary.js';
import type { Opened } from './locate.js';

export interface CacheBounds {
  /** Binaries; each has a file open, or two. */
  readonly entries: number;
  /** Of what the binaries hold in memory. */
  readonly bytes: number;
}

export const defaultCacheBounds: CacheBounds = { entries: 256, bytes: 192 * 2 ** 20 };
/** Paths behind which there is no binary: a search tries several for each that it finds. */
const MAX_FAILURES = 4096;

type Found = Extract<Opened, { readonly binary: Binary }>;

export class BinaryCache {
  readonly #bounds: CacheBounds;
  readonly #open: (path: string) => Opened;
  /** In order of last use. */
  readonly #entries = new Map<string, Found>();
  /** A file is tried once. */
  readonly #failures = new Map<string, Opened>();
  #opened = 0;
  #evicted = 0;

  constructor(open: (path: string) => Opened, bounds: CacheBounds = defaultCacheBounds) {
    this.#open = open;
    this.#bounds = bounds;
  }

  get(path: string): Opened {
    const failure = this.#failures.get(path);
    if (failure !== undefined) return failure;
    const entry = this.#entries.get(path) ?? this.#open(path);
    if (!('binary' in entry)) {
      if (this.#failures.size === MAX_FAILURES) this.#failures.clear();
      this.#failures.set(path, entry);
      return entry;
    }
    if (!this.#entries.delete(path)) this.#opened++;
    this.#entries.set(path, entry);
    this.#shrink();
    return entry;
  }

  /** What is behind a path has changed. */
  forget(path: string): void {
    this.#entries.get(path)?.binary.release();
    this.#entries.delete(path);
    this.#failures.delete(path);
  }

  get stats(): { readonly opened: number; readonly evicted: number; readonly bytes: number } {
    return { opened: this.#opened, evicted: this.#evicted, bytes: this.#heldBytes() };
  }

  /** Releases all. */
  clear(): void {
    for (const binary of this.#binaries()) binary.release();
    this.#entries.clear();
    this.#failures.clear();
  }

  #shrink(): void {
    while (this.#entries.size > 1 && (this.#entries.size > this.#bounds.entries || this.#isTooLarge())) {
      const [path, entry] = this.#entries.entries().next().value!;
      this.#entries.delete(path);
      entry.binary.release();
      this.#evicted++;
    }
  }

  #isTooLarge(): boolean {
    return this.#heldBytes() > this.#bounds.bytes;
  }

  #heldBytes(): number {
    let bytes = 0;
    for (const binary of this.#binaries()) bytes += binary.heldBytes;
    return bytes;
  }

  *#binaries(): Generator<Binary> {
    for (const { binary } of this.#entries.values()) yield binary;
  }
}
