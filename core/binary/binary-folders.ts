/** Folders that hold binaries of many programs: where in them that of a mapping may be. */
import { basename, join } from 'node:path';
import type { Mapping } from './mapping.js';

/** At least a byte for the folder and one for the file. */
const BUILD_ID = /^[0-9a-f]{4,}$/i;

/**
 * Surest first: `.build-id/xx/yyyy` as debuggers and debuginfod's clients keep them; as under google/pprof's PPROF_BINARY_PATH
 * BUILDID/NAME, the whole path beneath the folder, and NAME.
 */
export function pathsInFolder(folder: string, { filename, buildId }: Mapping): string[] {
  const paths = [];
  // Beneath "/" first: a name with ".." in it stays within the folder.
  const path = join('/', filename.replace(/ \(deleted\)$/, ''));
  const name = basename(path);
  if (BUILD_ID.test(buildId)) {
    paths.push(buildIdPath(folder, buildId));
    if (name !== '') paths.push(join(folder, buildId, name));
  }
  if (filename.startsWith('/')) paths.push(join(folder, path));
  if (name !== '') paths.push(join(folder, name));
  return [...new Set(paths)];
}

/** @param buildId hexadecimal */
export function buildIdPath(folder: string, buildId: string, ending: '' | '.debug' = ''): string {
  const id = buildId.toLowerCase();
  return join(folder, '.build-id', id.slice(0, 2), `${id.slice(2)}${ending}`);
}
