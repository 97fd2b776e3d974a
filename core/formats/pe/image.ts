/** A PE file as it lies in memory at its preferred address. */
import { SegmentImage } from '../segment-image.js';
import { type PeFile, PeMachine, PeSectionFlag } from './file.js';

const QUANTUM: { readonly [machine: number]: number } = {
  [PeMachine.i386]: 1,
  [PeMachine.amd64]: 1,
  [PeMachine.arm]: 4,
  [PeMachine.arm64]: 4,
};

/** Pointers are absolute in the file; what base relocations would add is 0 at the preferred address. */
export function peImage({ source, machine, imageBase, sections }: PeFile): SegmentImage {
  return new SegmentImage({
    source,
    imageBase,
    instructionQuantum: QUANTUM[machine],
    // None has a name that says what is in it: tables are found by searching the segments.
    sections: [],
    segments: sections
      .filter(({ memoryBytes, fileBytes }) => memoryBytes > 0 || fileBytes > 0)
      .map(({ name, memoryBytes, address, fileOffset, fileBytes, flags }) => ({
        name,
        objectAddress: address,
        memoryBytes: memoryBytes || fileBytes,
        fileOffset,
        size: memoryBytes === 0 ? fileBytes : Math.min(fileBytes, memoryBytes),
        executable: (flags & PeSectionFlag.execute) !== 0,
      })),
  });
}
