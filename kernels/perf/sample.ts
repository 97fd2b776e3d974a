/** PERF_RECORD_SAMPLE: its fields in the order of the kernel. Source: Linux include/uapi/linux/perf_event.h, PERF_RECORD_SAMPLE */
import { NO_ROW } from '../../plugins/codecs/perf/kernel-codes';
import { allocate, release } from '../memory';
import { Event, eventAt } from './event';

/** What is kept of a sample until its turn comes. What lies behind the stack (weight, data source …) is not read. */
@unmanaged
export class Sample {
  ip: f64;
  /** Nanoseconds; −1 where samples have none. */
  time: f64;
  period: u64;
  /** −1 where samples have none. */
  pid: i32;
  tid: i32;
  cpu: i32;
  /** NO_ROW: its id is of no event. */
  event: u32;
  /** Whether the user's code was interrupted. */
  isInUser: u32;
  /** A field goes beyond the record, or the period beyond int64: nothing else was read. */
  isSpoilt: u32;
  /** Words behind SAMPLE_BYTES: the call chain, the registers, the counts of a group's events. */
  chainLength: u32;
  /** PERF_SAMPLE_REGS_ABI_*: 0 none, 1 of 32 bits, 2 of 64. */
  registersAbi: u32;
  registerWords: u32;
  counts: u32;
  countBytes: u32;
  /** The captured stack lies in this block of the host. */
  stackBlock: u32;
  stackStart: u32;
  /** Bytes that were captured, of those that were allotted; −1 when it claims to be more than those. */
  stackBytes: i32;
}

const SAMPLE_BYTES: usize = 80;

const MODE_PLACE: usize = 4;
const MODE_MASK: u16 = 7;
const USER_MODE: u16 = 2;
const GUEST_USER_MODE: u16 = 5;

// Bits of sample_type.
const READ: u32 = 1 << 4;
const CALL_CHAIN: u32 = 1 << 5;
const RAW: u32 = 1 << 10;
const BRANCH_STACK: u32 = 1 << 11;
const REGISTERS_USER: u32 = 1 << 12;
const STACK_USER: u32 = 1 << 13;
// Bits of read_format.
const TIMES: u32 = 1 | 2;
const ID_AND_LOST: u32 = 4 | 16;
const GROUP: u32 = 8;
const BRANCH_HARDWARE_INDEX: u32 = 1 << 17;

/** Of the record that is read: the next field, and its end. */
let next: usize = 0;
let end: usize = 0;
let isBeyond: bool = false;

/** @param start of the record @param block of the host, which has the record at `blockStart` */
export function readSample(start: usize, size: u32, event: u32, block: u32, blockStart: u32): Sample {
  next = start;
  end = start + size;
  isBeyond = false;
  const read = event === NO_ROW ? changetype<Sample>(0) : readFields(start, eventAt(event), block, blockStart);
  const sample = isBeyond || event === NO_ROW ? allocateSample(0) : read;
  sample.event = event;
  sample.isSpoilt = u32(isBeyond);
  const mode = load<u16>(start + MODE_PLACE) & MODE_MASK;
  sample.isInUser = u32(mode === USER_MODE || mode === GUEST_USER_MODE);
  return sample;
}

