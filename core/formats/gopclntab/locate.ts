/**
 * Where the function table lies: in a section of its own, or, where sections are gone or gcc linked a PIE of Go ≤ 1.25 (which
 * puts it into .data.rel.ro), where the magic is.
 */
import { FormatError } from '../errors.js';
import type { ImageRange, ObjectImage } from '../image.js';
import { Budget } from '../limits.js';
import { findMagic, HEADER_BYTES, hasAbsoluteEntries, type PclntabHeader, readPclntabHeader } from './header.js';
import { scanRange } from './scan.js';

/** Go ≤ 1.25 names the section of a PIE like the second. */
const SECTION_NAMES = ['.gopclntab', '.data.rel.ro.gopclntab'];
/** Every Go binary that has sections has some of these: the others need no search, and may be large. */
const GO_SECTION = /^\.(go\.|note\.go\.|noptrdata$)/;
/** Places with the magic that turned out to be something else, before the search is given up. */
const MAX_FALSE_FINDS = 64;

export interface LocatedTable {
  readonly objectAddress: number;
  readonly header: PclntabHeader;
  /** From the header's `heldFrom` to the end of the section or segment. */
  readonly bytes: Uint8Array;
  /** Bytes at an offset from the magic on, shorter where the section or segment ends. */
  readonly read: (offset: number, length: number) => Uint8Array;
}

/**
 * @returns undefined for a file without Go's table
 * @throws FormatError of `readPclntabHeader` when there is a section for it, but no table in it
 */
export function locatePclntab(image: ObjectImage, budget: Budget): LocatedTable | undefined {
  const section = image.sections.find(({ name }) => SECTION_NAMES.includes(name));
  if (section !== undefined) return readTable(image, section.objectAddress, section.size, budget);
  if (image.sections.length > 0 && !image.sections.some(({ name }) => GO_SECTION.test(name))) return undefined;
  const search = new Budget(budget.limits);
  let falseFinds = 0;
  for (const segment of inOrderOfLikelihood(image.segments)) {
    const read = (objectAddress: number, length: number) => image.bytesAt(objectAddress, length);
    const find = (view: DataView, from: number, last: number) => findMagic(view, from, last, image.instructionQuantum);
    for (const objectAddress of scanRange(segment, read, HEADER_BYTES, search, find)) {
      // How long the table is nobody says: it ends with its segment at the latest.
      const rest = segment.objectAddress + segment.size - objectAddress;
      const available = Math.min(rest, budget.limits.objectTableBytes);
      try {
        return readTable(image, objectAddress, available, budget);
      } catch (error) {
        if (!(error instanceof FormatError)) throw error;
        if (++falseFinds === MAX_FALSE_FINDS) return undefined;
      }
    }
  }
  return undefined;
}

function readTable(image: ObjectImage, objectAddress: number, available: number, budget: Budget): LocatedTable {
  const read = (offset: number, length: number) => image.bytesAt(objectAddress + offset, length);
  const header = readPclntabHeader(read, available, budget);
  const { heldFrom, layout } = header;
  const wanted = available - heldFrom;
  // Absolute addresses are relocated in a PIE.
  const bytes = hasAbsoluteEntries(layout)
    ? image.loadedBytesAt(objectAddress + heldFrom, wanted)
    : read(heldFrom, wanted);
  if (bytes.length !== wanted) {
    throw new FormatError('E_TRUNCATED', 'table ends before its section', {
      section: '.gopclntab',
      got: heldFrom + bytes.length,
      limit: available,
    });
  }
  const within = (offset: number, length: number) => bytes.subarray(offset, offset + length);
  return { objectAddress, header, bytes, read: heldFrom === 0 ? within : read };
}

/** Code last: Go's own tools have the magic among their instructions. */
function inOrderOfLikelihood(segments: readonly ImageRange[]): ImageRange[] {
  return [...segments].sort((a, b) => Number(a.executable) - Number(b.executable));
}
