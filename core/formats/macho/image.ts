/** A Mach-O file as it lies in memory at its preferred address. */
import { FormatError } from '../errors.js';
import { type LoadedSegment, SegmentImage } from '../segment-image.js';
import { type MachFile, type MachSection, type MachSegment, Protection } from './file.js';
import { MachCpu } from './header.js';

const QUANTUM: { readonly [cpu: number]: number } = { [MachCpu.x86_64]: 1, [MachCpu.arm64]: 4 };

/**
 * Pointers are as the file has them: absolute, as Go's linker leaves them. Chained fixups, which Apple's linker writes, are not applied.
 * @throws FormatError E_MACHO_SEGMENT for one that ends behind the file's end, or lies 2^53 bytes above the lowest
 */
export function machImage({ source, header, segments, sections }: MachFile): SegmentImage {
  // __PAGEZERO has no bytes in the file and is there to catch null pointers.
  const loaded = segments.filter(({ fileBytes, protection }) => fileBytes > 0 || protection !== 0);
  const imageBase = loaded.reduce<bigint | undefined>(
    (lowest, { virtualAddress }) => (lowest === undefined || virtualAddress < lowest ? virtualAddress : lowest),
    undefined,
  );
  const base = imageBase ?? 0n;
  return new SegmentImage({
    source,
    imageBase: base,
    instructionQuantum: QUANTUM[header.cpu],
    segments: loaded.map((segment) => place(segment, base, source.size)),
    sections: sections
      .filter(({ isZeroFill, fileOffset, size }) => !isZeroFill && fileOffset > 0 && fileOffset + size <= source.size)
      .map((section) => ({
        name: elfName(section),
        objectAddress: Number(section.virtualAddress - base),
        size: section.size,
        executable: section.isCode,
      })),
  });
}

/** "__debug_info" → ".debug_info", "__go_module" → ".go.module": as the readers of tables know them. */
export function elfName({ name }: Pick<MachSection, 'name'>): string {
  return name.replace(/^__go_/, '.go.').replace(/^__/, '.');
}

function place(segment: MachSegment, imageBase: bigint, fileSize: number): LoadedSegment {
  const { name, virtualAddress, memoryBytes, fileOffset, fileBytes, protection } = segment;
  const objectAddress = virtualAddress - imageBase;
  if (fileOffset + fileBytes > fileSize) {
    throw new FormatError('E_MACHO_SEGMENT', 'segment ends behind the end of the file', {
      section: name,
      got: fileOffset + fileBytes,
      limit: fileSize,
    });
  }
  if (objectAddress + BigInt(memoryBytes) > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw new FormatError('E_MACHO_SEGMENT', 'segments lie too far apart', { section: name, got: objectAddress });
  }
  return {
    name,
    objectAddress: Number(objectAddress),
    memoryBytes,
    fileOffset,
    size: Math.min(fileBytes, memoryBytes),
    executable: (protection & Protection.execute) !== 0,
  };
}
