/** The captured bytes of one stack, by address. */
import { BAD_READ, TRUNCATED } from '../../plugins/stages/unwind/kernel-codes';
import { allocate, blockSize, release } from '../memory';
import { bringStack } from './imports';

const WORD_BYTES: f64 = 8;

let bytes: usize = 0;
let room: u32 = 0;
/** Bytes that were captured, from this runtime address on; and how many of them are here. */
let length: f64 = 0;
let start: f64 = 0;
let present: f64 = 0;
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

/** @returns where the host puts a stack of so many bytes */
export function placeStack(size: u32): usize {
  if (size > room || bytes === 0) {
    if (bytes !== 0) release(bytes, room);
    bytes = allocate(size);
    room = u32(min<u64>(blockSize(size), u32.MAX_VALUE));
  }
  return bytes;
}

/** @param first bytes that are here already */
export function setStack(stackStart: f64, size: u32, first: u32): void {
  start = stackStart;
  length = size;
  present = first;
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
  if (!(at >= 0 && at + WORD_BYTES <= length)) return 0;
  if (at + WORD_BYTES > present) present = f64(bringStack(u32(at + WORD_BYTES)));
  return bytes + u32(at);
}

/** Why a walk ends that needs a word which was not captured. */
export function whyUnknown(address: f64): i32 {
  return address + WORD_BYTES > start + length ? TRUNCATED : BAD_READ;
}
