/** Expressions. Operands that are no names have parentheses. */

import { PARENTHESIZED } from './expressions';
import {
  ANONYMOUS_NAMESPACE,
  ARGUMENT_PACK,
  BINARY,
  BRACED,
  CALL,
  CAST,
  CONDITIONAL,
  DESIGNATED,
  EXPANSION,
  FOLD,
  FUNCTION_ENCODING,
  GLOBAL,
  INDEX,
  LITERAL,
  NAMED_CAST,
  NESTED,
  NESTED_REQUIREMENT,
  NEW,
  PACK,
  PACK_LENGTH,
  PARAMETER,
  PARENTHESES,
  POSTFIX,
  PREFIX,
  REQUIREMENT,
  REQUIRES,
  TEXT,
  TYPE_LITERAL,
  TYPE_REQUIREMENT,
  VENDOR_EXPRESSION,
  WORD,
} from './kinds';
import { b, d, e, f, g, i, j, l, m, ONE, x, y, ZERO } from './letters';
import { asNode, listLength, listMember, Node } from './nodes';
import { write, writeNumber } from './output';
import { beginWholePacks, endWholePacks, meant } from './packs';
import { print, printField, printList } from './print';

const NOTHING = changetype<Node>(0);

export function isExpression(kind: u32): bool {
  return kind >= LITERAL;
}

/** With parentheses, but for names. */
export function printOperand(node: Node): void {
  const kind = node.kind;
  if (
    kind === TEXT ||
    kind === ANONYMOUS_NAMESPACE ||
    kind === NESTED ||
    kind === BRACED ||
    kind === PARAMETER ||
    kind === PARENTHESES
  ) {
    print(node);
    return;
  }
  write('(');
  print(node);
  write(')');
}

function printOperandField(field: usize): void {
  printOperand(asNode(field));
}

function printParenthesized(list: usize): void {
  write('(');
  printList(list);
  write(')');
}

export function printExpression(node: Node): void {
  switch (node.kind) {
    case LITERAL:
      printLiteral(node);
      break;
    case TYPE_LITERAL:
      write('"<');
      printField(node.first);
      write('>"');
      break;
    case PREFIX:
      printPrefix(node);
      break;
    case POSTFIX:
      printOperandField(node.second);
      write(changetype<string>(node.first));
      break;
    case BINARY:
      printBinary(node);
      break;
    case CONDITIONAL:
      printOperandField(node.first);
      write('?');
      printOperandField(node.second);
      write(' : ');
      printOperandField(node.third);
      break;
    case CALL:
      printOperand(calledName(asNode(node.first)));
      printParenthesized(node.second);
      break;
    case CAST:
      write('(');
      printField(node.first);
      write(')');
      if (node.third !== 0) printParenthesized(node.third);
      else printOperandField(node.second);
      break;
    case NAMED_CAST:
      write(changetype<string>(node.first));
      write('<');
      printField(node.second);
      write('>(');
      printField(node.third);
      write(')');
      break;
    case INDEX:
      printOperandField(node.first);
      write('[');
      printField(node.second);
      write(']');
      break;
    case BRACED:
      if (node.first !== 0) printField(node.first);
      write('{');
      printList(node.second);
      write('}');
      break;
    case DESIGNATED:
      printDesignated(node);
      break;
    case NEW:
      printNew(node);
      break;
    case PARENTHESES:
      printParenthesized(node.first);
      break;
    case PACK_LENGTH:
      writeNumber(node.detail !== 0 ? membersOf(node.second) : packLength(asNode(node.first)));
      break;
    case FOLD:
      printFold(node);
      break;
    case PARAMETER:
      if (node.detail === 0) {
        write('this');
        break;
      }
      write('{parm#');
      writeNumber(node.detail);
      write('}');
      break;
    case GLOBAL:
      write('::');
      printField(node.first);
      break;
    case VENDOR_EXPRESSION:
      printField(node.first);
      printParenthesized(node.second);
      break;
    default:
      printRequirement(node);
  }
}

