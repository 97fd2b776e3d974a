/** Template parameters and packs: what is written in their place. */
import { PACK, TEMPLATE_PARAMETER } from './kinds';
import { asNode, listLength, listMember, Node } from './nodes';
import { giveUp, isTooLong, rewind, write, written } from './output';
import { print } from './print';
import { printOperand } from './print-expressions';

const NOTHING = changetype<Node>(0);
/** In place of a number of members: no pack was come by yet. */
const UNKNOWN: u32 = u32.MAX_VALUE;

/** Of one name: what refers to itself must end. */
const MOST_STEPS: u32 = 1 << 20;

let isExpanding: bool = false;
let index: u32 = 0;
let count: u32 = UNKNOWN;

/** What template parameters refer to where is written: a list, 0 for what each was read with. */
let bound: usize = 0;
/** Whether they are a generic lambda's own ones. */
let isInLambda: bool = false;
let steps: u32 = 0;

export function beginPacks(): void {
  isExpanding = false;
  bound = 0;
  isInLambda = false;
  steps = 0;
}

/** @returns whether packs were expanded before, for `endWholePacks`; till then all members are written at once */
export function beginWholePacks(): bool {
  const before = isExpanding;
  isExpanding = false;
  return before;
}

export function endWholePacks(before: bool): void {
  isExpanding = before;
}

/** An encoding's types are written: a substitution in them that is a parameter is one of its own. @returns what was bound, for `bindAgain` */
export function bind(list: usize): usize {
  const before = bound | usize(isInLambda);
  bound = list;
  isInLambda = false;
  return before;
}

/** A lambda's signature is written. @returns for `bindAgain` */
export function bindLambda(): usize {
  const before = bound | usize(isInLambda);
  isInLambda = true;
  return before;
}

export function bindAgain(before: usize): void {
  bound = before & ~1;
  isInLambda = (before & 1) !== 0;
}

/**
 * What is meant where a node stands: of a parameter the argument, of a pack the member, which may be none.
 * @returns the node itself for others, a whole pack, and a parameter without argument
 */
export function meant(node: Node): Node {
  let now = node;
  for (;;) {
    if (++steps > MOST_STEPS) {
      giveUp();
      break;
    }
    if (now.kind === TEMPLATE_PARAMETER) {
      const argument = argumentOf(now);
      if (argument === NOTHING) return now;
      now = argument;
    } else if (now.kind === PACK && isExpanding) {
      if (count === UNKNOWN) {
        count = listLength(now.first);
        index = 0;
      }
      if (index >= listLength(now.first)) break;
      now = listMember(now.first, index);
    } else {
      return now;
    }
  }
  return NOTHING;
}

function argumentOf(parameter: Node): Node {
  if (isInLambda) return NOTHING;
  if (bound !== 0 && parameter.detail < listLength(bound)) return listMember(bound, parameter.detail);
  return asNode(parameter.first);
}

/** The pattern for each member of the pack in it; with dots, if there is none. */
export function printExpansion(node: Node): void {
  const outerExpanding = isExpanding;
  const outerIndex = index;
  const outerCount = count;
  isExpanding = true;
  index = 0;
  count = UNKNOWN;
  const pattern = asNode(node.first);
  const start = written;
  print(pattern);
  if (count === UNKNOWN) {
    rewind(start);
    printOperand(pattern);
    write('...');
  } else if (count === 0) {
    rewind(start);
  } else {
    for (let member: u32 = 1; member < count && !isTooLong; member++) {
      index = member;
      write(', ');
      print(pattern);
    }
  }
  isExpanding = outerExpanding;
  index = outerIndex;
  count = outerCount;
}
