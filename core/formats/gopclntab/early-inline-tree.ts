/**
 * Inline trees of Go 1.9 … 1.11, of 16 bytes a row: {i32 parent, i32 file, i32 line, i32 func}. A row says itself in which file and
 * line the call stood, and which other call that was in; later ones have a pc for it (see inline-tree.ts).
 * Source: Go 1.9 src/runtime/symtab.go inlinedCall.
 */
import type { TablePartBytes } from './table-part.js';

export interface EarlyInlinedCall {
  /** Row of the call that this one stood in, a lower one; −1 for the function itself. */
  readonly parentRow: number;
  /** Of the place of the call. */
  readonly fileNumber: number;
  readonly line: number;
  /** Offset into the table. */
  readonly nameOffset: number;
}

export const EARLY_CALL_BYTES = 16;

/** @param at offset of the row into the view @returns undefined when the view ends before it does */
export function readEarlyInlinedCall(view: DataView, at: number): EarlyInlinedCall | undefined {
  if (!(at >= 0 && at + EARLY_CALL_BYTES <= view.byteLength)) return undefined;
  return {
    parentRow: view.getInt32(at, true),
    fileNumber: view.getInt32(at + 4, true),
    line: view.getInt32(at + 8, true),
    nameOffset: view.getInt32(at + 12, true),
  };
}

/** Whether a row refers to a row before it, a line, a file and a name. @param names the whole table */
export function isPlausibleEarlyCall(call: EarlyInlinedCall, row: number, names: TablePartBytes): boolean {
  const { parentRow, fileNumber, line, nameOffset } = call;
  return parentRow >= -1 && parentRow < row && fileNumber > 0 && line > 0 && beginsName(names, nameOffset);
}

/** Whether a printable character is there: before 1.16 names lie among other things, so that what is before them says nothing. */
export function beginsName(names: TablePartBytes, nameOffset: number): boolean {
  return nameOffset > 0 && nameOffset < names.length && names.at(nameOffset, 1)[0]! > 0x20;
}
