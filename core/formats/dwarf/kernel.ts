/**
 * kernels/dwarf and its memory: one instance, for whatever file is read. Bytes are put in, called on, and what comes out is copied
 * before the next call.
 */
import { defineKernel, type KernelExports } from '../kernel.js';
import { DeadAddresses } from './address-ranges.js';
import type { ImageBase } from './cursor.js';
import { dwarfKernel } from './kernel.gen.js';

interface Global {
  readonly value: number;
}

/** What kernels/dwarf/index.ts exports. Addresses are in the kernel's memory, and signed. */
interface DwarfExports extends KernelExports {
  readonly input: Global;
  placeInput(bytes: number): void;
  setImageBase(high: number, low: number, zero: number, top: number): void;

  runLineProgram(
    part: number,
    program: number,
    end: number,
    opcodeLengths: number,
    opcodeBase: number,
    lineBase: number,
    lineRange: number,
    minimumInstructionBytes: number,
    maximumOperations: number,
  ): number;
  readonly rowCount: Global;
  readonly offsets: Global;
  readonly files: Global;
  readonly lines: Global;
  readonly columns: Global;
  readonly sequenceCount: Global;
  readonly sequenceRows: Global;
  readonly sequenceStarts: Global;
  readonly sequenceEnds: Global;
  readonly fileCount: Global;
  readonly fileEntries: Global;
}

const instantiate = defineKernel<DwarfExports>('dwarf', dwarfKernel);

/** Memory that is kept for the next call. */
const MAX_KEPT_BYTES = 64 * 2 ** 20;

let instance: DwarfExports | undefined;

/** @param bytes become the kernel's input @throws FormatError E_LIMIT for more than the kernel can have */
export function loadKernel(bytes: Uint8Array, base: ImageBase, addressBytes: 4 | 8): DwarfExports {
  if (instance === undefined || instance.memory.buffer.byteLength > MAX_KEPT_BYTES) instance = instantiate();
  const { zero, top } = new DeadAddresses(base, addressBytes);
  instance.setImageBase(base.high, base.low, zero, top);
  instance.placeInput(bytes.length);
  new Uint8Array(instance.memory.buffer).set(bytes, instance.input.value >>> 0);
  return instance;
}
