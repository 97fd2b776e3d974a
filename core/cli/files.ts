/** Files that a call names, and what keeps them from being read or written. `-` is stdin. */
import { constants } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ExitCode } from './exit-codes.js';
import { CallProblem } from './verb.js';

const CHUNK_BYTES = 1 << 20;

/**
 * The file itself; of a folder the files right in it, but for hidden ones, in the order of their names.
 * @throws CallProblem when it cannot be read, or is a folder without files
 */
export async function profilesIn(path: string): Promise<string[]> {
  if (path === '-') return [path];
  try {
    if (!(await stat(path)).isDirectory()) return [path];
    const entries = await readdir(path, { withFileTypes: true });
    const names = entries
      .filter((entry) => !entry.isDirectory() && !entry.name.startsWith('.'))
      .map(({ name }) => name);
    if (names.length > 0) return names.sort().map((name) => join(path, name));
  } catch (error) {
    throw cannotRead(path, error);
  }
  throw new CallProblem('E_EMPTY_FOLDER', `${path}: no files in this folder`, ExitCode.usage);
}

/**
 * All bytes of a file or of stdin.
 * @param tooLarge exit code when there are more than `maxBytes`
 * @throws CallProblem also when it cannot be read or is a folder; pipes are read (`<(…)` is one)
 */
export async function readInput(path: string, maxBytes: number, tooLarge: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let total = 0;
  try {
    for await (const piece of path === '-' ? process.stdin : piecesOf(path)) {
      total += (piece as Uint8Array).length;
      if (total > maxBytes) throw new CallProblem('E_LIMIT', `${path}: more than ${maxBytes} bytes`, tooLarge);
      pieces.push(piece as Uint8Array);
    }
  } catch (error) {
    if (error instanceof CallProblem) throw error;
    throw cannotRead(path, error);
  }
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces, total);
}

async function* piecesOf(path: string): AsyncGenerator<Uint8Array> {
  const file = await open(path, constants.O_RDONLY);
  try {
    const { size } = await file.stat();
    for (;;) {
      const buffer = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, Math.max(size + 1, 1 << 16)));
      const { bytesRead } = await file.read(buffer, 0, buffer.length);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
  E_NOT_REGULAR: 'not a regular file',
  ELOOP: 'a loop of symbolic links',
  ENOTDIR: 'a part of the path is no folder',
  EEXIST: 'a file is in the way',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space left',
};

export function cannotRead(path: string, error: unknown): CallProblem {
  const { code, message } = error as NodeJS.ErrnoException;
  return new CallProblem(code ?? 'E_READ', `${path}: ${reasons[code ?? ''] ?? message}`, ExitCode.usage);
}

export function cannotWrite(path: string, error: unknown): CallProblem {
  const { code, message } = error as NodeJS.ErrnoException;
  return new CallProblem(code ?? 'E_WRITE', `cannot write ${path}: ${reasons[code ?? ''] ?? message}`, ExitCode.usage);
}
