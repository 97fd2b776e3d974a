/** The function at a pc, and what its tables say of places in it. Source: Go src/runtime/runtime2.go _func. */
import { NONE, SPOILT_RECORD } from '../../core/formats/gopclntab/kernel-codes';
import { fail } from './imports';
import { isFound, valueAt } from './pc-tables';
import {
  entries,
  fixedBytes,
  funcdataBytes,
  functionCount,
  held,
  heldEnd,
  isAbsolute,
  records,
  recordsStart,
  startLineField,
  unitField,
} from './table';

// Fields of a record behind its entry, in all layouts.
const NAME = 0;
const PCFILE = 16;
const PCLN = 20;
const PCDATA_COUNT = 24;

/** Numbers of the pcdata table that has rows of the inline tree, and of the word of funcdata where the tree is: none at first. */
let rowsNumber: u32 = u32.MAX_VALUE;
let treeNumber: u32 = 0;

const NO_FUNCDATA: u32 = 0xffffffff;

/** What the host reads: of the function that was entered last, and of the place that was asked for last. */
class Place {
  /** Bytes to the next function. */
  codeBytes!: u32;
  nameOffset!: u32;
  compilationUnit!: u32;
  startLine!: i32;
  /** Word of funcdata: low and high. */
  treeLow!: u32;
  treeHigh!: u32;

  /** 0 behind the code. */
  line!: i32;
  /** Number in the compilation unit, or NONE. */
  file!: i32;
  /** Of the inline tree, or NONE. */
  treeRow!: i32;
}

export const place = changetype<Place>(memory.data(offsetof<Place>(), 8));
/** Offsets of the tables of the function that was entered last: 0 for none. */
let pcfile: u32 = 0;
let pcln: u32 = 0;
let inlineRows: u32 = 0;

export function placeAddress(): usize {
  return changetype<usize>(place);
}

export function useInlineNumbers(pcdata: u32, funcdata: u32): void {
  rowsNumber = pcdata;
  treeNumber = funcdata;
}

/** Index of the function that holds an address relative to the entries' base; −1 outside. */
export function findFunction(relative: f64): i32 {
  if (functionCount === 0 || !(relative >= f64(entry(0)) && relative < f64(entry(functionCount)))) return -1;
  let low: u32 = 0;
  let high = functionCount;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (f64(entry(middle)) <= relative) low = middle;
    else high = middle;
  }
  return low;
}

/** Goes to the place of an address relative to the entries' base. @returns false in no function, and behind the code of one */
export function enter(relative: f64): bool {
  const index = findFunction(relative);
  if (index < 0) return false;
  const start = entry(index);
  place.codeBytes = entry(index + 1) - start;
  readRecord(index);
  const at = u32(relative - f64(start));
  if (!readLine(at)) return false;
  readFileAndRow(at);
  return true;
}

/** Another place of the same function. @param at bytes from its entry */
export function move(at: u32): void {
  readLine(at);
  readFileAndRow(at);
}

function readLine(at: u32): bool {
  place.line = valueAt(pcln, place.codeBytes, f64(at));
  return isFound;
}

function readFileAndRow(at: u32): void {
  const file = valueAt(pcfile, place.codeBytes, f64(at));
  place.file = isFound ? file : NONE;
  const row = valueAt(inlineRows, place.codeBytes, f64(at));
  place.treeRow = isFound ? max(row, NONE) : NONE;
}

function entry(index: u32): u32 {
  return load<u32>(entries + index * sizeof<u32>());
}

function readRecord(index: u32): void {
  // Behind the entry.
  const at = recordsStart + load<u32>(records + index * sizeof<u32>()) + funcdataBytes;
  if (u64(at) + u64(fixedBytes) > u64(heldEnd)) fail(SPOILT_RECORD, index, place.codeBytes);
  const pcdataCount = load<u32>(at + PCDATA_COUNT);
  const funcdataCount = u32(load<u8>(at + fixedBytes - 1));
  const pcdata = u64(at) + u64(fixedBytes);
  const behindPcdata = pcdata + u64(pcdataCount) * 4;
  // Words of funcdata are aligned.
  const mask = u64(funcdataBytes - 1);
  const funcdata = funcdataCount === 0 ? behindPcdata : u64(held) + ((behindPcdata - u64(held) + mask) & ~mask);
  if (funcdata + u64(funcdataCount) * u64(funcdataBytes) > u64(heldEnd)) fail(SPOILT_RECORD, index, place.codeBytes);
  place.nameOffset = load<u32>(at + NAME);
  place.compilationUnit = unitField < 0 ? 0 : load<u32>(at + unitField);
  place.startLine = startLineField < 0 ? 0 : load<i32>(at + startLineField);
  pcfile = load<u32>(at + PCFILE);
  pcln = load<u32>(at + PCLN);
  inlineRows = 0;
  if (pcdataCount <= rowsNumber || funcdataCount <= treeNumber) return;
  const word = usize(funcdata) + treeNumber * funcdataBytes;
  place.treeLow = load<u32>(word);
  place.treeHigh = funcdataBytes === 8 ? load<u32>(word, 4) : 0;
  const hasTree = isAbsolute ? (place.treeLow | place.treeHigh) !== 0 : place.treeLow !== NO_FUNCDATA;
  if (hasTree) inlineRows = load<u32>(usize(pcdata) + rowsNumber * 4);
}