/** A number as it is written in a program, where the type shows in it; others as a cast. */
function printLiteral(node: Node): void {
  const type = asNode(node.first);
  const digits = asNode(node.second);
  const letter = type.kind === WORD ? type.detail : 0;
  if (letter === b && node.detail === 0 && digits.second === 1) {
    const value: u32 = load<u8>(digits.first);
    if (value === ZERO || value === ONE) {
      write(value === ONE ? 'true' : 'false');
      return;
    }
  }
  const suffix = literalSuffix(letter);
  const isPlain = letter === i || suffix.length > 0;
  if (!isPlain) {
    write('(');
    print(type);
    write(')');
  }
  if (node.detail !== 0) write('-');
  const isFloat = letter === f || letter === d || letter === e || letter === g;
  if (isFloat) write('[');
  print(digits);
  if (isFloat) write(']');
  write(suffix);
}

function literalSuffix(letter: u32): string {
  switch (letter) {
    case j:
      return 'u';
    case l:
      return 'l';
    case m:
      return 'ul';
    case x:
      return 'll';
    case y:
      return 'ull';
    default:
      return '';
  }
}

/** A function whose address is taken is written without its types, unless it is of a template or has qualifiers. */
function printPrefix(node: Node): void {
  const text = changetype<string>(node.first);
  write(text);
  const operand = asNode(node.second);
  if (node.detail === PARENTHESIZED) {
    write('(');
    print(operand);
    write(')');
    return;
  }
  const isAddress = changetype<usize>(text) === changetype<usize>('&');
  const isFunction =
    operand.kind === FUNCTION_ENCODING && operand.detail === 0 && asNode(operand.second).kind === NESTED;
  printOperand(isAddress && isFunction ? asNode(operand.second) : operand);
}

function calledName(called: Node): Node {
  return called.kind === FUNCTION_ENCODING ? asNode(called.second) : called;
}

/** What holds a greater-than sign has parentheses around it: template arguments end with one. */
function printBinary(node: Node): void {
  const isGreater = node.first === changetype<usize>('>');
  if (isGreater) write('(');
  printOperandField(node.second);
  write(changetype<string>(node.first));
  printOperandField(node.third);
  if (isGreater) write(')');
}

function printDesignated(node: Node): void {
  write(node.detail !== 0 ? '[' : '.');
  printField(node.first);
  if (node.third !== 0) {
    write(' ... ');
    printField(node.third);
  }
  if (node.detail !== 0) write(']');
  const value = asNode(node.second);
  if (value.kind === DESIGNATED) {
    print(value);
    return;
  }
  write('=');
  printOperand(value);
}

function printNew(node: Node): void {
  write('new ');
  if (listLength(node.first) > 0) {
    printParenthesized(node.first);
    write(' ');
  }
  printField(node.second);
  if (node.third !== 0) printField(node.third);
}

function packLength(pack: Node): u32 {
  const before = beginWholePacks();
  const node = meant(pack);
  endWholePacks(before);
  if (node === NOTHING) return 0;
  return node.kind === PACK || node.kind === ARGUMENT_PACK ? listLength(node.first) : 1;
}

/** Members of a list, where packs count as many as they have. */
function membersOf(list: usize): u32 {
  let count: u32 = 0;
  const length = listLength(list);
  for (let index: u32 = 0; index < length; index++) {
    const member = listMember(list, index);
    count += packLength(member.kind === EXPANSION ? asNode(member.first) : member);
  }
  return count;
}

function printFold(node: Node): void {
  const before = beginWholePacks();
  const text = changetype<string>(node.first);
  write('(');
  if (node.second !== 0) {
    printOperandField(node.second);
    write(text);
  }
  write('...');
  if (node.third !== 0) {
    write(text);
    printOperandField(node.third);
  }
  write(')');
  endWholePacks(before);
}

function printRequirement(node: Node): void {
  switch (node.kind) {
    case REQUIRES:
      write('requires ');
      if (node.first !== 0) {
        printParenthesized(node.first);
        write(' ');
      }
      write('{');
      for (let index: u32 = 0; index < listLength(node.second); index++) {
        write(' ');
        print(listMember(node.second, index));
        write(';');
      }
      write(' }');
      break;
    case REQUIREMENT:
      if (node.detail === 0 && node.second === 0) {
        printField(node.first);
        break;
      }
      write('{');
      printField(node.first);
      write(node.detail !== 0 ? '} noexcept' : '}');
      if (node.second !== 0) {
        write(' -> ');
        printField(node.second);
      }
      break;
    case TYPE_REQUIREMENT:
      write('typename ');
      printField(node.first);
      break;
    case NESTED_REQUIREMENT:
      write('requires ');
      printField(node.first);
      break;
  }
}
