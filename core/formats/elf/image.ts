/** An ELF file as it lies in memory at its image base: object addresses to bytes. */
import { FormatError } from '../errors.js';
import type { ImageRange, ObjectImage } from '../image.js';
import { type LoadedSegment, segmentBytes } from '../segment-image.js';
import type { ElfFile } from './file.js';
import { ElfMachine, ElfType } from './header.js';
import { type RelativeRelocations, readRelativeRelocations } from './relocation.js';
import { SectionFlag, SectionType } from './section.js';
import { type ElfSegment, SegmentFlag, SegmentType } from './segment.js';

const QUANTUM: { readonly [machine: number]: number } = {
  [ElfMachine.i386]: 1,
  [ElfMachine.x86_64]: 1,
  [ElfMachine.arm]: 4,
  [ElfMachine.aarch64]: 4,
};

export class ElfImage implements ObjectImage {
  readonly imageBase: bigint;
  readonly instructionQuantum: number | undefined;
  readonly sections: readonly ImageRange[];
  readonly segments: readonly LoadedSegment[];
  readonly #elf: ElfFile;
  #relocations: RelativeRelocations | undefined;

  /** @throws FormatError E_ELF_SEGMENT when a segment ends behind the file's end or lies 2^53 bytes above the lowest */
  constructor(elf: ElfFile) {
    this.#elf = elf;
    this.instructionQuantum = QUANTUM[elf.header.machine];
    const loads = elf.segments.filter((segment) => segment.type === SegmentType.load);
    this.imageBase = lowestAddress(loads);
    this.segments = loads
      .map((segment) => this.#loaded(segment))
      .sort((a, b) => a.objectAddress - b.objectAddress || a.fileOffset - b.fileOffset);
    this.sections = elf.sections
      .filter((section) => (section.flags & SectionFlag.alloc) !== 0 && section.type !== SectionType.nobits)
      .map(({ name, virtualAddress, size, flags }) => ({
        name,
        objectAddress: Number(virtualAddress - this.imageBase),
        size,
        executable: (flags & SectionFlag.execute) !== 0,
      }));
  }

  bytesAt(objectAddress: number, length: number): Uint8Array {
    return segmentBytes(this.#elf.source, this.segments, objectAddress, length);
  }

  loadedBytesAt(objectAddress: number, length: number): Uint8Array {
    const bytes = this.bytesAt(objectAddress, length);
    if (this.#elf.header.type !== ElfType.dyn || bytes.length < 8) return bytes;
    const relocations = this.#relativeRelocations();
    if (relocations.length === 0) return bytes;
    const copy = bytes.slice();
    const view = new DataView(copy.buffer, copy.byteOffset, copy.byteLength);
    const first = this.imageBase + BigInt(objectAddress);
    const last = first + BigInt(bytes.length - 8);
    for (let row = 0; row < relocations.length; row++) {
      const word = relocations.virtualAddress[row]!;
      if (word >= first && word <= last) view.setBigInt64(Number(word - first), relocations.addend[row]!, true);
    }
    return copy;
  }

  #relativeRelocations(): RelativeRelocations {
    this.#relocations ??= readRelativeRelocations(this.#elf, (virtualAddress, length) =>
      this.bytesAt(Number(virtualAddress - this.imageBase), length),
    );
    return this.#relocations;
  }

  #loaded(segment: ElfSegment): LoadedSegment {
    const { virtualAddress, fileOffset, fileBytes, memoryBytes, flags } = segment;
    const section = `segment at 0x${virtualAddress.toString(16)}`;
    if (fileOffset + fileBytes > this.#elf.source.size) {
      throw new FormatError('E_ELF_SEGMENT', 'segment ends behind the end of the file', {
        section,
        got: fileOffset + fileBytes,
        limit: this.#elf.source.size,
      });
    }
    const objectAddress = virtualAddress - this.imageBase;
    if (objectAddress + BigInt(memoryBytes) > BigInt(Number.MAX_SAFE_INTEGER)) {
      throw new FormatError('E_ELF_SEGMENT', 'segments lie too far apart', { section, got: objectAddress });
    }
    return {
      name: section,
      objectAddress: Number(objectAddress),
      memoryBytes,
      fileOffset,
      size: fileBytes,
      executable: (flags & SegmentFlag.execute) !== 0,
    };
  }
}

function lowestAddress(segments: readonly ElfSegment[]): bigint {
  let lowest = segments[0]?.virtualAddress ?? 0n;
  for (const { virtualAddress } of segments) if (virtualAddress < lowest) lowest = virtualAddress;
  return lowest;
}
