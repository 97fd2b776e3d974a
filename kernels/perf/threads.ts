/** What the host said of threads, and of the address spaces that they run in: until it changes, or the part ends. */
import { NO_ROW } from '../../plugins/codecs/perf/kernel-codes';
import { allocate, release } from '../memory';
import { findKernelSpace, findThread, spaceOfThread } from './imports';
import { addKeyed, findKeyed, forgetKeyed, KEYED_BYTES, Keyed } from './keyed';
import { Sample } from './sample';

@unmanaged
export class Thread {
  /** The host's. */
  row: u32;
  /** Number of its address space; and its row among those of the part's captures, NO_ROW before there is one. */
  space: u32;
  captureRow: u32;
}

const THREAD_BYTES: u32 = 12;
const NOT_ASKED: u32 = 0xfffffffe;

const rows = changetype<Keyed>(memory.data(KEYED_BYTES, 8));
let threads: usize = 0;
let count: u32 = 0;
let room: u32 = 0;
let areKept: bool = true;
let kernel: u32 = NOT_ASKED;

/** @param kept 0: a thread has to be asked for with each sample, since its space changes with time alone */
export function setAreThreadsKept(kept: u32): void {
  areKept = kept !== 0;
}

/** What processes have has changed. */
export function forgetThreads(): void {
  forgetKeyed(rows);
  count = 0;
  kernel = NOT_ASKED;
}

/** @returns what is good until the next call */
export function threadOf(sample: Sample): Thread {
  if (!areKept) forgetThreads();
  const key = (u64(u32(sample.pid)) << 32) | u64(u32(sample.tid));
  const known = findKeyed(rows, key, 0);
  if (known !== NO_ROW) return threadAt(known);
  if (count === room) enlarge();
  const thread = threadAt(count);
  thread.row = findThread(sample.pid, sample.tid, sample.event, sample.time);
  thread.space = spaceOfThread(thread.row);
  thread.captureRow = NO_ROW;
  addKeyed(rows, key, 0, count++);
  return thread;
}

/** @returns NO_ROW where its frames are left out */
export function kernelSpace(): u32 {
  if (kernel === NOT_ASKED) kernel = findKernelSpace();
  return kernel;
}

function threadAt(row: u32): Thread {
  return changetype<Thread>(threads + row * THREAD_BYTES);
}

function enlarge(): void {
  const before = threads;
  const larger = max<u32>(64, 2 * room);
  threads = allocate(larger * THREAD_BYTES);
  if (before !== 0) {
    memory.copy(threads, before, room * THREAD_BYTES);
    release(before, room * THREAD_BYTES);
  }
  room = larger;
}
