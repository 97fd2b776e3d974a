/**
 * From a source's item to bytes: opened without hanging, read whole when small, streamed when large, hashed on the way. Whole files
 * are read synchronously: the thread has nothing else to do, and five trips through the event loop cost more than the reading.
 */
import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, read, readSync, type Stats } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { PlacedReads } from '../../formats/input.js';
import type { Budget } from '../../formats/limits.js';
import { ItemError } from '../contract/errors.js';
import type { SourceItem } from '../contract/plugin.js';

/** Files up to this size are read in one piece. */
const WHOLE_BYTES = 8 * 2 ** 20;
const CHUNK_BYTES = 2 ** 20;

const readAsync = promisify(read);

export interface ItemBytes extends PlacedReads {
  /** Of a stream what is known when it is opened. */
  readonly size: number;
  /** The bytes as they came. A stream can be read once; only that of a file can be read at any place too. */
  readonly source: Uint8Array | AsyncIterable<Uint8Array>;
  /** SHA-256 of them. Of a large file it is read once more, so before `close`; of a stream as far as it was read. @throws ItemError E_CHANGED */
  digest(): Uint8Array;
  close(): Promise<void>;
}

/** @throws ItemError E_NOT_REGULAR, E_READ, E_CHANGED · FormatError E_LIMIT (fileBytes) */
export async function readItem(item: SourceItem, budget: Budget): Promise<ItemBytes> {
  if ('bytes' in item.data) return wholeItem(item.data.bytes, budget);
  if ('stream' in item.data) return itemOfStream(item.data.stream, budget);
  const { fd, stat } = openRegular(item.data.path);
  let isKept = false;
  try {
    budget.check('fileBytes', stat.size, { section: 'file' });
    if (stat.size <= WHOLE_BYTES) return wholeItem(readWhole(fd, stat), budget);
    isKept = true;
    return streamedItem(fd, stat);
  } finally {
    if (!isKept) closeSync(fd);
  }
}

/**
 * A file that is no input of the run, read whole.
 * @throws ItemError E_NOT_REGULAR, E_READ, E_CHANGED · FormatError E_LIMIT (fileBytes)
 */
export function readSideFile(path: string, budget: Budget): Uint8Array {
  const { fd, stat } = openRegular(path);
  try {
    budget.check('fileBytes', stat.size, { section: 'file' });
    return readWhole(fd, stat);
  } finally {
    closeSync(fd);
  }
}

/**
 * Opens a regular file for reading. Never blocks: a FIFO would hang in open(2) before any deadline of ours.
 * @throws ItemError E_NOT_REGULAR for a folder, device, socket or FIFO; E_READ with the system's reason
 */
