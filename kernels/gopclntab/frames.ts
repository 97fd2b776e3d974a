/** Frames of many places at once, as rows, where all that they need is held: the layout from 1.20 on, with inline trees within the table. */
import { MAX_PLACES, MAX_ROWS, NONE, UNANSWERED } from '../../core/formats/gopclntab/kernel-codes';
import { enter, findFunction, move, place } from './place';
import { fileBytes, fileOffsets, fileOffsetsEnd, held, heldEnd, names, namesEnd } from './table';

/** A frame, as core/formats/gopclntab/table.ts has it. */
class Row {
  nameOffset!: u32;
  /** NONE: there is none. */
  fileOffset!: u32;
  line!: i32;
  startLine!: i32;
}

/** Source: Go src/runtime/symtabinl.go inlinedCall (1.20 …). */
class InlinedCall {
  functionId!: u32;
  nameOffset!: i32;
  parentPc!: i32;
  startLine!: i32;
}

/** f64 each: what is asked for, relative to the entries' base. */
export const places: usize = memory.data(MAX_PLACES * sizeof<f64>(), 8);
/** i32 for each place: how many rows it has, 0 in padding, UNANSWERED where the host has to look. */
export const counts: usize = memory.data(MAX_PLACES * sizeof<i32>(), 8);
/** Innermost first, those of a place behind those of the one before. */
export const rows: usize = memory.data(MAX_ROWS * offsetof<Row>(), 8);
/** Places that have a count. */
export let placesDone: u32 = 0;
/** Rows of the places so far. */
export let rowCount: u32 = 0;

/** Where offsets of inline trees count from, in bytes behind `held`; less than 0: not here. */
let trees: f64 = -1;

export function useTrees(offset: f64): void {
  trees = offset;
}

/** @param first place to look at; `placesDone` says which it came to when it throws @param maxDepth frames of a place */
export function frameRows(first: u32, count: u32, maxDepth: u32): void {
  placesDone = first;
  if (first === 0) rowCount = 0;
  for (; placesDone < count && rowCount + maxDepth <= u32(MAX_ROWS); placesDone++) {
    const found = framesAt(load<f64>(places + placesDone * sizeof<f64>()), maxDepth);
    if (found > 0) rowCount += found;
    store<i32>(counts + placesDone * sizeof<i32>(), found);
  }
}

function framesAt(relative: f64, maxDepth: u32): i32 {
  if (!enter(relative)) return findFunction(relative) < 0 ? UNANSWERED : 0;
  for (let depth: u32 = 1; depth <= maxDepth; depth++) {
    const fileOffset = fileOffsetHere();
    if (fileOffset === SPOILT) return UNANSWERED;
    const row = changetype<Row>(rows + (rowCount + depth - 1) * offsetof<Row>());
    row.fileOffset = u32(fileOffset);
    row.line = fileOffset === NO_FILE ? 0 : max(0, place.line);
    if (place.treeRow === NONE) {
      row.nameOffset = place.nameOffset;
      row.startLine = place.startLine;
      return place.nameOffset < u32(namesEnd - names) ? depth : UNANSWERED;
    }
    const call = innermost();
    if (call === null) return UNANSWERED;
    row.nameOffset = call.nameOffset;
    row.startLine = call.startLine;
    move(call.parentPc);
  }
  return UNANSWERED;
}

const NO_FILE: i64 = u32.MAX_VALUE;
const SPOILT: i64 = -1;

function fileOffsetHere(): i64 {
  if (place.file < 0) return NO_FILE;
  const at = u64(fileOffsets) + (u64(place.compilationUnit) + u64(place.file)) * sizeof<u32>();
  if (at + sizeof<u32>() > u64(fileOffsetsEnd)) return SPOILT;
  const offset = i64(load<u32>(usize(at)));
  return offset < i64(fileBytes) || offset === NO_FILE ? offset : SPOILT;
}

/** The call that was inlined here; null where its row is not held, or is none of an inline tree. */
function innermost(): InlinedCall | null {
  if (trees < 0) return null;
  const at = f64(held) + trees + f64(place.treeLow) + f64(place.treeRow) * f64(offsetof<InlinedCall>());
  if (at + f64(offsetof<InlinedCall>()) > f64(heldEnd)) return null;
  const call = changetype<InlinedCall>(usize(at));
  const name = u32(call.nameOffset);
  if (name >= u32(namesEnd - names) || u32(call.parentPc) >= place.codeBytes) return null;
  return name === 0 || load<u8>(names + name - 1) === 0 ? call : null;
}
