/** One mapping of a profile, and how runtime addresses in it become object addresses of a binary. */
import { type Profile, stringAt } from '../profile/profile.js';
import type { Binary } from './binary.js';

export interface Mapping {
  readonly memoryStart: bigint;
  /** Not above `memoryStart`: the profile does not say where the file was mapped. */
  readonly memoryLimit: bigint;
  readonly fileOffset: bigint;
  readonly filename: string;
  readonly buildId: string;
}

export function mappingAt(profile: Profile, row: number): Mapping {
  const { mappings, strings } = profile;
  return {
    memoryStart: mappings.memoryStart[row]!,
    memoryLimit: mappings.memoryLimit[row]!,
    fileOffset: mappings.fileOffset[row]!,
    filename: stringAt(strings, mappings.filename[row]!),
    buildId: stringAt(strings, mappings.buildId[row]!),
  };
}

/** Whether a mapping is the kernel's or has no file: "[vdso]", "//anon". */
export function isSpecial({ filename }: Mapping): boolean {
  return filename.startsWith('[') || filename.startsWith('//');
}

/**
 * Rows of the program itself: the first mapping that is a file's, and the others of that file. By pprof's convention, and in
 * /proc/PID/maps, the program comes before its libraries.
 */
export function programRows(profile: Profile): ReadonlySet<number> {
  const { mappings, strings } = profile;
  const rows = new Set<number>();
  let file: number | undefined;
  for (let row = 0; row < mappings.length; row++) {
    const filename = mappings.filename[row]!;
    const name = stringAt(strings, filename);
    if (file === undefined && !isSpecial({ filename: name } as Mapping)) file = filename;
    if (filename === file) rows.add(row);
  }
  return rows;
}

/** Pages are at most this large on amd64 and arm64. */
const LARGEST_PAGE = 65_536n;

/**
 * Whether a mapping is the binary's code as a loader maps it: the file range of an executable segment, rounded to pages, and for
 * a binary with fixed addresses, at its address. That is what can be checked where there are no build IDs; a binary of another
 * build has other code, and hardly ever of the same size in pages.
 */
export function fitsCode(mapping: Mapping, binary: Binary): boolean {
  const { memoryStart, memoryLimit, fileOffset } = mapping;
  if (memoryLimit <= memoryStart) return !binary.isPositionIndependent;
  if (binary.format === 'pe') return fitsImage(mapping, binary);
  if (binary.format === 'jitdump') return isFunction(mapping, binary);
  const fileEnd = fileOffset + (memoryLimit - memoryStart);
  return binary.segments.some((segment) => {
    if (!segment.executable) return false;
    const start = BigInt(segment.fileOffset);
    const end = start + BigInt(segment.fileBytes);
    const coversInPages =
      fileOffset <= start && start - fileOffset < LARGEST_PAGE && end <= fileEnd && fileEnd - end < LARGEST_PAGE;
    const bias = memoryStart - fileOffset - (binary.imageBase + BigInt(segment.objectAddress) - start);
    return coversInPages && (binary.isPositionIndependent || bias === 0n);
  });
}

/** Of a dump of code, each function is mapped by itself. */
function isFunction({ memoryStart, memoryLimit, fileOffset }: Mapping, { symbolTables }: Binary): boolean {
  const symbol = symbolTables[0]!.find(Number(fileOffset));
  return symbol?.objectAddress === Number(fileOffset) && BigInt(symbol.size) === memoryLimit - memoryStart;
}

/** Windows maps a whole image as one. */
function fitsImage(
  { memoryStart, memoryLimit }: Mapping,
  { segments, imageBase, isPositionIndependent }: Binary,
): boolean {
  const imageBytes = BigInt(
    Math.max(0, ...segments.map(({ objectAddress, memoryBytes }) => objectAddress + memoryBytes)),
  );
  const bytes = memoryLimit - memoryStart;
  return (
    bytes >= imageBytes && bytes - imageBytes < LARGEST_PAGE && (isPositionIndependent || memoryStart === imageBase)
  );
}

/**
 * Runtime address → object address, undefined outside of the mapping and of the binary's file-backed segments.
 *
 * A binary with fixed addresses is where it says. One that is position-independent is found through the file: the byte at
 * `runtimeAddress − memoryStart + fileOffset` of the file lies in one of its segments. So is what a program with fixed addresses has
 * mapped again elsewhere, as node does with V8's builtins.
 *
 * @param mapping absent for a profile without mappings: addresses are then taken for those of the file
 */
export function objectAddresses(
  binary: Binary,
  mapping: Mapping | undefined,
): (runtimeAddress: bigint) => number | undefined {
  const range = mapping !== undefined && mapping.memoryLimit > mapping.memoryStart ? mapping : undefined;
  const isAnywhere = binary.isPositionIndependent && mapping !== undefined;
  if (isAnywhere && range === undefined) return () => undefined;
  if (binary.format === 'kallsyms') return fromFirstSymbol(range!);
  const isThroughFile = range !== undefined && (isAnywhere || !isInImage(binary, range.memoryStart));
  const find = isThroughFile ? relativeTo(range, binary) : absolute(binary);
  return (runtimeAddress) => {
    const isOutside = range && (runtimeAddress < range.memoryStart || runtimeAddress >= range.memoryLimit);
    return isOutside ? undefined : find(runtimeAddress);
  };
}

/** Of the kernel's image perf gives the address of the first symbol for a place in a file. */
function fromFirstSymbol({ memoryStart, memoryLimit, fileOffset }: Mapping) {
  return (runtimeAddress: bigint): number | undefined => {
    const isInside = runtimeAddress >= memoryStart && runtimeAddress < memoryLimit && runtimeAddress >= fileOffset;
    return isInside ? Number(runtimeAddress - fileOffset) : undefined;
  };
}

/** Windows maps an image from its base on; elsewhere parts of the file are mapped. */
function relativeTo(range: Mapping, binary: Binary): (runtimeAddress: bigint) => number | undefined {
  if (binary.format !== 'pe') return throughFile(binary, range);
  return (runtimeAddress) => Number(runtimeAddress - range.memoryStart);
}

function isInImage({ imageBase, segments }: Binary, address: bigint): boolean {
  const end = Math.max(...segments.map(({ objectAddress, memoryBytes }) => objectAddress + memoryBytes));
  // The first page may begin before the first segment.
  return address >= imageBase - LARGEST_PAGE && address < imageBase + BigInt(end);
}

function absolute({ imageBase, segments }: Binary): (runtimeAddress: bigint) => number | undefined {
  return (runtimeAddress) => {
    if (runtimeAddress < imageBase) return undefined;
    const at = Number(runtimeAddress - imageBase);
    return segments.some(({ objectAddress, fileBytes }) => at >= objectAddress && at < objectAddress + fileBytes)
      ? at
      : undefined;
  };
}

function throughFile(binary: Binary, mapping: Mapping): (runtimeAddress: bigint) => number | undefined {
  // Code first: a page at the border of two segments is mapped twice.
  const segments = [...binary.segments].sort((a, b) => Number(b.executable) - Number(a.executable));
  return (runtimeAddress) => {
    const at = Number(runtimeAddress - mapping.memoryStart + mapping.fileOffset);
    const segment = segments.find(({ fileOffset, fileBytes }) => at >= fileOffset && at < fileOffset + fileBytes);
    return segment && segment.objectAddress + (at - segment.fileOffset);
  };
}
