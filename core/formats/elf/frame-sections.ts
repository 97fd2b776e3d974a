/** An ELF file's call frame information: .eh_frame by section or by program header, and .debug_frame. */
import { readEhFrameAddress } from '../cfi/eh-frame-header.js';
import type { CfiSection, FrameSections } from '../cfi/section.js';
import type { DebugSections } from '../dwarf/sections.js';
import { FormatError } from '../errors.js';
import { type ElfFile, findSection, sectionBytes } from './file.js';
import { ElfType } from './header.js';
import type { ElfImage } from './image.js';
import { SectionType } from './section.js';
import { SegmentType } from './segment.js';

/** One section that is spoilt does not cost the other. */
export function elfFrameSections(elf: ElfFile, image: ElfImage, debug: DebugSections): FrameSections {
  if (elf.header.type === ElfType.rel) {
    const reason = 'object file that is not linked: its call frame information has no addresses yet';
    return { sections: [], faults: [new FormatError('E_CFI_UNLINKED', reason)] };
  }
  const sections: CfiSection[] = [];
  const faults: FormatError[] = [];
  for (const open of [() => loadedEhFrame(elf, image), () => debugFrame(debug)]) {
    try {
      const section = open();
      if (section !== undefined) sections.push(section);
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      faults.push(error);
    }
  }
  return { sections, faults };
}

function debugFrame(debug: DebugSections): CfiSection | undefined {
  const name = '.debug_frame';
  const source = debug.section(name);
  if (source === undefined) return undefined;
  const { imageBase } = debug;
  return { name, isEhFrame: false, bytes: source.read(0, source.size, name), objectAddress: 0, imageBase };
}

function loadedEhFrame(elf: ElfFile, image: ElfImage): CfiSection | undefined {
  const { imageBase } = image;
  const objectAddressOf = (name: string): number | undefined => {
    const found = findSection(elf, name);
    return found && Number(found.virtualAddress - imageBase);
  };
  const common = {
    name: '.eh_frame',
    isEhFrame: true,
    imageBase,
    textBase: objectAddressOf('.text'),
    dataBase: objectAddressOf('.got'),
  };
  const section = findSection(elf, '.eh_frame');
  if (section !== undefined) {
    if (section.type === SectionType.nobits) return undefined;
    const objectAddress = Number(section.virtualAddress - imageBase);
    return { ...common, bytes: sectionBytes(elf, section), objectAddress };
  }
  const header = elf.segments.find(({ type }) => type === SegmentType.ehFrameHeader);
  if (elf.sections.length > 0 || header === undefined) return undefined;
  const headerAddress = Number(header.virtualAddress - imageBase);
  const objectAddress = readEhFrameAddress(image.bytesAt(headerAddress, header.fileBytes), headerAddress, imageBase);
  if (objectAddress === undefined) return undefined;
  const bytes = image.bytesAt(objectAddress, Number.MAX_SAFE_INTEGER);
  return { ...common, bytes, objectAddress, endsAtTerminator: true };
}
