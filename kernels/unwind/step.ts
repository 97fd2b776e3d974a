/** One step from a frame to its caller, as the files of the same names in plugins/stages/unwind take it. */
import {
  BAD_READ,
  BY_CFI,
  BY_CFI_ROOT,
  BY_ENDING,
  BY_FRAME_POINTER,
  BY_GO,
  BY_SIGNAL_FRAME,
  GOES_ON,
  HOST_STEP,
  LOST_REGISTER,
  NO_MAPPING,
  NO_PROGRESS,
  NO_TABLE,
  ROOT,
  SITE_BYTES,
  TRUNCATED,
} from '../../plugins/stages/unwind/kernel-codes';
import { forgetAll, forgetVolatile, framePointer, register, returnAddress, stackPointer } from './machine';
import { Site } from './site';
import { codeAddress, whyUnknown, word } from './stack';

const WORD_BYTES: f64 = 8;
/** See `FrameState`. */
const SIGNAL_FRAME_BYTES: f64 = 16384;

/** Of the frame that is looked at. */
export let pc: f64 = NaN;
export let isExact: u32 = 1;
/** See `FrameState`. */
export let hasLeftStack: u32 = 0;

export function setPc(address: f64, exact: u32): void {
  pc = address;
  isExact = exact;
}

export function setHasLeftStack(is: u32): void {
  hasLeftStack = is;
}

/** @returns GOES_ON after a step, HOST_STEP where the host has to take it, else how the stack ends */
export function step(site: Site): i32 {
  const rule = changetype<usize>(site) + SITE_BYTES;
  switch (site.method) {
    case BY_CFI:
      return stepCfi(rule);
    case BY_GO:
      return stepGo(load<i32>(rule));
    case BY_FRAME_POINTER:
      return stepFramePointer();
    case BY_SIGNAL_FRAME:
      return stepSignalFrame(rule);
    case BY_CFI_ROOT:
      return Number.isNaN(load<f64>(register(load<i32>(rule)))) ? LOST_REGISTER : ROOT;
    case BY_ENDING:
      return load<i32>(rule);
    default:
      return HOST_STEP;
  }
}

/** @param rule words: register and offset of the CFA, offset of the return address, number of pairs; pairs of register and offset */
function stepCfi(rule: usize): i32 {
  const base = load<f64>(register(load<i32>(rule)));
  if (Number.isNaN(base)) return LOST_REGISTER;
  const cfa = base + f64(load<i32>(rule, 4));
  const savedAt = cfa + f64(load<i32>(rule, 8));
  const address = codeAddress(savedAt);
  if (Number.isNaN(address)) return whyUnknown(savedAt);
  if (address === 0) return ROOT;
  const sp = load<f64>(stackPointer);
  // A stack only shrinks towards its root.
  if (!(cfa > sp || (cfa === sp && address !== pc))) return NO_PROGRESS;
  const end = rule + 16 + 8 * load<u32>(rule, 12);
  for (let at = rule + 16; at < end; at += 8) {
    store<f64>(register(load<i32>(at)), word(cfa + f64(load<i32>(at, 4))));
  }
  store<f64>(returnAddress, NaN);
  toCaller(address, cfa);
  return GOES_ON;
}

/** @param delta see `GoFunctions.stackDelta`; of amd64 */
function stepGo(delta: i32): i32 {
  const top = load<f64>(stackPointer) + f64(delta);
  const address = word(top);
  if (Number.isNaN(address)) return whyUnknown(top);
  if (address === 0) return ROOT;
  const callerFp = f64(delta) >= WORD_BYTES ? word(top - WORD_BYTES) : load<f64>(framePointer);
  // Go's functions keep no other register for their callers.
  forgetAll();
  store<f64>(framePointer, callerFp);
  toCaller(address, top + WORD_BYTES);
  return GOES_ON;
}

function stepFramePointer(): i32 {
  const fp = load<f64>(framePointer);
  if (!(fp >= load<f64>(stackPointer)) || fp % WORD_BYTES !== 0) return NO_TABLE;
  const address = codeAddress(fp + WORD_BYTES);
  if (Number.isNaN(address)) return whyUnknown(fp + WORD_BYTES) === TRUNCATED ? TRUNCATED : NO_TABLE;
  if (address === 0) return ROOT;
  const callerFp = word(fp);
  forgetAll();
  store<f64>(framePointer, callerFp);
  toCaller(address, fp + 2 * WORD_BYTES);
  return GOES_ON;
}

/** @param rule words: places of the CFA and of the return address, number of pairs; pairs of register and place, from the stack pointer */
function stepSignalFrame(rule: usize): i32 {
  const sp = load<f64>(stackPointer);
  const cfa = word(sp + f64(load<i32>(rule)));
  if (Number.isNaN(cfa)) return BAD_READ;
  const address = word(sp + f64(load<i32>(rule, 4)));
  if (Number.isNaN(address)) return LOST_REGISTER;
  // Registers of two moments: the kernel was about to give the interrupted ones back.
  if (address === 0) return NO_MAPPING;
  hasLeftStack = cfa > sp && cfa - sp < SIGNAL_FRAME_BYTES ? 0 : 1;
  forgetVolatile();
  store<f64>(stackPointer, cfa);
  const end = rule + 12 + 8 * load<u32>(rule, 8);
  for (let at = rule + 12; at < end; at += 8) {
    store<f64>(register(load<i32>(at)), word(sp + f64(load<i32>(at, 4))));
  }
  store<f64>(returnAddress, NaN);
  pc = address;
  isExact = 1;
  return GOES_ON;
}

/** To the caller, reached by a call: what calls may change is not known any more. */
function toCaller(address: f64, sp: f64): void {
  forgetVolatile();
  store<f64>(stackPointer, sp);
  pc = address;
  isExact = 0;
}
