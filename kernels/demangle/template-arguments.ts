/** Source: Itanium C++ ABI, "Mangling", template-args, template-param, template-param-decl. */
import {
  enter,
  expect,
  fail,
  hasFailed,
  isBefore,
  leave,
  peek,
  peekNext,
  readCompactNumber,
  skip,
  take,
  takePair,
} from './cursor';
import { readExpression } from './expressions';
import { ARGUMENT_PACK, DECLARED_PARAMETER, EXPANSION, PACK, TEMPLATE_PARAMETER } from './kinds';
import { E, I, J, k, L, n, p, Q, T, t, X, y } from './letters';
import { readPrimary } from './literals';
import { readName } from './names';
import { addToList, asField, asNode, beginList, endList, listLength, listMember, makeNode, Node } from './nodes';
import { readConstraint, readType } from './types';

const NOTHING = changetype<Node>(0);

/** What `T_` refers to: a list, 0 for none. */
let parameters: usize = 0;
/** Whether `T_` is of arguments that come later, and the ones that are: of a conversion operator. */
let mayBeForward: bool = false;
let lastForward: Node = NOTHING;
/** Whether `T_` is an `auto` of a lambda's, and how many parameters that declares. */
let isInLambda: bool = false;
let declaredCount: u32 = 0;
/** Whether arguments may follow `T_`: they do not in a conversion operator's type, where they would be those of the operator. */
export let mayHaveArguments: bool = true;

export function beginParameters(): void {
  parameters = 0;
  mayBeForward = false;
  lastForward = NOTHING;
  isInLambda = false;
  declaredCount = 0;
  mayHaveArguments = true;
}

/** For an encoding in another one: its parameters are its own. @returns for `restoreParameters` */
export function saveParameters(): usize {
  const start = beginList();
  addToList(asNode(parameters));
  addToList(asNode(usize(mayBeForward)));
  addToList(lastForward);
  addToList(asNode(usize(isInLambda)));
  addToList(asNode(usize(declaredCount)));
  addToList(asNode(usize(mayHaveArguments)));
  const saved = endList(start);
  beginParameters();
  return saved;
}

export function restoreParameters(saved: usize): void {
  parameters = asField(listMember(saved, 0));
  mayBeForward = asField(listMember(saved, 1)) !== 0;
  lastForward = listMember(saved, 2);
  isInLambda = asField(listMember(saved, 3)) !== 0;
  declaredCount = u32(asField(listMember(saved, 4)));
  mayHaveArguments = asField(listMember(saved, 5)) !== 0;
}

/** Once the name of an encoding is read. */
export function resolveForwards(): void {
  for (let forward = lastForward; forward !== NOTHING && !hasFailed; forward = asNode(forward.second)) {
    if (parameters === 0 || forward.detail >= listLength(parameters)) fail();
    else forward.first = asField(listMember(parameters, forward.detail));
  }
  lastForward = NOTHING;
}

/** @returns for `endConversion` */
export function beginConversion(isEncoding: bool): u32 {
  const saved = u32(mayBeForward) | (u32(mayHaveArguments) << 1);
  if (isEncoding) mayBeForward = true;
  mayHaveArguments = false;
  return saved;
}

export function endConversion(saved: u32): void {
  mayBeForward = (saved & 1) !== 0;
  mayHaveArguments = saved >> 1 !== 0;
}

/** @returns for `endLambda` */
export function beginLambda(): u32 {
  const saved = (declaredCount << 1) | u32(isInLambda);
  isInLambda = true;
  declaredCount = 0;
  return saved;
}

export function endLambda(saved: u32): void {
  isInLambda = (saved & 1) !== 0;
  declaredCount = saved >> 1;
}

/** @param isEncoding whether the types that follow refer to them @returns a list */
export function readTemplateArguments(isEncoding: bool): usize {
  expect(I);
  const outer = parameters;
  const couldHaveArguments = mayHaveArguments;
  mayHaveArguments = true;
  if (isEncoding) parameters = 0;
  const start = beginList();
  while (isBefore(E)) {
    if (take(Q)) readConstraint();
    else addToList(readTemplateArgument());
  }
  const list = endList(start);
  parameters = isEncoding ? expandable(list) : outer;
  mayHaveArguments = couldHaveArguments;
  return list;
}

/** The same list with packs that are expanded where they are referred to. */
function expandable(list: usize): usize {
  const start = beginList();
  for (let index: u32 = 0; index < listLength(list); index++) {
    const argument = listMember(list, index);
    addToList(argument.kind === ARGUMENT_PACK ? makeNode(PACK, argument.first) : argument);
  }
  return endList(start);
}

export function readTemplateArgument(): Node {
  if (!enter()) return NOTHING;
  const argument = readAnyArgument();
  leave();
  return argument;
}

function readAnyArgument(): Node {
  switch (peek()) {
    case X: {
      skip(1);
      const expression = readExpression();
      expect(E);
      return expression;
    }
    case J:
    // So did compilers before the ABI had J.
    case I: {
      skip(1);
      const start = beginList();
      while (isBefore(E)) addToList(readTemplateArgument());
      return makeNode(ARGUMENT_PACK, endList(start));
    }
    case L:
      return readPrimary();
    case T:
      if (isTemplateParameterDeclaration()) {
        readTemplateParameterDeclaration();
        return readTemplateArgument();
      }
      return readType();
    default:
      return readType();
  }
}

/** `T_`, `T0_` …, or with a level, `TL0__`. */
export function readTemplateParameter(): Node {
  expect(T);
  let level: u32 = 0;
  if (take(L)) level = readCompactNumber() + 1;
  const index = readCompactNumber();
  const node = makeNode(TEMPLATE_PARAMETER, 0, 0, 0, index);
  if (isInLambda) {
    node.third = usize(index < declaredCount);
    return node;
  }
  if (mayBeForward) {
    node.second = asField(lastForward);
    lastForward = node;
    return node;
  }
  if (level !== 0 || parameters === 0 || index >= listLength(parameters)) fail();
  else node.first = asField(listMember(parameters, index));
  return node;
}

/** Those that what was read last has, where packs are to be expanded. @returns a list, 0 for none */
export function currentParameters(): usize {
  return parameters;
}

export function isTemplateParameterDeclaration(): bool {
  if (peek() !== T) return false;
  const next = peekNext();
  return next === y || next === n || next === t || next === p || next === k;
}

/** Of a lambda, or of an argument whose parameter is not clear without. */
export function readTemplateParameterDeclaration(): Node {
  if (!enter()) return NOTHING;
  const declaration = readDeclaration();
  leave();
  return declaration;
}

function readDeclaration(): Node {
  if (takePair(T, y)) return declare('typename ');
  if (takePair(T, k)) {
    const constraint = readName(false);
    const node = declare('');
    node.second = asField(constraint);
    return node;
  }
  if (takePair(T, n)) {
    const node = declare('');
    node.second = asField(readType());
    return node;
  }
  if (takePair(T, t)) {
    const node = declare('template');
    const start = beginList();
    while (isBefore(E)) {
      if (take(Q)) readConstraint();
      else addToList(readTemplateParameterDeclaration());
    }
    node.third = endList(start);
    return node;
  }
  if (!takePair(T, p)) fail();
  return makeNode(EXPANSION, asField(readTemplateParameterDeclaration()));
}

function declare(text: string): Node {
  return makeNode(DECLARED_PARAMETER, changetype<usize>(text), 0, 0, declaredCount++);
}
