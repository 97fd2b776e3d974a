/**
 * Inline trees: which calls the compiler inlined into a function. A row names the inlined function and the pc of its parent
 * (the call's place in the function around it).
 *
 * Source: Go src/runtime/symtab.go inlinedCall (1.12 … 1.19, 20 bytes), src/runtime/symtabinl.go inlinedCall (1.20 …, 16 bytes).
 */
import { beginsName } from './early-inline-tree.js';
import type { GoLayout } from './table.js';
import type { TablePartBytes } from './table-part.js';

export interface InlinedCall {
  /** Offset into the function names. */
  readonly nameOffset: number;
  /** Bytes from the physical function's entry to an instruction that stands for the call. */
  readonly parentPc: number;
  /** 0 where the layout has none. */
  readonly startLine: number;
}

/** Bytes of one row. */
export function inlinedCallBytes(layout: GoLayout): number {
  return layout === '1.20' ? 16 : 20;
}

/** @param at offset of the row into the view @returns undefined when the view ends before it does */
export function readInlinedCall(view: DataView, at: number, layout: GoLayout): InlinedCall | undefined {
  if (!(at >= 0 && at + inlinedCallBytes(layout) <= view.byteLength)) return undefined;
  // 1.20: {u8 funcID, 3 bytes, i32 nameOff, i32 parentPc, i32 startLine}
  if (layout === '1.20') {
    return {
      nameOffset: view.getInt32(at + 4, true),
      parentPc: view.getInt32(at + 8, true),
      startLine: view.getInt32(at + 12, true),
    };
  }
  // 1.12: {i16 parent, u8 funcID, 1 byte, i32 file, i32 line, i32 func, i32 parentPc}
  return { nameOffset: view.getInt32(at + 12, true), parentPc: view.getInt32(at + 16, true), startLine: 0 };
}

/** Whether a call's name begins a string and its parent pc lies in the function's code. @param names what names' offsets count from */
export function isPlausible(call: InlinedCall, names: TablePartBytes, codeBytes: number, layout: GoLayout): boolean {
  const { nameOffset, parentPc } = call;
  const beginsString =
    layout === '1.12' ? beginsName(names, nameOffset) : nameOffset === 0 || names.at(nameOffset - 1, 1)[0] === 0;
  return nameOffset >= 0 && nameOffset < names.length && beginsString && parentPc >= 0 && parentPc < codeBytes;
}
