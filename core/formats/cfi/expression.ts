/**
 * DWARF expressions as call frame information uses them: a stack machine over 64-bit words.
 * Source: DWARF 5, 2.5 and 6.4.2. Not supported, since they say nothing in a frame of a register's value: locations (DW_OP_reg,
 * DW_OP_piece …), other debug information (DW_OP_call, DW_OP_entry_value …), absolute addresses, address spaces.
 */
import { CfiCursor } from './cursor.js';
import type { CfiSection } from './section.js';

/** What an expression may look at. Words are unsigned 64-bit. */
export interface ExpressionContext {
  /** @returns undefined for a register whose value is not known */
  register(number: number): bigint | undefined;
  /** A little-endian word of 1, 2, 4 or 8 bytes. @returns undefined where memory was not captured */
  read(address: bigint, bytes: number): bigint | undefined;
}

/** Operations run; a loop of DW_OP_skip would have no end. */
const MAX_OPERATIONS = 10_000;
const MAX_STACK = 256;

/**
 * @param offset of the expression's length into the section, as rows have it
 * @param pushed what lies on the stack at first: the CFA for a register's rule, nothing for the CFA itself
 * @returns undefined when a register or memory was not known
 * @throws FormatError E_CFI_EXPRESSION for one that cannot be evaluated, E_LIMIT, E_LEB128, E_TRUNCATED
 */
export function evaluateExpression(
  section: CfiSection,
  offset: number,
  pushed: readonly bigint[],
  context: ExpressionContext,
): bigint | undefined {
  const head = new CfiCursor(section.bytes, section.name, offset);
  const length = head.uleb();
  const start = head.offset;
  const end = start + length;
  const cursor: CfiCursor = new CfiCursor(section.bytes, section.name, start, end);
  const stack = [...pushed];
  const push = (value: bigint): void => {
    if (stack.length === MAX_STACK) cursor.fail('E_LIMIT', `more than ${MAX_STACK} words on an expression's stack`);
    stack.push(BigInt.asUintN(64, value));
  };
  const pop = (): bigint => stack.pop() ?? cursor.fail('E_CFI_EXPRESSION', 'expression takes from an empty stack');
  const at = (depth: number): bigint =>
    stack[stack.length - 1 - depth] ?? cursor.fail('E_CFI_EXPRESSION', 'expression takes from an empty stack');
  const jump = (distance: number): void => {
    const target = cursor.offset + distance;
    if (target < start || target > end) cursor.fail('E_CFI_EXPRESSION', 'expression jumps out of itself', distance);
    cursor.offset = target;
  };

  for (let operations = 0; cursor.offset < end; operations++) {
    if (operations === MAX_OPERATIONS) cursor.fail('E_LIMIT', `expression of more than ${MAX_OPERATIONS} operations`);
    const operation = cursor.u8();
    if (operation >= 0x30 && operation <= 0x4f) {
      push(BigInt(operation - 0x30)); // DW_OP_lit0 … 31
      continue;
    }
    if ((operation >= 0x70 && operation <= 0x8f) || operation === 0x92) {
      const number = operation === 0x92 ? cursor.uleb() : operation - 0x70; // DW_OP_breg0 … 31, bregx
      const displacement = cursor.leb64(true);
      const value = context.register(number);
      if (value === undefined) return undefined;
      push(value + displacement);
      continue;
    }
    switch (operation) {
      case 0x06: // deref
      case 0x94: {
        // deref_size
        const bytes = operation === 0x94 ? cursor.u8() : 8;
        if (bytes !== 1 && bytes !== 2 && bytes !== 4 && bytes !== 8) {
          cursor.fail('E_CFI_EXPRESSION', 'word of an odd size', bytes);
        }
        const value = context.read(pop(), bytes);
        if (value === undefined) return undefined;
        push(value);
        break;
      }
      case 0x08: // const1u
        push(BigInt(cursor.u8()));
        break;
      case 0x09: // const1s
        push(BigInt.asIntN(8, BigInt(cursor.u8())));
        break;
      case 0x0a: // const2u
        push(BigInt(cursor.u16()));
        break;
      case 0x0b: // const2s
        push(BigInt.asIntN(16, BigInt(cursor.u16())));
        break;
      case 0x0c: // const4u
        push(BigInt(cursor.u32()));
        break;
      case 0x0d: // const4s
        push(BigInt(cursor.i32()));
        break;
      case 0x0e: // const8u
      case 0x0f: // const8s
        push(cursor.u64());
        break;
      case 0x10: // constu
        push(cursor.leb64(false));
        break;
      case 0x11: // consts
        push(cursor.leb64(true));
        break;
      case 0x12: // dup
        push(at(0));
        break;
      case 0x13: // drop
        pop();
        break;
      case 0x14: // over
        push(at(1));
        break;
      case 0x15: // pick
        push(at(cursor.u8()));
        break;
      case 0x16: {
        // swap
        const [top, second] = [pop(), pop()];
        push(top);
        push(second);
        break;
      }
      case 0x17: {
        // rot
        const [top, second, third] = [pop(), pop(), pop()];
        push(top);
        push(third);
        push(second);
        break;
      }
      case 0x19: {
        // abs
        const value = BigInt.asIntN(64, pop());
        push(value < 0n ? -value : value);
        break;
      }
      case 0x1f: // neg
        push(-pop());
        break;
      case 0x20: // not
        push(~pop());
        break;
      case 0x23: // plus_uconst
        push(pop() + cursor.leb64(false));
        break;
      case 0x2f: // skip
        jump((cursor.u16() << 16) >> 16);
        break;
      case 0x28: {
        // bra
        const distance = (cursor.u16() << 16) >> 16;
        if (pop() !== 0n) jump(distance);
        break;
      }
      case 0x96: // nop
        break;
      default: {
        const isBinary = (operation >= 0x1a && operation <= 0x27) || (operation >= 0x29 && operation <= 0x2e);
        if (!isBinary) {
          cursor.offset--;
          cursor.fail('E_CFI_EXPRESSION', 'operation not supported', `0x${operation.toString(16)}`);
        }
        const [top, second] = [pop(), pop()];
        const value = combine(operation, second, top);
        if (value === undefined) cursor.fail('E_CFI_EXPRESSION', 'division by zero');
        push(value);
      }
    }
  }
  return at(0);
}

