/** From a source's item to bytes: opened without hanging, read whole when small, streamed when large, hashed on the way. */
import { createHash, type Hash } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { FormatError } from '../formats/errors.js';
import type { Budget } from '../formats/limits.js';
import { ItemError } from './errors.js';
import type { SourceItem } from './plugin.js';

/** Files up to this size are read in one piece. */
const WHOLE_BYTES = 64 * 2 ** 20;
const CHUNK_BYTES = 2 ** 20;

export interface ItemBytes {
  /** The bytes as they came. A stream can be read once. */
  readonly source: Uint8Array | AsyncIterable<Uint8Array>;
  /** SHA-256 of them; of a stream only once it was read to its end. */
  digest(): Uint8Array;
  close(): Promise<void>;
}

/** @throws ItemError E_NOT_REGULAR, E_READ, E_CHANGED · FormatError E_LIMIT (fileBytes) */
export async function readItem(item: SourceItem, budget: Budget): Promise<ItemBytes> {
  if ('bytes' in item.data) return wholeItem(item.data.bytes, budget);
  const file = await openRegular(item.data.path);
  try {
    const stat = await file.stat();
    budget.check('fileBytes', stat.size, { section: 'file' });
    if (stat.size <= WHOLE_BYTES) {
      const bytes = await readWhole(file, stat);
      await file.close();
      return wholeItem(bytes, budget);
    }
    return streamedItem(file, stat);
  } catch (error) {
    await file.close();
    throw error;
  }
}

/**
 * Opens a regular file for reading. Never blocks: a FIFO would hang in open(2) before any deadline of ours.
 * @throws ItemError E_NOT_REGULAR for a folder, device, socket or FIFO; E_READ with the system's reason
 */
async function openRegular(path: string | Uint8Array): Promise<FileHandle> {
  let file: FileHandle;
  try {
    file = await open(typeof path === 'string' ? path : Buffer.from(path), constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // A socket cannot be opened (ENXIO), a loop of links not be followed (ELOOP).
    const irregular = code === 'ENXIO' || code === 'ELOOP';
    throw new ItemError(irregular ? 'E_NOT_REGULAR' : 'E_READ', `cannot open: ${reason(code, error)}`, {
      cause: error,
    });
  }
  const stat = await file.stat();
  if (stat.isFile()) return file;
  await file.close();
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

async function readWhole(file: FileHandle, stat: Stats): Promise<Uint8Array> {
  // One byte more than it had: a file that grew is seen without a second stat.
  const bytes = Buffer.allocUnsafeSlow(stat.size + 1);
  let filled = 0;
  while (filled < bytes.length) {
    const { bytesRead } = await file.read(bytes, filled, bytes.length - filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
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
    source: bytes,
    digest: () => createHash('sha256').update(bytes).digest(),
    close: async () => {},
  };
}

function streamedItem(file: FileHandle, stat: Stats): ItemBytes {
  const hash: Hash = createHash('sha256');
  let finished: Uint8Array | undefined;
  return {
    source: pieces(),
    digest() {
      if (finished === undefined)
        throw new FormatError('E_INTERNAL', 'digest of a stream that was not read to its end');
      return finished;
    },
    close: () => file.close(),
  };

  async function* pieces(): AsyncGenerator<Uint8Array> {
    let size = 0;
    for (;;) {
      const piece = Buffer.allocUnsafeSlow(CHUNK_BYTES);
      const { bytesRead } = await file.read(piece, 0, piece.length);
      if (bytesRead === 0) break;
      size += bytesRead;
      hash.update(piece.subarray(0, bytesRead));
      yield new Uint8Array(piece.buffer, 0, bytesRead);
    }
    if (size !== stat.size || (await file.stat()).mtimeMs !== stat.mtimeMs) throw changed(stat, size);
    finished = hash.digest();
  }
}
