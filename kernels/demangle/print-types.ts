/** Types. */

import {
  ARGUMENT_PACK,
  ARRAY,
  BIT_INTEGER,
  CONSTRAINED_AUTO,
  DECLARED_PARAMETER,
  DECLTYPE,
  ELABORATED,
  EXPANSION,
  FUNCTION,
  MEMBER_POINTER,
  PACK,
  POINTER,
  QUALIFIED,
  REFERENCE,
  SUFFIXED,
  TEMPLATE_PARAMETER,
  THROWS,
  VECTOR,
} from './kinds';
import { asNode, Node } from './nodes';
import { lastCharacter, write, writeNumber } from './output';
import { meant, printExpansion } from './packs';
import { print, printField, printLeft, printList, printRight } from './print';
import { CONST, LVALUE, RESTRICT, RVALUE, VOLATILE } from './qualifiers';
import { NAMED, TIGHT } from './types';

const NOTHING = changetype<Node>(0);
const CLOSING_BRACKET: u32 = 0x5d;
const OPENING: u32 = 0x28;
const STAR: u32 = 0x2a;

/** Whether something of it is written behind what it declares. */
export function hasRightPart(type: Node): bool {
  let node = meant(type);
  while (node !== NOTHING && isBuiltAround(node.kind)) {
    node = meant(asNode(node.kind === MEMBER_POINTER ? node.second : node.first));
  }
  return node !== NOTHING && (node.kind === ARRAY || node.kind === FUNCTION);
}

function isBuiltAround(kind: u32): bool {
  return kind === POINTER || kind === REFERENCE || kind === QUALIFIED || kind === SUFFIXED || kind === MEMBER_POINTER;
}

/** Whether what points to it has parentheses. */
function isArrayOrFunction(type: Node): bool {
  let node = meant(type);
  while (node !== NOTHING && node.kind === QUALIFIED) node = meant(asNode(node.first));
  return node !== NOTHING && (node.kind === ARRAY || node.kind === FUNCTION);
}

function isArray(type: Node): bool {
  let node = meant(type);
  while (node !== NOTHING && node.kind === QUALIFIED) node = meant(asNode(node.first));
  return node !== NOTHING && node.kind === ARRAY;
}

export function printTypeLeft(type: Node): void {
  const node = meant(type);
  if (node === NOTHING) return;
  switch (node.kind) {
    case POINTER:
      printPointed(asNode(node.first));
      write('*');
      break;
    case REFERENCE:
      printReference(node);
      break;
    case QUALIFIED:
      printQualified(node, 0);
      break;
    case SUFFIXED:
      printSuffixed(node);
      break;
    case ARRAY:
      printLeft(asNode(node.first));
      break;
    case VECTOR:
      printField(node.first);
      write(' __vector(');
      printField(node.second);
      write(')');
      break;
    case FUNCTION:
      printReturned(asNode(node.first));
      break;
    case MEMBER_POINTER:
      printPointed(asNode(node.second));
      if (!isArrayOrFunction(asNode(node.second))) write(' ');
      printField(node.first);
      write('::*');
      break;
    case BIT_INTEGER:
      write(node.detail !== 0 ? 'unsigned _BitInt(' : '_BitInt(');
      printField(node.first);
      write(')');
      break;
    case ELABORATED:
      write(changetype<string>(node.first));
      printField(node.second);
      break;
    case DECLTYPE:
      write('decltype (');
      printField(node.first);
      write(')');
      break;
    case CONSTRAINED_AUTO:
      printField(node.second);
      write(changetype<string>(node.first));
      break;
    case EXPANSION:
      printExpansion(node);
      break;
    case PACK:
    case ARGUMENT_PACK:
      printList(node.first);
      break;
    case TEMPLATE_PARAMETER:
      write(node.third !== 0 ? '$T' : 'auto:');
      writeNumber(node.third !== 0 ? node.detail : node.detail + 1);
      break;
    case DECLARED_PARAMETER:
      printDeclared(node);
      break;
    default:
      print(node);
  }
}

export function printTypeRight(type: Node): void {
  const node = meant(type);
  if (node === NOTHING) return;
  switch (node.kind) {
    case POINTER:
    case REFERENCE:
    case QUALIFIED:
    case SUFFIXED:
      printPointedRight(asNode(node.first), node.kind === POINTER || node.kind === REFERENCE);
      break;
    case MEMBER_POINTER:
      printPointedRight(asNode(node.second), true);
      break;
    case ARRAY:
      if (lastCharacter() !== CLOSING_BRACKET) write(' ');
      write('[');
      if (node.second !== 0) printField(node.second);
      write(']');
      printRight(asNode(node.first));
      break;
    case FUNCTION:
      write('(');
      printList(node.second);
      write(')');
      printRight(asNode(node.first));
      printQualifiers(node.detail);
      if (node.third !== 0) printExceptions(asNode(node.third));
      break;
  }
}

function printPointed(type: Node): void {
  printLeft(type);
  if (!isArrayOrFunction(type)) return;
  if (isArray(type)) write(' ');
  write('(');
}

function printPointedRight(type: Node, isPointed: bool): void {
  if (isPointed && isArrayOrFunction(type)) write(')');
  if (hasRightPart(type)) printRight(type);
}

/** A reference to a reference is one of an lvalue if either is. */
function printReference(node: Node): void {
  let isRvalue = node.detail !== 0;
  let referred = meant(asNode(node.first));
  while (referred !== NOTHING && referred.kind === REFERENCE) {
    if (referred.detail === 0) isRvalue = false;
    referred = meant(asNode(referred.first));
  }
  if (referred === NOTHING) return;
  printPointed(referred);
  write(isRvalue ? '&&' : '&');
}

/** @param outer qualifiers that are written behind these ones, which are not repeated */
function printQualified(node: Node, outer: u32): void {
  const inner = meant(asNode(node.first));
  if (inner === NOTHING) return;
  if (inner.kind === QUALIFIED) printQualified(inner, outer | node.detail);
  else printLeft(inner);
  printQualifiers(node.detail & ~outer);
}

export function printQualifiers(qualifiers: u32): void {
  if (qualifiers & CONST) write(' const');
  if (qualifiers & VOLATILE) write(' volatile');
  if (qualifiers & RESTRICT) write(' restrict');
  if (qualifiers & LVALUE) write(' &');
  if (qualifiers & RVALUE) write(' &&');
}

function printSuffixed(node: Node): void {
  printLeft(asNode(node.first));
  if (node.detail === 0) {
    write(changetype<string>(node.second));
    return;
  }
  if ((node.detail & TIGHT) === 0) write(' ');
  if (node.detail & NAMED) printField(node.second);
}

function printReturned(type: Node): void {
  printLeft(type);
  const last = lastCharacter();
  if (hasRightPart(type) && (last === OPENING || last === STAR)) return;
  write(' ');
}

function printExceptions(node: Node): void {
  if (node.kind === THROWS) {
    write(' throw(');
    printList(node.first);
    write(')');
    return;
  }
  write(' noexcept');
  if (node.first === 0) return;
  write('(');
  printField(node.first);
  write(')');
}

function printDeclared(node: Node): void {
  if (node.third !== 0) {
    write('template<');
    printList(node.third);
    write('> typename ');
  } else if (node.second !== 0) {
    printField(node.second);
    write(' ');
  } else {
    write(changetype<string>(node.first));
  }
  write('$T');
  writeNumber(node.detail);
}
