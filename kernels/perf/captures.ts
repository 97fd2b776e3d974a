/** What was captured of the stacks of the part: columns as CaptureTable has them, by sample. */
import { NO_ROW } from '../../plugins/codecs/perf/kernel-codes';
import { allocate } from '../memory';
import { Event, registerOfWord } from './event';
import { captureSpace } from './imports';
import { registersOf, Sample } from './sample';
import { Thread } from './threads';

/** PERF_SAMPLE_REGS_ABI_64 */
const ABI_64: u32 = 2;
const MOST_REGISTERS: u32 = 33;
/** Of an address without its signature: those of user space. */
const ADDRESS_BITS: u64 = (1 << 48) - 1;

/** u32s: row of the address space, NO_ROW where nothing was captured. */
export let captureSpaces: usize = 0;
/** f64s, `registerCount` for each sample. */
export let registers: usize = 0;
export let registerCount: u32 = 0;
/** u32s: where the captured stack lies. */
export let stackBlocks: usize = 0;
export let stackStarts: usize = 0;
export let stackBytes: usize = 0;
/** Captures in the part. */
export let captureCount: u32 = 0;

export let stacksSpoilt: u32 = 0;
export let capturesOfOtherMachines: u32 = 0;

/** @param samples of a part at most */
export function placeCaptures(samples: u32): void {
  captureSpaces = allocate(4 * samples);
  registers = allocate(8 * MOST_REGISTERS * samples);
  stackBlocks = allocate(4 * samples);
  stackStarts = allocate(4 * samples);
  stackBytes = allocate(4 * samples);
}

export function forgetCaptures(): void {
  captureCount = 0;
}

/**
 * Puts the registers of a sample into its row of the column: they are of one machine in all of a part.
 * @param isWhole nothing is to be captured: the sample has the user's frames
 * @returns the pc; NaN where none was captured
 */
export function readRegisters(row: u32, isWhole: bool, sample: Sample, event: Event): f64 {
  store<u32>(captureSpaces + 4 * row, NO_ROW);
  store<u32>(stackBytes + 4 * row, 0);
  if (captureCount > 0) memory.fill(rowOfRegisters(row), 0, 8 * registerCount);
  if (isWhole || sample.registersAbi === 0) return NaN;
  const count = event.registerCount;
  if (sample.registersAbi !== ABI_64 || count === 0 || (captureCount > 0 && count !== registerCount)) {
    capturesOfOtherMachines++;
    return NaN;
  }
  registerCount = count;
  const ofSample = rowOfRegisters(row);
  for (let number: u32 = 0; number < count; number++) store<f64>(ofSample + 8 * number, NaN);
  const words = min<u32>(sample.registerWords, MOST_REGISTERS);
  for (let word: u32 = 0; word < words; word++) {
    const number = registerOfWord(event, word);
    if (number < 0) continue;
    const value = load<u64>(registersOf(sample) + 8 * word);
    const signed = number === event.signedRegister ? i64(value & ADDRESS_BITS) : i64(value);
    store<f64>(ofSample + 8 * number, f64(signed));
  }
  return load<f64>(ofSample + 8 * (count - 1));
}

/** The registers that were read last, and the stack, are those of a sample of the part. */
export function addCapture(row: u32, sample: Sample, thread: Thread): void {
  if (captureCount === 0) memory.fill(registers, 0, 8 * registerCount * row);
  captureCount++;
  if (thread.captureRow === NO_ROW) thread.captureRow = captureSpace(thread.space);
  store<u32>(captureSpaces + 4 * row, thread.captureRow);
  store<u32>(stackBlocks + 4 * row, sample.stackBlock);
  store<u32>(stackStarts + 4 * row, sample.stackStart);
  if (sample.stackBytes < 0) stacksSpoilt++;
  store<u32>(stackBytes + 4 * row, u32(max(0, sample.stackBytes)));
}

function rowOfRegisters(row: u32): usize {
  return registers + 8 * registerCount * row;
}
