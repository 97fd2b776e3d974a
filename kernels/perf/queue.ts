/**
 * Puts records in order of time. The kernel writes one buffer a processor, perf copies them in turn and writes FINISHED_ROUND when it
 * went through all: from then on nothing comes that is older than what the round before had last. Source: tools/perf/util/ordered-events.c
 */
import { allocate, release } from '../memory';
import { beginOrder, endOrder, orderByNumber, rowAt } from '../order';
import { takeRecord } from './imports';
import { addSample } from './part';
import { releaseSample, Sample } from './sample';

/** A record that waits for its turn. */
@unmanaged
class Held {
  /** Nanoseconds. 0: none, such a record goes before all that are held. */
  time: f64;
  /** 0: a record that is no sample. */
  sample: usize;
  /** The host's number of one that is no sample. */
  record: u32;
  bytes: u32;
  /** Of the host, where it lies. */
  block: u32;
}

const HELD_BYTES: u32 = 24;
const FIRST_ROOM: u32 = 1024;
/** Without rounds, that much is held before the older half is let go. */
const MAX_HELD_BYTES: u32 = 64 << 20;
/** A time of all ones is none. */
const NO_TIME: f64 = 18446744073709551616.0;

let held: usize = 0;
let count: u32 = 0;
let room: u32 = 0;
let heldBytes: u32 = 0;
let newest: f64 = 0;
/** Newest time when the last round ended. */
let roundEnd: f64 = 0;
let letGoUpTo: f64 = 0;
/** Whether records are being let go: what ends that early leaves them in between. */
let isLettingGo: bool = false;
/** Records that came after younger ones had been let go. */
export let late: u32 = 0;
/** u32 by block: records of it that were let go, since the host has set them to 0. */
export let letGoOfBlocks: usize = 0;
let blockCount: u32 = 0;

/** Whether the older half has to be let go before there is room for a record. */
export function isFull(bytes: u32): bool {
  return count > 0 && heldBytes + bytes > MAX_HELD_BYTES;
}

/** The host has so many blocks. */
export function setBlockCount(blocks: u32): void {
  if (blocks <= blockCount) return;
  const before = letGoOfBlocks;
  const doubled = max<u32>(64, 2 * blocks);
  letGoOfBlocks = allocate(4 * doubled);
  memory.fill(letGoOfBlocks, 0, 4 * doubled);
  if (before !== 0) {
    memory.copy(letGoOfBlocks, before, 4 * blockCount);
    release(before, 4 * blockCount);
  }
  blockCount = doubled;
}

/** @param sample 0: the record is no sample */
export function hold(time: f64, sample: usize, record: u32, bytes: u32, block: u32): void {
  if (count === room) enlarge();
  const row = heldAt(count++);
  row.time = time === NO_TIME ? 0 : time;
  row.sample = sample;
  row.record = record;
  row.bytes = bytes;
  row.block = block;
  heldBytes += bytes;
  if (row.time !== 0 && row.time < letGoUpTo) late++;
  if (row.time > newest) newest = row.time;
}

export function endRound(): void {
  letGo(roundEnd);
  roundEnd = newest;
}

/** Everything that is held. */
export function letGoAll(): void {
  letGo(Infinity);
}

export function letGoHalf(): void {
  order(count);
  const middle = heldAt(orderedAt(count, count >> 1)).time;
  endOrder();
  letGo(middle);
}

function letGo(upTo: f64): void {
  if (isLettingGo) return;
  isLettingGo = true;
  if (isInOrder()) letGoInOrder(upTo);
  else letGoSorted(upTo);
  isLettingGo = false;
}

function isInOrder(): bool {
  for (let row: u32 = 1; row < count; row++) if (heldAt(row).time < heldAt(row - 1).time) return false;
  return true;
}

function letGoInOrder(upTo: f64): void {
  let gone: u32 = 0;
  while (gone < count && heldAt(gone).time <= upTo) letGoOf(heldAt(gone++));
  memory.copy(held, held + gone * HELD_BYTES, (count - gone) * HELD_BYTES);
  count -= gone;
}

/** The rest keeps the order of arrival. */
function letGoSorted(upTo: f64): void {
  order(count);
  for (let at: u32 = 0; at < count; at++) {
    const row = heldAt(orderedAt(count, at));
    if (row.time > upTo) break;
    letGoOf(row);
  }
  endOrder();
  let kept: u32 = 0;
  for (let row: u32 = 0; row < count; row++) {
    if (heldAt(row).time <= upTo) continue;
    if (kept < row) memory.copy(held + kept * HELD_BYTES, held + row * HELD_BYTES, HELD_BYTES);
    kept++;
  }
  count = kept;
}

function letGoOf(row: Held): void {
  letGoUpTo = max<f64>(letGoUpTo, row.time);
  heldBytes -= row.bytes;
  const released = letGoOfBlocks + 4 * row.block;
  store<u32>(released, load<u32>(released) + 1);
  if (row.sample === 0) takeRecord(row.record);
  else {
    const sample = changetype<Sample>(row.sample);
    addSample(sample);
    releaseSample(sample);
  }
}

/** Rows of one time in order of arrival: those of the sort come in the reverse, so that it is given them reversed. */
function order(rows: u32): void {
  const times = allocate(8 * rows);
  for (let row: u32 = 0; row < rows; row++) store<f64>(times + 8 * (rows - 1 - row), heldAt(row).time);
  beginOrder(rows);
  orderByNumber(times, false);
  release(times, 8 * rows);
}

function orderedAt(rows: u32, at: u32): u32 {
  return rows - 1 - rowAt(at);
}

function heldAt(row: u32): Held {
  return changetype<Held>(held + row * HELD_BYTES);
}

function enlarge(): void {
  const before = held;
  held = allocate(HELD_BYTES * max<u32>(FIRST_ROOM, 2 * room));
  if (before !== 0) {
    memory.copy(held, before, HELD_BYTES * count);
    release(before, HELD_BYTES * room);
  }
  room = max<u32>(FIRST_ROOM, 2 * room);
}
