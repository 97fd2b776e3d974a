/**
 * What an ELF file says of files with its debug information. Sources: GDB manual, "Separate Debug Files" (.gnu_debuglink);
 * binutils' bfd/opncls.c (.gnu_debugaltlink); DWARF 5, 7.3.6 (.debug_sup).
 */
import { hexOf } from '../hex.js';
import { ByteReader } from '../reader.js';
import type { ElfSections } from './sections-by-name.js';
import { stringInTable } from './string-table.js';

/** Links hold a name and a checksum; what is larger is not read. */
const MAX_LINK_BYTES = 2 ** 16;

export interface DebugLink {
  /** A file name: what stands before its last slash is left out, since a file must not lead its reader elsewhere. */
  readonly name: string;
  /** CRC-32 of the whole debug file. */
  readonly crc: number;
}

export interface AlternateLink {
  /** As the file has it: absolute, or relative to the folder of the file. */
  readonly path: string;
  /** Lower-case hex. */
  readonly buildId: string;
}

/** @throws FormatError E_TRUNCATED */
export function readDebugLink(sections: ElfSections): DebugLink | undefined {
  const reader = linkReader(sections, '.gnu_debuglink');
  if (reader === undefined) return undefined;
  const name = stringInTable(reader.cstring(), 0, reader.section);
  reader.seek(Math.ceil(reader.offset / 4) * 4);
  return { name: name.slice(name.lastIndexOf('/') + 1), crc: reader.u32() };
}

/** The file that dwz moved shared parts to. @throws FormatError E_TRUNCATED */
export function readAlternateLink(sections: ElfSections): AlternateLink | undefined {
  const gnu = linkReader(sections, '.gnu_debugaltlink');
  if (gnu !== undefined) {
    const path = stringInTable(gnu.cstring(), 0, gnu.section);
    return { path, buildId: hexOf(gnu.take(gnu.remaining)) };
  }
  const standard = linkReader(sections, '.debug_sup');
  if (standard === undefined) return undefined;
  standard.skip(2); // version
  if (standard.u8() !== 0) return undefined; // is the supplementary file itself
  const path = stringInTable(standard.cstring(), 0, standard.section);
  const checksumBytes = standard.u8(); // ULEB128; a build ID has less than 128 bytes
  return { path, buildId: hexOf(standard.take(checksumBytes)) };
}

function linkReader(sections: ElfSections, name: string): ByteReader | undefined {
  const source = sections.find(name);
  if (source === undefined) return undefined;
  return new ByteReader(source.read(0, Math.min(source.size, MAX_LINK_BYTES), name), name);
}
