import type { Binary } from '../../core/binary/binary.js';
import { noFrameSections } from '../../core/formats/cfi/section.js';
import type { DebugSections } from '../../core/formats/dwarf/sections.js';

/** Of a file without debug information. */
export const noDebugSections: DebugSections = {
  addressBytes: 8,
  isLittleEndian: true,
  imageBase: 0n,
  section: () => undefined,
};

/** A Binary without a file: 0x4000 bytes of code at file offset 0x1000, object address 0x1000, position-independent. */
export function binaryOf(fields: Partial<Binary> = {}): Binary {
  return {
    path: '/bin/app',
    format: 'elf',
    architecture: 'amd64',
    imageBase: 0n,
    entry: 0n,
    isPositionIndependent: true,
    gnuBuildId: undefined,
    goBuildId: undefined,
    segments: [
      { objectAddress: 0, memoryBytes: 0x800, fileOffset: 0, fileBytes: 0x800, executable: false },
      { objectAddress: 0x1000, memoryBytes: 0x4000, fileOffset: 0x1000, fileBytes: 0x4000, executable: true },
      { objectAddress: 0x6000, memoryBytes: 0x3000, fileOffset: 0x5000, fileBytes: 0x800, executable: false },
    ],
    bytesAt: () => new Uint8Array(0),
    go: undefined,
    dwarf: undefined,
    debug: noDebugSections,
    symbolTables: [],
    refusals: [],
    frames: noFrameSections,
    heldBytes: 0,
    release: () => {},
    ...fields,
  };
}
