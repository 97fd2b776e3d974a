/**
 * Files that are whole or not there: written under a temporary name in the target's folder, synced, renamed, the folder synced.
 * A killed run leaves temporaries, never a half file under a final name; the next run removes them.
 */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { access, lstat, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { makeFolder } from '../../binary/folder.js';
import { RunStopped, UsageError } from '../contract/errors.js';

/** Short, whatever the target's name is: names may be 255 bytes long already. */
const TEMPORARY = /^\.profpipe-(\d+)-(\d+)-[0-9a-f]{16}\.tmp$/;

/**
 * Makes the folder if needed, checks that files can be made in it and that no symbolic link or folder stands at the path, and
 * removes temporaries of runs that are gone.
 * @throws UsageError output-unwritable, output-is-link, output-is-folder
 */
export async function prepareTarget(path: string): Promise<void> {
  const folder = dirname(resolve(path));
  try {
    makeFolder(folder);
    await access(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new UsageError(
      'output-unwritable',
      `output ${path}: cannot write in ${folder}: ${(error as Error).message}`,
      { cause: error },
    );
  }
  await checkTarget(path);
  await removeOrphans(folder);
}

async function checkTarget(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isSymbolicLink())
    throw new UsageError('output-is-link', `output ${path} is a symbolic link; it is not followed`);
  if (found?.isDirectory()) throw new UsageError('output-is-folder', `output ${path} is a folder`);
  if (found !== undefined && !found.isFile())
    throw new UsageError('output-is-special', `output ${path} is no regular file`);
}

/** @returns bytes written. @throws RunStopped E_WRITE (disk full, quota, folder gone); the temporary is removed then */
export async function writeFileAtomically(
  path: string,
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<number> {
  const target = resolve(path);
  const folder = dirname(target);
  const temporary = join(folder, await temporaryName());
  try {
    await checkTarget(target);
    const file = await open(
      temporary,
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
      0o666,
    );
    let bytes = 0;
    try {
      for await (const piece of pieces) bytes += await writeWhole(file, piece);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, target);
    await syncFolder(folder);
    return bytes;
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    const { code, message } = error as NodeJS.ErrnoException;
    throw new RunStopped('E_WRITE', `cannot write ${path}: ${code ?? ''} ${message}`, { cause: error });
  }
}

/** A file-size limit or a full disk may cut a write short without an error; the next one then gives it. */
async function writeWhole(file: Awaited<ReturnType<typeof open>>, piece: Uint8Array): Promise<number> {
  let written = 0;
  while (written < piece.length) written += (await file.write(piece, written, piece.length - written)).bytesWritten;
  return written;
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A name that `removeOrphans` knows, and knows to be this process's. */
export async function temporaryName(): Promise<string> {
  return `.profpipe-${process.pid}-${await ownStart()}-${randomBytes(8).toString('hex')}.tmp`;
}

/** Removes temporaries, files and folders, of processes that are gone. A folder that is not there has none. */
export async function removeOrphans(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const match = TEMPORARY.exec(basename(name));
    if (match === null) continue;
    if ((await processStart(Number(match[1]))) !== match[2])
      await rm(join(folder, name), { recursive: true, force: true });
  }
}

let own: Promise<string> | undefined;

function ownStart(): Promise<string> {
  own ??= processStart(process.pid);
  return own;
}

/**
 * When a process started, as text: pids are used again. From /proc where there is one (Linux, field 22 of stat); elsewhere "1" for
 * a process that lives. "0" for one that does not.
 */
export async function processStart(pid: number): Promise<string> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '1';
  } catch {
    try {
      process.kill(pid, 0);
      return '1';
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'EPERM' ? '1' : '0';
    }
  }
}
