/**
 * Which file is behind a mapping. Never a guess: a file whose build ID differs is refused, and without build IDs a file that the
 * user did not name for this mapping must fit the mapping's place in the file.
 */
import { basename } from 'node:path';
import type { Binary } from './binary.js';
import { pathsByBuildId, pathsInFolder } from './binary-folders.js';
import { compareBuildId } from './build-id.js';
import { isKernel, OWN_KERNEL } from './kernel-list.js';
import { fitsCode, isSpecial, type Mapping } from './mapping.js';
import { isVdsoName, VDSO } from './own-vdso.js';

/** Why there is no binary: machine-readable, and for a person. */
export interface Refusal {
  /** "no_binary", "build_id_differs", "mapping_differs", "unreadable", "not_an_object_file", "unsupported_file", "spoilt_file". */
  readonly reason: string;
  readonly message: string;
}

export type Opened = { readonly binary: Binary } | Refusal;

export type Located =
  | {
      readonly binary: Binary;
      /** Why a binary that was named for this mapping is not it. For a person. */
      readonly passedOver?: string;
    }
  | Refusal;

export interface Whereabouts {
  /** Paths that the user named. */
  readonly explicit: readonly string[];
  /** Folders that hold binaries of many programs: see `pathsInFolder`. */
  readonly folders: readonly string[];
  /** Folders in which files are looked for by build ID alone, where nothing else is found. */
  readonly caches: readonly string[];
  /** The file on this machine that a recorded path means. */
  readonly toHost: (path: string) => string;
  /** Whether the mapping is the program itself (see `programRows`). */
  readonly isProgram: boolean;
  /** Whether the kernel that runs here has a build ID. */
  readonly isOwnKernel: (buildId: string) => boolean;
  /** Opens a path, or says why not; cached. */
  readonly open: (path: string) => Opened;
}

/**
 * In this order: named and of this build ID; named and of this base name; the only one named, for the program; one of the folders; the
 * mapping's own path; one of the caches; for [vdso] and the kernel this machine's own.
 */
export function locateBinary(mapping: Mapping, whereabouts: Whereabouts): Located {
  const { explicit, isProgram } = whereabouts;
  const open = (path: string): Opened => sliceOf(mapping, whereabouts.open(path));
  const named = explicit.map((path) => ({ path, opened: open(path) }));
  const sameBuild = named.find(
    ({ opened }) => 'binary' in opened && compareBuildId(opened.binary, mapping.buildId) === 'same',
  );
  if (sameBuild !== undefined) return sameBuild.opened;

  const refusals: Refusal[] = [];
  const sameName = named.filter(({ path }) => hasNameOf(mapping, basename(path)));
  for (const { opened } of sameName) {
    const verdict = unlessDifferent(mapping, opened);
    if ('binary' in verdict) return verdict;
    refusals.push(verdict);
  }
  if (sameName.length === 0 && named.length === 1 && isProgram) {
    const verdict = onlyFitting(mapping, named[0]!.opened);
    if ('binary' in verdict) return verdict;
    refusals.push(verdict);
  }
  const passedOver = refusals[0]?.message;
  for (const path of unnamedPaths(mapping, whereabouts)) {
    const opened = open(path);
    const verdict = compares(mapping, opened) === 'same' ? opened : onlyFitting(mapping, opened);
    if ('binary' in verdict) return passedOver === undefined ? verdict : { ...verdict, passedOver };
    // A file that is not on this machine is the usual case, and says nothing.
    if (verdict.reason !== 'no_binary') refusals.push(verdict);
  }
  return refusals[0] ?? { reason: 'no_binary', message: `no binary for ${describe(mapping)}` };
}

/** Of a universal file the slice with the mapping's build ID, else one that fits the mapping, else the file's own choice. */
function sliceOf(mapping: Mapping, opened: Opened): Opened {
  if (!('binary' in opened) || opened.binary.siblings === undefined) return opened;
  const slices = [opened.binary, ...opened.binary.siblings];
  const binary =
    slices.find((slice) => compareBuildId(slice, mapping.buildId) === 'same') ??
    slices.find((slice) => fitsCode(mapping, slice)) ??
    opened.binary;
  return { binary };
}

function unnamedPaths(mapping: Mapping, { folders, caches, toHost, isOwnKernel }: Whereabouts): string[] {
  const isPath = mapping.filename.startsWith('/') && !isSpecial(mapping);
  return [
    ...folders.flatMap((folder) => pathsInFolder(folder, mapping)),
    ...(isPath ? [toHost(mapping.filename)] : []),
    ...caches.flatMap((folder) => pathsByBuildId(folder, mapping)),
    // Only a build ID can tell it from another kernel's.
    ...(mapping.filename === VDSO && mapping.buildId !== '' ? [VDSO] : []),
    ...(isKernel(mapping) && isOwnKernel(mapping.buildId) ? [OWN_KERNEL] : []),
  ];
}

function compares(mapping: Mapping, opened: Opened): 'same' | 'differs' | 'unknown' {
  return 'binary' in opened ? compareBuildId(opened.binary, mapping.buildId) : 'unknown';
}

function unlessDifferent(mapping: Mapping, opened: Opened): Opened {
  if (!('binary' in opened) || compares(mapping, opened) !== 'differs') return opened;
  const { path, gnuBuildId, goBuildId } = opened.binary;
  const ofFile = mapping.buildId.includes('/') ? goBuildId : gnuBuildId;
  return {
    reason: 'build_id_differs',
    message: `${path} has build id ${ofFile}, ${describe(mapping)} has ${mapping.buildId}: not used`,
  };
}

function onlyFitting(mapping: Mapping, opened: Opened): Opened {
  const verdict = unlessDifferent(mapping, opened);
  if (!('binary' in verdict) || fitsCode(mapping, verdict.binary)) return verdict;
  return {
    reason: 'mapping_differs',
    message: `${verdict.binary.path} is not what was mapped as ${describe(mapping)}: its code has another place or size`,
  };
}

function hasNameOf({ filename }: Mapping, baseName: string): boolean {
  return filename === VDSO ? isVdsoName(baseName) : baseName === basename(filename.replace(/ \(deleted\)$/, ''));
}

function describe({ filename }: Mapping): string {
  return filename === '' ? 'a mapping without a file name' : filename;
}
