/** The captured bytes of one stack, by address. */
import { BAD_READ, TRUNCATED } from '../../plugins/stages/unwind/kernel-codes';
import { allocate, blockSize, release } from '../memory';
import { bringStack } from './imports';

const WORD_BYTES: u32 = 8;
/** Most stacks use a part of what was captured: that much is brought at first, then so many times as much. */
const FIRST_BYTES: u32 = 1024;
const MORE: u32 = 4;

let sample: u32 = 0;
let bytes: usize = 0;
let room: u32 = 0;
/** Bytes that were captured, from this runtime address on; and how many of them are here. */
let length: f64 = 0;
let start: f64 = 0;
let present: u32 = 0;
/** Of a word that is a return address, the bits that are no signature. */
let addressMask: u64 = u64.MAX_VALUE;

export function setAddressMask(mask: u64): void {
  addressMask = mask;
}

/** The memory of all stacks was given back. */
export function forgetStack(): void {
  bytes = 0;
  room = 0;
}

/** @param stackStart the stack pointer of the sample, where the copy begins @param size bytes that were captured */
export function setStack(ofSample: u32, stackStart: f64, size: u32): void {
  if (size > room) {
    if (bytes !== 0) release(bytes, room);
    bytes = allocate(size);
    room = u32(min<u64>(blockSize(size), u32.MAX_VALUE));
  }
  sample = ofSample;
  start = stackStart;
  length = size;
  present = 0;
}

/** NaN for one that was not captured. */
export function word(address: f64): f64 {
  const place = placeOf(address);
  return place === 0 ? NaN : f64(load<u64>(place));
}

/** A saved return address, without its signature. NaN as `word`. */
export function codeAddress(address: f64): f64 {
  const place = placeOf(address);
  return place === 0 ? NaN : f64(load<u64>(place) & addressMask);
}

/** @returns 0 for a word that was not captured */
function placeOf(address: f64): usize {
  const at = address - start;
  if (!(at >= 0 && at + f64(WORD_BYTES) <= length)) return 0;
  if (u32(at) + WORD_BYTES > present) bring(u32(at) + WORD_BYTES);
  return bytes + u32(at);
}

/** @param wanted bytes from the start, at most what was captured */
function bring(wanted: u32): void {
  const more = min<u32>(u32(length), max<u32>(wanted, max<u32>(FIRST_BYTES, MORE * present)));
  bringStack(sample, present, more, bytes + present);
  present = more;
}

/** Why a walk ends that needs a word which was not captured. */
export function whyUnknown(address: f64): i32 {
  return address + f64(WORD_BYTES) > start + length ? TRUNCATED : BAD_READ;
}
