/**
 * Files behind a path, a folder or a glob, in a stable order (by the bytes of their paths). Names are bytes all the way: a name
 * that is no UTF-8 is found and opened like any other. Links to folders are not followed, so that a loop of them ends.
 */
import { type Dirent, lstatSync, readdirSync, type Stats, statSync } from 'node:fs';
import { isAbsolute, relative } from 'node:path';
import picomatch from 'picomatch';

export interface FoundFile {
  /** As bytes where the name is no valid UTF-8. */
  readonly path: string | Uint8Array;
  /** For messages: relative to the current folder where it lies below it. */
  readonly display: string;
}

/** @param pattern wildcards that a backslash escapes, or a class such as `[{]`, stand for themselves
 *  @returns undefined when nothing is there or nothing matches */
export function findFiles(pattern: string): FoundFile[] | undefined {
  // A file whose name looks like a glob is still a file.
  const literal = pattern.replaceAll(/\\(.)|\[([{}])\]/g, '$1$2');
  for (const path of [pattern, literal]) {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) continue;
    return isFolder(path) ? inOrder(walk(Buffer.from(path))) : [describe(Buffer.from(path))];
  }
  const { base, glob } = picomatch.scan(pattern, { unescape: true });
  if (glob === '' || !isFolder(base === '' ? '.' : base)) return undefined;
  const matches = picomatch(pattern);
  const files = [...walk(Buffer.from(base))].filter((path) => matches(path.toString('utf8')));
  return files.length === 0 ? undefined : inOrder(files);
}

function inOrder(paths: Iterable<Buffer>): FoundFile[] {
  return [...paths].sort(Buffer.compare).map(describe);
}

/** All that is no folder below a folder, dot names left out. What cannot be read as a file is the reader's to say. */
function* walk(root: Buffer): Generator<Buffer> {
  const folders = [root];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of readdirSync(folder, {
      withFileTypes: true,
      encoding: 'buffer',
    }) as unknown as Dirent<Buffer>[]) {
      if (entry.name[0] === 0x2e) continue;
      const path = Buffer.concat([folder, folder.at(-1) === 0x2f ? Buffer.of() : Buffer.from('/'), entry.name]);
      if (entry.isDirectory()) folders.push(path);
      else if (!entry.isSymbolicLink() || !isFolder(path)) yield path;
    }
  }
}

function isFolder(path: string | Buffer): boolean {
  return statAt(path)?.isDirectory() ?? false;
}

/** What is at the end of the links; undefined where nothing is, or where it cannot be seen (a loop of links, a folder without rights). */
export function statAt(path: string | Buffer): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

function describe(path: Buffer): FoundFile {
  const text = path.toString('utf8');
  const below = relative(process.cwd(), text);
  const display = below === '' || below.startsWith('..') || isAbsolute(below) ? text : below;
  return { path: Buffer.from(text).equals(path) ? text : new Uint8Array(path), display };
}
