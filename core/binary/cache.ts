/** Opened binaries, least recently used first out: bounded in number and in bytes. */
import type { Binary } from './binary.js';
import type { Opened } from './locate.js';

export interface CacheBounds {
  readonly entries: number;
  /** Of what the binaries hold in memory. */
  readonly bytes: number;
}

export const defaultCacheBounds: CacheBounds = { entries: 64, bytes: 192 * 2 ** 20 };

export class BinaryCache {
  readonly #bounds: CacheBounds;
  readonly #open: (path: string) => Opened;
  /** In order of last use. Failures are kept too: a file is tried once. */
  readonly #entries = new Map<string, Opened>();
  #opened = 0;
  #evicted = 0;

  constructor(open: (path: string) => Opened, bounds: CacheBounds = defaultCacheBounds) {
    this.#open = open;
    this.#bounds = bounds;
  }

  get(path: string): Opened {
    let entry = this.#entries.get(path);
    if (entry === undefined) {
      entry = this.#open(path);
      if ('binary' in entry) this.#opened++;
    } else {
      this.#entries.delete(path);
    }
    this.#entries.set(path, entry);
    this.#shrink();
    return entry;
  }

  /** What is behind a path has changed. */
  forget(path: string): void {
    const entry = this.#entries.get(path);
    if (entry !== undefined && 'binary' in entry) entry.binary.release();
    this.#entries.delete(path);
  }

  get stats(): { readonly opened: number; readonly evicted: number; readonly bytes: number } {
    return { opened: this.#opened, evicted: this.#evicted, bytes: this.#heldBytes() };
  }

  /** Releases all. */
  clear(): void {
    for (const binary of this.#binaries()) binary.release();
    this.#entries.clear();
  }

  #shrink(): void {
    while (this.#entries.size > 1 && (this.#entries.size > this.#bounds.entries || this.#isTooLarge())) {
      const [path, entry] = this.#entries.entries().next().value!;
      this.#entries.delete(path);
      if (!('binary' in entry)) continue;
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
    for (const entry of this.#entries.values()) if ('binary' in entry) yield entry.binary;
  }
}
