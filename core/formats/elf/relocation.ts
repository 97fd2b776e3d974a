/**
 * Relative relocations of position-independent files: words that the loader sets to an address of the file itself.
 * Source: System V ABI, "Relocation" and "Dynamic Section"; x86-64 psABI R_X86_64_RELATIVE, AArch64 ELF R_AARCH64_RELATIVE.
 * Not supported: RELR, whose addends stand in place, so that nothing has to be done for it.
 */
import { FormatError } from '../errors.js';
import { ByteReader } from '../reader.js';
import type { ElfFile } from './file.js';
import { ElfMachine } from './header.js';
import { SegmentType } from './segment.js';

const DT_NULL = 0;
const DT_RELA = 7;
const DT_RELASZ = 8;
const RELA_BYTES = 24;
const RELATIVE: { readonly [machine: number]: number } = {
  [ElfMachine.x86_64]: 8,
  [ElfMachine.aarch64]: 1027,
};

export interface RelativeRelocations {
  readonly length: number;
  /** Virtual address of the word. */
  readonly virtualAddress: BigUint64Array;
  /** What the loader adds the load bias to. */
  readonly addend: BigInt64Array;
}

const none: RelativeRelocations = {
  length: 0,
  virtualAddress: new BigUint64Array(0),
  addend: new BigInt64Array(0),
};

/**
 * Relative relocations by the dynamic segment (which is there also when sections are not).
 * @param readVirtual bytes at a virtual address, shorter when there are fewer
 * @throws FormatError E_ELF_RELOCATIONS when they do not lie in the file
 */
export function readRelativeRelocations(
  elf: ElfFile,
  readVirtual: (virtualAddress: bigint, length: number) => Uint8Array,
): RelativeRelocations {
  const relative = RELATIVE[elf.header.machine];
  const table = findRelaTable(elf);
  if (relative === undefined || table === undefined) return none;
  const bytes = readVirtual(table.virtualAddress, table.size);
  if (bytes.length !== table.size) {
    throw new FormatError('E_ELF_RELOCATIONS', 'relocations do not lie in the file', {
      section: 'dynamic segment',
      got: table.size,
      limit: bytes.length,
    });
  }
  const count = Math.floor(bytes.length / RELA_BYTES);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const virtualAddress = new BigUint64Array(count);
  const addend = new BigInt64Array(count);
  let length = 0;
  for (let at = 0; at < count * RELA_BYTES; at += RELA_BYTES) {
    if (view.getUint32(at + 8, true) !== relative) continue;
    virtualAddress[length] = view.getBigUint64(at, true);
    addend[length] = view.getBigInt64(at + 16, true);
    length++;
  }
  return { length, virtualAddress: virtualAddress.subarray(0, length), addend: addend.subarray(0, length) };
}

function findRelaTable(elf: ElfFile): { virtualAddress: bigint; size: number } | undefined {
  const dynamic = elf.segments.find((segment) => segment.type === SegmentType.dynamic);
  if (dynamic === undefined) return undefined;
  const section = 'dynamic segment';
  const reader = new ByteReader(elf.source.read(dynamic.fileOffset, dynamic.fileBytes, section), section);
  let virtualAddress: bigint | undefined;
  let size = 0;
  while (reader.remaining >= 16) {
    const tag = reader.u64();
    if (tag === BigInt(DT_NULL)) break;
    if (tag === BigInt(DT_RELA)) virtualAddress = reader.u64();
    else if (tag === BigInt(DT_RELASZ)) size = reader.size64();
    else reader.skip(8);
  }
  return virtualAddress === undefined ? undefined : { virtualAddress, size };
}