function openRegular(path: string | Uint8Array): { readonly fd: number; readonly stat: Stats } {
  let fd: number;
  try {
    fd = openSync(typeof path === 'string' ? path : Buffer.from(path), constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // A socket cannot be opened (ENXIO), a loop of links not be followed (ELOOP).
    const irregular = code === 'ENXIO' || code === 'ELOOP';
    throw new ItemError(irregular ? 'E_NOT_REGULAR' : 'E_READ', `cannot open: ${reason(code, error)}`, {
      cause: error,
    });
  }
  const stat = fstatSync(fd);
  if (stat.isFile()) return { fd, stat };
  closeSync(fd);
  throw new ItemError('E_NOT_REGULAR', `not a regular file: ${kindOf(stat)}`);
}

function kindOf(stat: Stats): string {
  if (stat.isDirectory()) return 'a folder';
  if (stat.isFIFO()) return 'a FIFO';
  if (stat.isSocket()) return 'a socket';
  return stat.isCharacterDevice() || stat.isBlockDevice() ? 'a device' : 'of another kind';
}

const reasons: Record<string, string> = {
  ENOENT: 'no such file',
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
  ELOOP: 'a loop of symbolic links',
  ENXIO: 'a socket or a device that is not there',
  EMFILE: 'too many open files',
};

const reason = (code: string | undefined, error: unknown): string => reasons[code ?? ''] ?? code ?? String(error);

function readWhole(fd: number, stat: Stats): Uint8Array {
  // One byte more than it had: a file that grew is seen without a second stat.
  const bytes = Buffer.allocUnsafeSlow(stat.size + 1);
  let filled = 0;
  while (filled < bytes.length) {
    const count = readSync(fd, bytes, filled, bytes.length - filled, null);
    if (count === 0) break;
    filled += count;
  }
  if (filled !== stat.size) throw changed(stat, filled);
  return new Uint8Array(bytes.buffer, bytes.byteOffset, filled);
}

function changed(stat: Stats, size: number): ItemError {
  return new ItemError('E_CHANGED', `the file changed while it was read (${stat.size} bytes at first, then ${size})`);
}

function wholeItem(bytes: Uint8Array, budget: Budget): ItemBytes {
  budget.check('fileBytes', bytes.length, { section: 'file' });
  return {
    size: bytes.length,
    source: bytes,
    digest: () => createHash('sha256').update(bytes).digest(),
    close: async () => {},
  };
}

/** Read up to the size of a file that is read in one piece: if it goes on, the rest comes as it is asked for. */
async function itemOfStream(stream: AsyncIterable<Uint8Array>, budget: Budget): Promise<ItemBytes> {
  const iterator = stream[Symbol.asyncIterator]();
  const first: Uint8Array[] = [];
  let size = 0;
  while (size <= WHOLE_BYTES) {
    const next = await nextPiece(iterator);
    if (next.done === true) return wholeItem(Buffer.concat(first), budget);
    first.push(next.value);
    size += next.value.length;
  }
  const hash = createHash('sha256');
  return {
    size,
    source: pieces(),
    digest: () => hash.copy().digest(),
    close: async () => void (await iterator.return?.()),
  };

  async function* pieces(): AsyncGenerator<Uint8Array> {
    const give = (piece: Uint8Array) => {
      hash.update(piece);
      return piece;
    };
    for (const piece of first.splice(0)) yield give(piece);
    for (let next = await nextPiece(iterator); next.done !== true; next = await nextPiece(iterator))
      yield give(next.value);
  }
}

async function nextPiece(iterator: AsyncIterator<Uint8Array>): Promise<IteratorResult<Uint8Array>> {
  try {
    return await iterator.next();
  } catch (error) {
    throw new ItemError('E_READ', `cannot read on: ${(error as Error).message}`, { cause: error });
  }
}

function streamedItem(fd: number, stat: Stats): ItemBytes {
  let isClosed = false;
  return {
    size: stat.size,
    source: pieces(),
    readAt(offset, length) {
      const bytes = Buffer.alloc(Math.max(0, Math.min(length, stat.size - offset)));
      return bytes.subarray(0, bytes.length === 0 ? 0 : readSync(fd, bytes, 0, bytes.length, offset));
    },
    async readInto(offset, room) {
      const { bytesRead } = await readAsync(fd, room, 0, room.length, offset);
      if (bytesRead === 0) checkUnchanged(fd, stat, Math.min(offset, stat.size));
      return bytesRead;
    },
    // Most runs never ask, and hashing takes longer than reading.
    digest: () => hashFile(fd, stat),
    async close() {
      if (isClosed) return;
      isClosed = true;
      closeSync(fd);
    },
  };

  /** All in the same memory: a stream's new buffer a piece costs more than reading into it. */
  async function* pieces(): AsyncGenerator<Uint8Array> {
    const piece = new Uint8Array(CHUNK_BYTES);
    let size = 0;
    for (let count = -1; count !== 0; size += count) {
      // Signals and deadlines are heard between two pieces.
      await setImmediate();
      count = readSync(fd, piece, 0, piece.length, size);
      if (count > 0) yield piece.subarray(0, count);
    }
    checkUnchanged(fd, stat, size);
  }
}

function hashFile(fd: number, stat: Stats): Uint8Array {
  const hash = createHash('sha256');
  const piece = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  let size = 0;
  for (let count = -1; count !== 0; size += count) {
    count = readSync(fd, piece, 0, piece.length, size);
    hash.update(piece.subarray(0, count));
  }
  checkUnchanged(fd, stat, size);
  return hash.digest();
}

function checkUnchanged(fd: number, stat: Stats, size: number): void {
  if (size !== stat.size || fstatSync(fd).mtimeMs !== stat.mtimeMs) throw changed(stat, size);
}
