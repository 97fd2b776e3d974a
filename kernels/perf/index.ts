/**
 * Samples of recordings of perf: read, put in order with what else was recorded, and put into columns. The host writes the records into
 * the input, says where they lie with it (captured stacks stay there), and takes the records that are no samples. Of addresses, threads
 * and address spaces the host is asked when they first come.
 */
import { allocate, blockSize, release } from '../memory';
import { eventAt, eventOfSample } from './event';
import { hold, isFull } from './queue';
import { readSample } from './sample';

export {
  captureCount,
  captureSpaces,
  capturesOfOtherMachines,
  registerCount,
  registers,
  stackBlocks,
  stackBytes,
  stackStarts,
  stacksSpoilt,
} from './captures';
export { addEventId, placeEvents } from './event';
export {
  addMappings,
  events,
  firstTime,
  isOwn,
  kernelSamplesLeftOut,
  lastTime,
  length,
  processors,
  samples,
  samplesOfUnknownEvents,
  samplesSpoilt,
  setParts,
  threads,
  values,
} from './part';
export { endRound, hold, isFull, late, letGoAll, letGoHalf, letGoOfBlocks, setBlockCount } from './queue';
export { stackLength, stackLocations, stackStart } from './stacks';
export { forgetThreads, setAreThreadsKept } from './threads';

const HEADER_BYTES: u32 = 8;
const SIZE_PLACE: u32 = 6;
const SAMPLE: u32 = 9;

let input: usize = 0;
let room: u32 = 0;

/** @returns where the host writes records of so many bytes: what was there before is gone */
export function placeInput(bytes: u32): usize {
  if (bytes > room) {
    if (input !== 0) release(input, room);
    input = allocate(bytes);
    room = u32(min<u64>(blockSize(bytes), u32.MAX_VALUE));
  }
  return input;
}

/** @param at offset into the input @param end behind what was written @returns the end of the whole samples that stand there */
export function endOfSamples(at: u32, end: u32): u32 {
  let next = at;
  while (end - next >= HEADER_BYTES && load<u32>(input + next) === SAMPLE) {
    const size = u32(load<u16>(input + next + SIZE_PLACE));
    if (size < HEADER_BYTES || size > end - next) break;
    next += size;
  }
  return next;
}

/** Records between two offsets, of which the first begins a record and the second ends one. */
export function countRecords(start: u32, end: u32): u32 {
  let records: u32 = 0;
  for (let at = start; at < end; at += load<u16>(input + at + SIZE_PLACE)) records++;
  return records;
}

/**
 * Holds samples until their turn comes.
 * @param block of the host, which has the first of them at `blockStart` @returns the end, or where there is no room yet
 */
export function holdSamples(start: u32, end: u32, block: u32, blockStart: u32): u32 {
  let at = start;
  while (at < end) {
    const record = input + at;
    const size = u32(load<u16>(record + SIZE_PLACE));
    if (isFull(size)) return at;
    const event = eventOfSample(record, size);
    const sample = readSample(record, size, event, block, blockStart + (at - start));
    hold(timeOf(record, size, event), changetype<usize>(sample), 0, size, block);
    at += size;
  }
  return at;
}

/** For the order: 0 is none. */
function timeOf(record: usize, size: u32, event: u32): f64 {
  const place = eventAt(event === u32.MAX_VALUE ? 0 : event).timePlace;
  return place >= i32(HEADER_BYTES) && u32(place) + 8 <= size ? f64(load<u64>(record + place)) : 0;
}
