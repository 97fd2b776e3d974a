/**
 * Partials of an aggregate on disk, where they are too large for memory. A folder for each run, named as the temporaries of
 * atomic-file.ts are, so that the next run removes it when this one was killed.
 */
import { readFileSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../binary/folder.js';
import { RunStopped } from '../contract/errors.js';
import type { PartialBytes } from '../contract/protocol.js';
import { removeOrphans, temporaryName } from '../outputs/atomic-file.js';

export interface Spill {
  /** A partial that is larger than this is to be spilled. */
  readonly partialBytes: number;
  /** @throws RunStopped E_SPILL (disk full, quota, folder gone) */
  write(partial: PartialBytes): Promise<void>;
  /** Files written since it was asked last: they are the caller's. */
  take(): readonly string[];
  remove(paths: readonly string[]): Promise<void>;
  /** Removes all. Idempotent. */
  close(): Promise<void>;
}

/** What a lane's partial is multiplied by in memory: as bytes here, as bytes and as tables in a worker, and while tables grow. */
const COPIES = 4;

/**
 * @param parent folder in which the run's folder is made once it is needed; those of runs that are gone are removed at once
 * @param memoryBytes for the partials of all lanes
 */
export async function openSpill(parent: string, memoryBytes: number, lanes: number): Promise<Spill> {
  await removeOrphans(parent);
  /** Made by the first of the lanes that spills. */
  let folder: Promise<string> | undefined;
  let paths: string[] = [];
  let written = 0;
  return {
    partialBytes: Math.floor(memoryBytes / (lanes * COPIES)),
    async write(partial) {
      try {
        folder ??= spillFolder(parent);
        const path = join(await folder, `${written++}`);
        await writePieces(path, partial);
        paths.push(path);
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException;
        throw new RunStopped('E_SPILL', `cannot write partials in ${parent}: ${code ?? ''} ${message}`, {
          cause: error,
        });
      }
    },
    take() {
      const taken = paths;
      paths = [];
      return taken;
    },
    async remove(taken) {
      for (const path of taken) await rm(path, { force: true });
    },
    async close() {
      const made = await folder?.catch(() => undefined);
      if (made !== undefined) await rm(made, { recursive: true, force: true });
    },
  };
}

async function spillFolder(parent: string): Promise<string> {
  const folder = join(parent, await temporaryName());
  makeFolder(folder, 0o700);
  return folder;
}

/** The number of pieces and the length of each as float64, then the pieces. */
async function writePieces(path: string, pieces: PartialBytes): Promise<void> {
  const lengths = Float64Array.of(pieces.length, ...pieces.map((piece) => piece.length));
  const file = await open(path, 'wx', 0o600);
  try {
    for (const piece of [new Uint8Array(lengths.buffer), ...pieces]) {
      for (let written = 0; written < piece.length; ) {
        written += (await file.write(piece, written, piece.length - written)).bytesWritten;
      }
    }
  } finally {
    await file.close();
  }
}

/** What `Spill.write` wrote. @throws RangeError when the file is not whole */
export function readSpilled(path: string): PartialBytes {
  const bytes = readFileSync(path);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = view.getFloat64(0, true);
  let at = 8 * (1 + count);
  const pieces = Array.from({ length: count }, (_, piece) => {
    const start = at;
    at += view.getFloat64(8 * (1 + piece), true);
    return bytes.subarray(start, at);
  });
  if (at !== bytes.length) throw new RangeError(`${path}: ${bytes.length} bytes of ${at}`);
  return pieces;
}
