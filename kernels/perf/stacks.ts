/** Stacks of the part: location rows, leaf first. */
import { NO_ROW } from '../../plugins/codecs/perf/kernel-codes';
import { allocate, release } from '../memory';
import { locate } from './imports';
import { addKeyed, findKeyed, forgetKeyed, KEYED_BYTES, Keyed } from './keyed';

const FIRST_ROOM: u32 = 1 << 14;

/** u32s: by sample where its stack begins, and one more; rows of all stacks, and how many they are. */
export let stackStart: usize = 0;
export let stackLocations: usize = 0;
export let stackLength: u32 = 0;
let room: u32 = 0;
/** By address; and space, with whether it is a caller's. */
const rows = changetype<Keyed>(memory.data(KEYED_BYTES, 8));

/** @param samples of a part at most */
export function placeStacks(samples: u32): void {
  stackStart = allocate(4 * (samples + 1));
  store<u32>(stackStart, 0);
}

export function forgetStacks(): void {
  stackLength = 0;
  forgetKeyed(rows);
}

export function endStack(sample: u32): void {
  store<u32>(stackStart + 4 * (sample + 1), stackLength);
}

/** @param isCaller the address is that of a return: the location is the call's */
export function pushFrame(space: u32, address: f64, isCaller: bool): void {
  if (stackLength === room) enlarge();
  const bits = reinterpret<u64>(address);
  const kind = (space << 1) | u32(isCaller);
  let row = findKeyed(rows, bits, kind);
  if (row === NO_ROW) {
    row = locate(space, address, u32(isCaller));
    addKeyed(rows, bits, kind, row);
  }
  store<u32>(stackLocations + 4 * stackLength++, row);
}

function enlarge(): void {
  const before = stackLocations;
  const larger = max<u32>(FIRST_ROOM, 2 * room);
  stackLocations = allocate(4 * larger);
  if (before !== 0) {
    memory.copy(stackLocations, before, 4 * room);
    release(before, 4 * room);
  }
  room = larger;
}
