/** Expressions that need no stack machine: a register and an offset, as call frame information has them for signal frames. */
import { CfiCursor } from './cursor.js';
import type { CfiSection } from './section.js';

const DW_OP_breg0 = 0x70;
const DW_OP_breg31 = 0x8f;
const DW_OP_deref = 0x06;
/** Frames are small: one word has them. */
const MAX_OFFSET = 2 ** 31;

/** The register's value and an offset. */
export interface BasedAddress {
  readonly register: number;
  readonly offset: number;
  /** Whether the value is the word at that address, not the address. */
  readonly isRead: boolean;
}

/**
 * @param offset of the expression's length into the section
 * @returns undefined for any other expression
 * @throws FormatError E_LEB128, E_TRUNCATED
 */
export function findBasedAddress(section: CfiSection, offset: number): BasedAddress | undefined {
  const head = new CfiCursor(section.bytes, section.name, offset);
  const length = head.uleb();
  const end = head.offset + length;
  const cursor = new CfiCursor(section.bytes, section.name, head.offset, end);
  if (length === 0) return undefined;
  const operation = cursor.u8();
  if (operation < DW_OP_breg0 || operation > DW_OP_breg31) return undefined;
  const displacement = cursor.sleb();
  if (Math.abs(displacement) >= MAX_OFFSET) return undefined;
  const isRead = cursor.offset < end && cursor.u8() === DW_OP_deref;
  const found = { register: operation - DW_OP_breg0, offset: displacement, isRead };
  return cursor.offset === end ? found : undefined;
}
