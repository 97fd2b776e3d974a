/**
 * Text of nodes, in binutils' spelling. A declaration is written around the name of what it declares: what is left of that first, then
 * what is right of it, as in `void (*` … `)(int)`.
 */

import { PRINT_DEPTH, PRINT_STEPS } from './limits';
import { asNode, listLength, listMember, Node } from './nodes';
import { beginOutput, giveUp, isTooLong, rewind, write, written } from './output';
import { PARAMETERS, TEMPLATES } from './parts';
import { isExpression, printExpression } from './print-expressions';
import { isName, printName } from './print-names';
import { hasRightPart, printTypeLeft, printTypeRight } from './print-types';

/** Of parts.ts. */
export let parts: u32 = 0;

let depth: u32 = 0;
let steps: u32 = 0;

export function beginPrinting(newParts: u32): void {
  parts = newParts;
  depth = 0;
  steps = 0;
  beginOutput();
}

/** All parts are written until `restoreParts`. */
export function writeAllParts(): u32 {
  const before = parts;
  parts |= PARAMETERS | TEMPLATES;
  return before;
}

export function restoreParts(before: u32): void {
  parts = before;
}

function enter(): bool {
  if (depth === PRINT_DEPTH || steps === PRINT_STEPS) giveUp();
  if (isTooLong) return false;
  depth++;
  steps++;
  return true;
}

export function print(node: Node): void {
  printLeft(node);
  if (hasRightPart(node)) printRight(node);
}

export function printLeft(node: Node): void {
  if (!enter()) return;
  if (isName(node.kind)) printName(node);
  else if (isExpression(node.kind)) printExpression(node);
  else printTypeLeft(node);
  depth--;
}

export function printRight(node: Node): void {
  if (!enter()) return;
  printTypeRight(node);
  depth--;
}

/** With commas; packs without members leave none. */
export function printList(list: usize): void {
  let isFirst = true;
  const length = listLength(list);
  for (let index: u32 = 0; index < length && !isTooLong; index++) {
    const before = written;
    if (!isFirst) write(', ');
    const start = written;
    print(listMember(list, index));
    if (written === start) rewind(before);
    else isFirst = false;
  }
}

export function printField(field: usize): void {
  print(asNode(field));
}