/** @returns nothing where `isBeyond` is set */
function readFields(start: usize, event: Event, block: u32, blockStart: u32): Sample {
  const nothing = changetype<Sample>(0);
  const type = event.sampleType;
  skip(event.endPlace);
  if (isBeyond) return nothing;
  const period = event.periodPlace < 0 ? event.period : load<u64>(start + event.periodPlace);
  isBeyond = i64(period) < 0;
  const counts = type & READ ? readCounts(event.readFormat) : 0;
  const countBytes = countBytesOf(event.readFormat);
  const countsStart = skip(counts * countBytes);
  const chainLength = type & CALL_CHAIN ? readCount(8) : 0;
  const chainStart = skip(chainLength * 8);
  if (type & RAW) skip(load<u32>(skip(4)));
  if (type & BRANCH_STACK) skipBranches(event.branchSampleType);
  const abi = type & REGISTERS_USER ? load<u32>(skip(8)) : 0;
  const registerWords = isBeyond || abi === 0 ? 0 : event.registerWords;
  const registersStart = skip(registerWords * 8);
  const allotted = type & STACK_USER ? readCount(1) : 0;
  const stackStart = skip(allotted);
  const captured = allotted === 0 ? 0 : load<i64>(skip(8));
  if (isBeyond) return nothing;
  const words = chainLength + registerWords + (counts * countBytes) / 8;
  const sample = allocateSample(words);
  sample.ip = event.ipPlace < 0 ? 0 : f64(load<i64>(start + event.ipPlace));
  sample.pid = event.tidPlace < 0 ? -1 : load<i32>(start + event.tidPlace);
  sample.tid = event.tidPlace < 0 ? -1 : load<i32>(start + event.tidPlace + 4);
  sample.time = event.timePlace < 0 ? -1 : f64(load<i64>(start + event.timePlace));
  sample.cpu = event.cpuPlace < 0 ? -1 : load<i32>(start + event.cpuPlace);
  sample.period = period;
  sample.chainLength = chainLength;
  sample.registersAbi = abi;
  sample.registerWords = registerWords;
  sample.counts = counts;
  sample.countBytes = countBytes;
  sample.stackBlock = block;
  sample.stackStart = blockStart + u32(stackStart - start);
  sample.stackBytes = captured < 0 || captured > i64(allotted) ? -1 : i32(captured);
  memory.copy(chainOf(sample), chainStart, chainLength * 8);
  memory.copy(registersOf(sample), registersStart, registerWords * 8);
  memory.copy(countsOf(sample), countsStart, counts * countBytes);
  return sample;
}

function allocateSample(words: u32): Sample {
  const sample = changetype<Sample>(allocate(u32(SAMPLE_BYTES) + 8 * words));
  memory.fill(changetype<usize>(sample), 0, SAMPLE_BYTES);
  return sample;
}

export function releaseSample(sample: Sample): void {
  const words = sample.chainLength + sample.registerWords + (sample.counts * sample.countBytes) / 8;
  release(changetype<usize>(sample), u32(SAMPLE_BYTES) + 8 * words);
}

export function chainOf(sample: Sample): usize {
  return changetype<usize>(sample) + SAMPLE_BYTES;
}

export function registersOf(sample: Sample): usize {
  return chainOf(sample) + 8 * sample.chainLength;
}

export function countsOf(sample: Sample): usize {
  return registersOf(sample) + 8 * sample.registerWords;
}

/** Of a group: their number, the times, then each event's count and id. Of an event alone: its count, the times, its id. */
function readCounts(format: u32): u32 {
  const times = 8 * popcnt(format & TIMES);
  if (!(format & GROUP)) {
    skip(times + countBytesOf(format));
    return 0;
  }
  const counts = readCount(countBytesOf(format));
  skip(times);
  return counts;
}

function countBytesOf(format: u32): u32 {
  return 8 * (1 + popcnt(format & ID_AND_LOST));
}

function skipBranches(branchSampleType: u32): void {
  const branches = readCount(24);
  if (branchSampleType & BRANCH_HARDWARE_INDEX) skip(8);
  skip(24 * branches);
}

/** A number of things that follow, each of so many bytes: not more than fit. */
function readCount(bytesOfEach: u32): u32 {
  const counted = load<u64>(skip(8));
  if (!isBeyond && counted <= u64((end - next) / bytesOfEach)) return u32(counted);
  isBeyond = true;
  return 0;
}

/** @returns the place before */
function skip(bytes: u32): usize {
  const at = next;
  if (isBeyond || bytes > u32(end - at)) isBeyond = true;
  else next = at + bytes;
  return at;
}
