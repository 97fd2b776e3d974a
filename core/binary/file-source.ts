/**
 * A file on disk as a ByteSource. Small reads go through a bounded cache of blocks. `release` closes the file and drops the
 * cache; the next read opens it again, so that whoever still holds a binary which was evicted can go on reading it.
 */
import { closeSync, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { FormatError } from '../formats/errors.js';
import { Budget } from '../formats/limits.js';
import type { ByteSource } from '../formats/source.js';

const BLOCK_BYTES = 1 << 14;
const MAX_BLOCKS = 64;

/**
 * What is at a path, without opening it: opening a FIFO would wait for a writer.
 * @throws Error E_NOT_REGULAR for anything but a regular file, or the system's (ENOENT, EACCES …)
 */
export function statRegularFile(path: string): Stats {
  const stats = statSync(path);
  if (!stats.isFile()) throw Object.assign(new Error(`${path}: not a regular file`), { code: 'E_NOT_REGULAR' });
  return stats;
}

export class FileSource implements ByteSource {
  readonly path: string;
  readonly size: number;
  readonly #budget: Budget;
  /** Tells one content of a path from another: device, inode, size and time. */
  readonly identity: string;
  #fd: number | undefined;
  #blocks = new Map<number, Uint8Array>();

  /** @throws Error of `statRegularFile` */
  constructor(path: string, budget: Budget = new Budget()) {
    this.path = path;
    this.#budget = budget;
    const stats = statRegularFile(path);
    this.size = stats.size;
    this.identity = identityOf(stats);
  }

  /** Bytes of the cached blocks. */
  get heldBytes(): number {
    return this.#blocks.size * BLOCK_BYTES;
  }

  read(fileOffset: number, length: number, part: string): Uint8Array {
    if (!(fileOffset >= 0 && length >= 0 && length <= this.size - fileOffset)) {
      throw new FormatError('E_TRUNCATED', `${length} bytes at 0x${fileOffset.toString(16)} are not all in the file`, {
        section: part,
        got: fileOffset + length,
        limit: this.size,
      });
    }
    this.#budget.check('objectTableBytes', length, { section: part });
    const into = fileOffset % BLOCK_BYTES;
    if (into + length > BLOCK_BYTES) return this.#readDirect(fileOffset, length, part);
    const start = fileOffset - into;
    let block = this.#blocks.get(start);
    if (block === undefined) {
      block = this.#readDirect(start, Math.min(BLOCK_BYTES, this.size - start), part);
      if (this.#blocks.size === MAX_BLOCKS) this.#blocks.delete(this.#blocks.keys().next().value!);
      this.#blocks.set(start, block);
    }
    return block.subarray(into, into + length);
  }

  /** Closes the file and drops the cache. */
  release(): void {
    this.#blocks.clear();
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  #readDirect(fileOffset: number, length: number, section: string): Uint8Array {
    const bytes = new Uint8Array(length);
    let done = 0;
    try {
      const fd = this.#open();
      while (done < length) {
        const count = readSync(fd, bytes, done, length - done, fileOffset + done);
        if (count === 0) break;
        done += count;
      }
    } catch (cause) {
      if (cause instanceof FormatError) throw cause;
      throw new FormatError('E_IO', `cannot be read: ${(cause as Error).message}`, { section }, { cause });
    }
    if (done < length) throw new FormatError('E_TRUNCATED', 'file became shorter', { section, got: fileOffset + done });
    return bytes;
  }

  #open(): number {
    if (this.#fd !== undefined) return this.#fd;
    statRegularFile(this.path);
    const fd = openSync(this.path, 'r');
    if (identityOf(fstatSync(fd)) !== this.identity) {
      closeSync(fd);
      throw new FormatError('E_FILE_CHANGED', 'file changed while it was in use');
    }
    this.#fd = fd;
    return fd;
  }
}

function identityOf(stats: Stats): string {
  return `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeMs}`;
}
