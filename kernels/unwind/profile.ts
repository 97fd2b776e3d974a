/** The samples of a profile: columns that the host writes, and those that it takes when all stacks are walked. */
import { ROOT, STACK_SWITCH } from '../../plugins/stages/unwind/kernel-codes';
import { allocate, release } from '../memory';
import { count, register, stackPointer } from './machine';
import { NO_ROW, Site } from './site';
import { setStack } from './stack';
import { frameCount, frames, lastSite, walk } from './walk';

// By sample, for the host to write.
/** u32s: row of the address space, NO_ROW where nothing was captured. */
export let spaces: usize = 0;
/** f64s, `width` for each sample, the pc last. */
export let captured: usize = 0;
/** u32s: bytes of the stack that were captured. */
export let stackBytes: usize = 0;
/** u32s: stacks as they were recorded, as SampleTable has them. */
export let recordedStart: usize = 0;
export let recorded: usize = 0;

// By sample, for the host to take.
/** u32s: how the stack ends, one of kernel-codes.ts, and the number of the site where it does. Of samples with captures. */
export let endings: usize = 0;
export let lastSites: usize = 0;
/** u32s: stacks as SampleTable has them. */
export let stackStart: usize = 0;
export let stackLocations: usize = 0;

let samples: u32 = 0;
let width: u32 = 0;
/** Of `stackLocations`, in rows. */
let used: u32 = 0;
let room: u32 = 0;

/** The memory of all columns was given back. */
export function forgetProfile(): void {
  samples = 0;
  used = 0;
  room = 0;
}

/** Makes room for the columns. @param registerWidth registers of a sample @param recordedRows rows of all stacks as they were recorded */
export function placeProfile(sampleCount: u32, registerWidth: u32, recordedRows: u32): void {
  samples = sampleCount;
  width = registerWidth;
  spaces = allocate(4 * samples);
  captured = allocate(8 * width * samples);
  stackBytes = allocate(4 * samples);
  recordedStart = allocate(4 * (samples + 1));
  recorded = allocate(4 * recordedRows);
  endings = allocate(4 * samples);
  lastSites = allocate(4 * samples);
  stackStart = allocate(4 * (samples + 1));
  room = max<u32>(1024, 4 * recordedRows);
  stackLocations = allocate(4 * room);
}

/** @param truncatedRow location that is put at the root of stacks that end too early; NO_ROW: none is */
export function walkAll(truncatedRow: u32): void {
  store<u32>(stackStart, 0);
  for (let sample: u32 = 0; sample < samples; sample++) {
    const first = load<u32>(recordedStart + 4 * sample);
    const rows = load<u32>(recordedStart + 4 * (sample + 1)) - first;
    pushRows(recorded + 4 * first, rows);
    if (load<u32>(spaces + 4 * sample) !== NO_ROW) walkSample(sample, rows > 0, truncatedRow);
    store<u32>(stackStart + 4 * (sample + 1), used);
  }
}

/** @param isLeafPushed whether the row before is of this sample */
function walkSample(sample: u32, isLeafPushed: bool, truncatedRow: u32): void {
  const ofSample = captured + 8 * width * sample;
  for (let number = 0; number < count; number++) {
    const isCaptured = u32(number) < width - 1;
    store<f64>(register(number), isCaptured ? load<f64>(ofSample + 8 * number) : NaN);
  }
  setStack(sample, load<f64>(stackPointer), load<u32>(stackBytes + 4 * sample));
  const ending = walk(sample, load<u32>(spaces + 4 * sample), load<f64>(ofSample + 8 * (width - 1)));
  // A sample may come while the kernel puts a signal's frame on the stack: the stack pointer is the handler's then, the pc is still that
  // of what is interrupted, which follows behind the frame. Else nothing is called by the instruction that it is at.
  const isDelivered =
    frameCount > 1 && isLeafPushed && load<u32>(frames + 4) === load<u32>(stackLocations + 4 * (used - 1));
  const left: u32 = isDelivered ? 2 : 0;
  pushRows(frames + 4 * left, frameCount - left);
  if (truncatedRow !== NO_ROW && ending !== ROOT && ending !== STACK_SWITCH) pushRow(truncatedRow);
  store<u32>(endings + 4 * sample, ending);
  store<u32>(lastSites + 4 * sample, changetype<Site>(lastSite).number);
}

function pushRow(row: u32): void {
  reserve(1);
  store<u32>(stackLocations + 4 * used++, row);
}

function pushRows(rows: usize, rowCount: u32): void {
  reserve(rowCount);
  memory.copy(stackLocations + 4 * used, rows, 4 * rowCount);
  used += rowCount;
}

function reserve(rows: u32): void {
  if (rows <= room - used) return;
  const before = stackLocations;
  const larger = max<u32>(2 * room, used + rows);
  stackLocations = allocate(4 * larger);
  memory.copy(stackLocations, before, 4 * used);
  release(before, 4 * room);
  room = larger;
}