/** @returns undefined for a division by zero */
function combine(operation: number, second: bigint, top: bigint): bigint | undefined {
  const signedSecond = BigInt.asIntN(64, second);
  const signedTop = BigInt.asIntN(64, top);
  switch (operation) {
    case 0x1a: // and
      return second & top;
    case 0x1b: // div
      return top === 0n ? undefined : signedSecond / signedTop;
    case 0x1c: // minus
      return second - top;
    case 0x1d: // mod
      return top === 0n ? undefined : second % top;
    case 0x1e: // mul
      return second * top;
    case 0x21: // or
      return second | top;
    case 0x22: // plus
      return second + top;
    case 0x24: // shl
      return top >= 64n ? 0n : second << top;
    case 0x25: // shr
      return top >= 64n ? 0n : second >> top;
    case 0x26: // shra
      return signedSecond >> (top >= 64n ? 63n : top);
    case 0x27: // xor
      return second ^ top;
    case 0x29: // eq
      return signedSecond === signedTop ? 1n : 0n;
    case 0x2a: // ge
      return signedSecond >= signedTop ? 1n : 0n;
    case 0x2b: // gt
      return signedSecond > signedTop ? 1n : 0n;
    case 0x2c: // le
      return signedSecond <= signedTop ? 1n : 0n;
    case 0x2d: // lt
      return signedSecond < signedTop ? 1n : 0n;
    default: // ne
      return signedSecond !== signedTop ? 1n : 0n;
  }
}
