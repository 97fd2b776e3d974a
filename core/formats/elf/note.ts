/**
 * ELF notes, and the two build IDs in them. Source: System V ABI, "Note Section"; binutils' include/elf/common.h
 * (NT_GNU_BUILD_ID); Go's cmd/internal/buildid/note.go.
 */
import { FormatError } from '../errors.js';
import { hexOf } from '../hex.js';
import { ByteReader } from '../reader.js';
import type { ElfFile } from './file.js';
import { SectionType } from './section.js';
import { SegmentType } from './segment.js';

const NT_GNU_BUILD_ID = 3;
const GO_BUILD_ID = 4;
/** Notes are small; what is larger is no note, or not one that is looked for. */
const MAX_NOTE_BYTES = 1 << 20;

export interface ElfNote {
  readonly owner: string;
  readonly type: number;
  readonly description: Uint8Array;
}

/**
 * Notes of one section or segment.
 * @param align of the fields: 4, or 8 where the section says so
 * @throws FormatError E_ELF_NOTE for one that is longer than what is left
 */
export function readNotes(bytes: Uint8Array, align: 4 | 8, section: string): ElfNote[] {
  const notes: ElfNote[] = [];
  const reader = new ByteReader(bytes, section);
  while (reader.remaining >= 12) {
    const at = reader.offset;
    const nameBytes = reader.u32();
    const descriptionBytes = reader.u32();
    const type = reader.u32();
    const descriptionAt = alignUp(reader.offset + nameBytes, align);
    const end = descriptionAt + descriptionBytes;
    if (end > bytes.length) {
      throw new FormatError('E_ELF_NOTE', 'note is longer than its section', {
        section,
        offset: at,
        got: end - at,
        limit: bytes.length - at,
      });
    }
    const owner = ownerName(reader.take(nameBytes));
    notes.push({ owner, type, description: bytes.subarray(descriptionAt, end) });
    reader.seek(Math.min(alignUp(end, align), bytes.length));
  }
  return notes;
}

/** GNU build ID in lower-case hex. @throws FormatError E_ELF_NOTE */
export function findGnuBuildId(elf: ElfFile): string | undefined {
  const note = findNote(elf, 'GNU', NT_GNU_BUILD_ID);
  return note && hexOf(note.description);
}

/** The same of notes that stand by themselves. @throws FormatError E_ELF_NOTE */
export function gnuBuildIdIn(notes: Uint8Array, section: string): string | undefined {
  const note = readNotes(notes, 4, section).find(({ owner, type }) => owner === 'GNU' && type === NT_GNU_BUILD_ID);
  return note && hexOf(note.description);
}

/** Go's own build ID, as text. @throws FormatError E_ELF_NOTE */
export function findGoBuildId(elf: ElfFile): string | undefined {
  const note = findNote(elf, 'Go', GO_BUILD_ID);
  return note && String.fromCharCode(...note.description.subarray(0, 256));
}

/** Sections first: Go's segment of notes does not cover the GNU one (seen in 1.27). Segments for files without sections. */
function findNote(elf: ElfFile, owner: string, type: number): ElfNote | undefined {
  const ranges = [
    ...elf.sections
      .filter((section) => section.type === SectionType.note)
      .map(({ name, fileOffset, size, align }) => ({ name, fileOffset, size, align })),
    ...elf.segments
      .filter((segment) => segment.type === SegmentType.note)
      .map(({ fileOffset, fileBytes, align }) => ({ name: 'PT_NOTE', fileOffset, size: fileBytes, align })),
  ];
  for (const { name, fileOffset, size, align } of ranges) {
    if (size > MAX_NOTE_BYTES) continue;
    const notes = readNotes(elf.source.read(fileOffset, size, name), align === 8n ? 8 : 4, name);
    const note = notes.find((candidate) => candidate.owner === owner && candidate.type === type);
    if (note !== undefined) return note;
  }
  return undefined;
}

function ownerName(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return String.fromCharCode(...bytes.subarray(0, Math.min(end < 0 ? bytes.length : end, 64)));
}

function alignUp(offset: number, align: number): number {
  return Math.ceil(offset / align) * align;
}
