/**
 * Captured registers by DWARF number. The kernel numbers them in another way, and writes those of the mask only, in its order.
 * Source: Linux arch/x86/include/uapi/asm/perf_regs.h, arch/arm64/include/uapi/asm/perf_regs.h
 */
import { type CaptureTable, registersPerSample } from '../../../core/index.js';
import type { EventAttribute } from './attribute.js';

type Machine = CaptureTable['architecture'];

/** AX BX CX DX SI DI BP SP IP, flags and segments, R8 … R15: the DWARF number, −1 for those without. */
const AMD64 = [0, 3, 2, 1, 4, 5, 6, 7, 16, -1, -1, -1, -1, -1, -1, -1, 8, 9, 10, 11, 12, 13, 14, 15];
/** X0 … X29, LR, SP, PC. */
const ARM64 = Array.from({ length: 33 }, (_, number) => number);
const ARM64_LR = 30;

/**
 * Whose registers a recording has.
 * @param architecture as uname says it; without, the mask tells: arm64's pc is register 32, where x86 has none
 * @returns undefined for machines whose registers are not known here
 */
function machineOf(architecture: string | undefined, event: EventAttribute): Machine | undefined {
  if (architecture === undefined) return (event.registersHigh & 1) === 1 ? 'arm64' : 'amd64';
  if (architecture === 'x86_64') return 'amd64';
  return architecture === 'aarch64' || architecture === 'arm64' ? 'arm64' : undefined;
}

/** Which registers an event's samples have. */
export interface CapturedRegisters {
  /** Registers of the machine, the pc last. */
  readonly count: number;
  /** By word of a sample: the DWARF number; −1 for those without. */
  readonly numbers: readonly number[];
  /**
   * The register that holds a return address with a pointer authentication code, which would not fit a number; −1 for none. Addresses of
   * user space have 48 bits.
   */
  readonly signed: number;
}

/** @param architecture as for `machineOf` @returns undefined for machines whose registers are not known here */
export function capturedRegisters(
  architecture: string | undefined,
  event: EventAttribute,
): CapturedRegisters | undefined {
  const machine = machineOf(architecture, event);
  if (machine === undefined) return undefined;
  const all = machine === 'amd64' ? AMD64 : ARM64;
  const isCaptured = (bit: number) => ((bit < 32 ? event.registersLow : event.registersHigh) >>> (bit & 31)) & 1;
  return {
    count: registersPerSample[machine],
    numbers: all.filter((_, bit) => isCaptured(bit) === 1),
    signed: machine === 'arm64' ? ARM64_LR : -1,
  };
}

/** @param count of its registers */
export const machineOfCount = (count: number): Machine => (count === registersPerSample.arm64 ? 'arm64' : 'amd64');
