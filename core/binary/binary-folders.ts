/** Folders that hold binaries of many programs: where in them that of a mapping may be. */
import { basename, join } from 'node:path';
import { isKernel } from './kernel-list.js';
import { isSpecial, type Mapping } from './mapping.js';

/** At least a byte for the folder and one for the file. */
const BUILD_ID = /^[0-9a-f]{4,}$/i;

/**
 * Surest first: `.build-id/xx/yyyy` as debuggers and debuginfod's clients keep them; as under google/pprof's PPROF_BINARY_PATH
 * BUILDID/NAME, the whole path beneath the folder, and NAME.
 */
export function pathsInFolder(folder: string, mapping: Mapping): string[] {
  const { filename, buildId } = mapping;
  const paths = pathsByBuildId(folder, mapping);
  if (isSpecial(mapping)) return paths;
  // Beneath "/" first: a name with ".." in it stays within the folder.
  const path = join('/', filename.replace(/ \(deleted\)$/, ''));
  const name = basename(path);
  if (BUILD_ID.test(buildId) && name !== '') paths.push(join(folder, buildId, name));
  if (filename.startsWith('/')) paths.push(join(folder, path));
  if (name !== '') paths.push(join(folder, name));
  return [...new Set(paths)];
}

/**
 * By its build ID alone: the file itself, or as perf's cache (`perf record`, `perf buildid-cache`) has it, a folder with the file in it.
 * Of what the kernel gives without a file there is a copy in perf's cache only. Source: tools/perf/util/build-id.c
 */
export function pathsByBuildId(folder: string, mapping: Mapping): string[] {
  if (!BUILD_ID.test(mapping.buildId)) return [];
  const path = buildIdPath(folder, mapping.buildId);
  if (isKernel(mapping)) return [join(path, 'kallsyms')];
  return isSpecial(mapping) ? [join(path, 'vdso')] : [path, join(path, 'elf')];
}

/** @param buildId hexadecimal */
export function buildIdPath(folder: string, buildId: string, ending: '' | '.debug' = ''): string {
  const id = buildId.toLowerCase();
  return join(folder, '.build-id', id.slice(0, 2), `${id.slice(2)}${ending}`);
}
