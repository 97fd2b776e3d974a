/** Unwind rules, each kept once, in words as core/binary/unwind/rule-set.ts describes them. */
import { allocate, release } from '../memory';
import { OFFSET, Row, ruleOf, ruleValue, SAME_VALUE, UNSPECIFIED } from './row';

/** Words of a rule before those of its registers; the fields that stand there are as in RuleWord. */
const FIRST: u32 = 4;
const WORDS_PER_REGISTER: u32 = 3;

// Bits of RuleFlag.
const SIGNAL_FRAME: i32 = 1;
const SIGNED_RETURN_ADDRESS: i32 = 2;
const PLAIN: i32 = 4;

let followed: u32 = 0;
let returnAddress: u32 = 0;
let stackPointer: u32 = 0;
/** Bits of the registers that a call may change. */
let volatile: u32 = 0;

/** i32s: all rules, one behind the other. */
export let words: usize = 0;
export let wordCount: u32 = 0;
let wordRoom: u32 = 0;
/** u32s by rule: its first word. */
export let ruleStarts: usize = 0;
export let ruleCount: u32 = 0;
let ruleRoom: u32 = 0;
/** Open addressing: rule + 1; 0 is free. */
let slots: usize = 0;
let slotCount: u32 = 0;

/** Once, before all rows. @param registers their number: those from there on are not followed */
export function setMachine(registers: u32, returnAddressNumber: u32, stackPointerNumber: u32, volatileBits: u32): void {
  followed = registers;
  returnAddress = returnAddressNumber;
  stackPointer = stackPointerNumber;
  volatile = volatileBits;
  setSlots(1024);
}

/** @returns the number of the rule; equal rows have equal ones */
export function intern(row: Row, isSignalFrame: bool): u32 {
  const size = write(row, isSignalFrame);
  const start = words + 4 * wordCount;
  const mask = slotCount - 1;
  let slot = hash(start, size) & mask;
  for (let taken = load<u32>(slots + 4 * slot); taken !== 0; taken = load<u32>(slots + 4 * slot)) {
    if (isEqual(taken - 1, start, size)) return taken - 1;
    slot = (slot + 1) & mask;
  }
  store<u32>(slots + 4 * slot, ruleCount + 1);
  addStart();
  wordCount += size;
  if (ruleCount << 1 > slotCount) enlargeSlots();
  return ruleCount - 1;
}

/** Writes behind the last rule. @returns words */
function write(row: Row, isSignalFrame: bool): u32 {
  const most = wordCount + FIRST + WORDS_PER_REGISTER * followed;
  if (most > wordRoom) {
    const before = words;
    words = allocate(8 * most);
    memory.copy(words, before, 4 * wordCount);
    if (before !== 0) release(before, 4 * wordRoom);
    wordRoom = 2 * most;
  }
  const start = words + 4 * wordCount;
  let at = start + 4 * FIRST;
  let count = 0;
  for (let register: u32 = 0; register < followed; register++) {
    const rule = ruleOf(row, register);
    if (rule === UNSPECIFIED) continue;
    store<u32>(at, register);
    store<i32>(at, rule, 4);
    store<i32>(at, ruleValue(row, register), 8);
    at += 4 * WORDS_PER_REGISTER;
    count++;
  }
  let flags = isSignalFrame ? SIGNAL_FRAME : 0;
  if (row.isSigned) flags |= SIGNED_RETURN_ADDRESS;
  if (!isSignalFrame && isPlain(row)) flags |= PLAIN;
  store<i32>(start, row.cfaRegister);
  store<i32>(start, row.cfaOffset, 4);
  store<i32>(start, flags, 8);
  store<i32>(start, count, 12);
  return u32(at - start) / 4;
}

function isPlain(row: Row): bool {
  if (row.cfaRegister < 0 || u32(row.cfaRegister) >= followed || ruleOf(row, returnAddress) !== OFFSET) return false;
  for (let register: u32 = 0; register < followed; register++) {
    const rule = ruleOf(row, register);
    if (rule === UNSPECIFIED || rule === SAME_VALUE || register === returnAddress) continue;
    const isVolatile = register < 32 && ((volatile >> register) & 1) !== 0;
    if (rule !== OFFSET || register === stackPointer || isVolatile) return false;
  }
  return true;
}

function isEqual(rule: u32, start: usize, size: u32): bool {
  const from = load<u32>(ruleStarts + 4 * rule);
  const end = rule + 1 < ruleCount ? load<u32>(ruleStarts + 4 * (rule + 1)) : wordCount;
  return end - from === size && memory.compare(words + 4 * from, start, 4 * size) === 0;
}

function hash(start: usize, size: u32): u32 {
  let value: u32 = 0;
  for (let at: u32 = 0; at < size; at++) {
    value = (value ^ load<u32>(start + 4 * at)) * 0x9e3779b1;
    value ^= value >> 15;
  }
  return value;
}

function addStart(): void {
  if (ruleCount === ruleRoom) {
    const before = ruleStarts;
    const larger = max<u32>(256, 2 * ruleRoom);
    ruleStarts = allocate(4 * larger);
    memory.copy(ruleStarts, before, 4 * ruleCount);
    if (before !== 0) release(before, 4 * ruleRoom);
    ruleRoom = larger;
  }
  store<u32>(ruleStarts + 4 * ruleCount++, wordCount);
}

function setSlots(count: u32): void {
  slotCount = count;
  slots = allocate(4 * count);
  memory.fill(slots, 0, 4 * count);
}

function enlargeSlots(): void {
  release(slots, 4 * slotCount);
  setSlots(2 * slotCount);
  for (let rule: u32 = 0; rule < ruleCount; rule++) {
    const from = load<u32>(ruleStarts + 4 * rule);
    const end = rule + 1 < ruleCount ? load<u32>(ruleStarts + 4 * (rule + 1)) : wordCount;
    let slot = hash(words + 4 * from, end - from) & (slotCount - 1);
    while (load<u32>(slots + 4 * slot) !== 0) slot = (slot + 1) & (slotCount - 1);
    store<u32>(slots + 4 * slot, rule + 1);
  }
}
