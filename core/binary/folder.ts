/** Folders of this machine: told from files, and made with those above them. */
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Links are followed; what is not there is none. @throws Error ELOOP, EACCES where it cannot be seen */
export const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/**
 * As `mkdir -p`. Node's `recursive` never comes back where a file system says ENOENT although the folder above is there, as /proc does.
 * @param mode of the last one @throws Error with the code of mkdir, EEXIST where something else stands
 */
export function makeFolder(path: string, mode?: number): void {
  const missing: string[] = [];
  for (let at = resolve(path); !existsSync(at); at = dirname(at)) missing.unshift(at);
  for (const folder of missing) {
    try {
      mkdirSync(folder, mode !== undefined && folder === missing.at(-1) ? { mode } : {});
    } catch (error) {
      // Somebody else may have been quicker.
      if (!isFolder(folder)) throw error;
    }
  }
  if (missing.length === 0 && !isFolder(path)) mkdirSync(path);
}
