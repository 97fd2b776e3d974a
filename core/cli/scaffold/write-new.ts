/** Files that were not there before. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder } from '../../binary/folder.js';
import { ExitCode } from '../exit-codes.js';
import { cannotWrite } from '../files.js';
import { CallProblem } from '../verb.js';

/** @param files texts by path in the folder @throws CallProblem when one of them is there (nothing is written then), or cannot be written */
export function writeNew(folder: string, files: ReadonlyMap<string, string>): void {
  for (const path of files.keys()) {
    if (existsSync(join(folder, path))) throw isThere(join(folder, path));
  }
  for (const [path, text] of files) {
    const target = join(folder, path);
    try {
      makeFolder(dirname(target));
      writeFileSync(target, text, { flag: 'wx' });
    } catch (error) {
      throw cannotWrite(target, error);
    }
  }
}

/** @throws CallProblem for a folder that holds something, or what is no folder */
export function refuseUsedFolder(folder: string): void {
  if (!existsSync(folder)) return;
  let entries: readonly string[] = [''];
  try {
    entries = readdirSync(folder);
  } catch {
    // A file of that name.
  }
  if (entries.length > 0) throw isThere(folder);
}

const isThere = (path: string) =>
  new CallProblem('EEXIST', `${path} is there already; nothing was written`, ExitCode.usage);
