/** Assembles call frame information. Addresses are those of the file; the image begins at 0. */
import type { CfiSection } from '../../core/formats/cfi/section.js';
import { ByteWriter } from './bytes.js';

/** A CIE as gcc writes it for x86-64: CFA rsp+8, return address at CFA−8; pointers are 4 bytes relative to themselves. */
export const usualCommon: CommonSpec = {
  version: 1,
  augmentation: 'zR',
  augmentationData: [0x1b],
  codeAlignment: 1,
  dataAlignment: -8,
  returnAddressRegister: 16,
  instructions: [0x0c, 7, 8, 0x90, 1],
};

export interface CommonSpec {
  readonly version: number;
  readonly augmentation: string;
  readonly augmentationData: readonly number[];
  readonly codeAlignment: number;
  readonly dataAlignment: number;
  readonly returnAddressRegister: number;
  readonly instructions: readonly number[];
}

export interface FrameSpec {
  readonly start: number;
  readonly size: number;
  readonly instructions: readonly number[];
}

/** .eh_frame at an object address: one CIE, then the FDEs with pointers of 4 bytes relative to themselves, then the end. */
export function ehFrame(
  frames: readonly FrameSpec[],
  common: Partial<CommonSpec> = {},
  objectAddress = 0x8000,
): CfiSection {
  const section = new ByteWriter();
  appendEntry(section, (body) => body.u32(0).append(commonBody({ ...usualCommon, ...common })));
  for (const { start, size, instructions } of frames) {
    appendEntry(section, (body, at) => {
      body.u32(at).u32((start - (objectAddress + at + 4)) >>> 0, size);
      if ((common.augmentation ?? 'z').startsWith('z')) body.u8(0);
      body.append(instructions);
    });
  }
  return sectionOf(section.u32(0).finish(), objectAddress);
}

export function sectionOf(bytes: Uint8Array, objectAddress = 0x8000): CfiSection {
  return { name: '.eh_frame', isEhFrame: true, bytes, objectAddress, imageBase: 0n };
}

/** .debug_frame with CIEs of version 4 and absolute addresses. */
export function debugFrame(frames: readonly FrameSpec[], imageBase = 0n): CfiSection {
  const section = new ByteWriter();
  const common = { ...usualCommon, version: 4, augmentation: '', augmentationData: [] };
  appendEntry(section, (body) => body.u32(0xffffffff).append(commonBody(common)));
  for (const { start, size, instructions } of frames) {
    appendEntry(section, (body) =>
      body
        .u32(0)
        .u64(BigInt(start) + imageBase, size)
        .append(instructions),
    );
  }
  return { name: '.debug_frame', isEhFrame: false, bytes: section.finish(), objectAddress: 0, imageBase };
}

/** One entry with its length, padded with nops; `at` is the offset of what follows the length. */
export function appendEntry(section: ByteWriter, write: (body: ByteWriter, at: number) => unknown): void {
  const body = new ByteWriter();
  write(body, section.length + 4);
  body.align(4);
  section.u32(body.length).append(body.finish());
}

function commonBody(common: CommonSpec): Uint8Array {
  const { version, augmentation, augmentationData, codeAlignment, dataAlignment, returnAddressRegister } = common;
  const body = new ByteWriter().u8(version).cstring(augmentation);
  if (version === 4) body.u8(8, 0);
  body.varint(codeAlignment).u8(dataAlignment & 0x7f, returnAddressRegister);
  if (augmentation.startsWith('z')) body.u8(augmentationData.length, ...augmentationData);
  return body.append(common.instructions).finish();
}
