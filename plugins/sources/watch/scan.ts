/** What is in a folder right now. Names are bytes all the way: one that is no UTF-8 is found and opened like any other. */
import { type BigIntStats, type Dirent, lstatSync, readdirSync, statSync } from 'node:fs';
import picomatch from 'picomatch';

export interface SeenFile {
  /** Path below the folder, its bytes as Latin-1: exact for any name, and sorts as the bytes do. */
  readonly key: string;
  readonly path: Buffer;
  readonly size: number;
  readonly modifiedNs: bigint;
}

export interface ScanOptions {
  readonly match: readonly string[];
  readonly subfolders: boolean;
  readonly links: boolean;
}

const UNFINISHED = /^\.|(?:\.tmp|\.part|~)$/;

/** @returns regular files, in no order. @throws Error when the folder itself cannot be listed */
export function scanFolder(root: string, { match, subfolders, links }: ScanOptions): SeenFile[] {
  // A name may have line ends in it.
  const matches = picomatch([...match], { flags: 's' });
  const files: SeenFile[] = [];
  const folders = [''];
  for (let below = folders.pop(); below !== undefined; below = folders.pop()) {
    for (const entry of list(root, below)) {
      const name = entry.name.toString('latin1');
      if (UNFINISHED.test(name)) continue;
      const key = below + name;
      if (entry.isDirectory()) {
        if (subfolders) folders.push(`${key}/`);
      } else if ((entry.isFile() || (links && entry.isSymbolicLink())) && matches(textOf(key))) {
        const path = pathOf(root, key);
        const stat = statOf(path, links);
        if (stat?.isFile()) files.push({ key, path, size: Number(stat.size), modifiedNs: stat.mtimeNs });
      }
    }
  }
  return files;
}

/** Whether a file is still what was seen. */
export function isUnchanged({ path, size, modifiedNs }: SeenFile, links: boolean): boolean {
  const stat = statOf(path, links);
  return stat?.mtimeNs === modifiedNs && Number(stat.size) === size;
}

/** A key as people read it. */
export function textOf(key: string): string {
  return Buffer.from(key, 'latin1').toString('utf8');
}

function pathOf(root: string, key: string): Buffer {
  return Buffer.concat([Buffer.from(root), Buffer.from('/'), Buffer.from(key, 'latin1')]);
}

/** A folder below the first may be gone since its parent was listed. */
function list(root: string, below: string): Dirent<Buffer>[] {
  try {
    const options = { withFileTypes: true, encoding: 'buffer' } as const;
    return readdirSync(pathOf(root, below), options) as unknown as Dirent<Buffer>[];
  } catch (error) {
    if (below === '') throw error;
    return [];
  }
}

/** Undefined for what is gone by now. */
function statOf(path: Buffer, links: boolean): BigIntStats | undefined {
  try {
    return (links ? statSync : lstatSync)(path, { bigint: true });
  } catch {
    return undefined;
  }
}
