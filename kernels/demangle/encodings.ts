/** Source: Itanium C++ ABI, "Mangling", encoding, special-name. */
import {
  enter,
  expect,
  fail,
  hasFailed,
  leave,
  pair,
  peek,
  peekPair,
  readNumber,
  readSequenceNumber,
  skip,
  take,
} from './cursor';
import {
  CONSTRAINED,
  CONSTRUCTION_VTABLE,
  CONSTRUCTOR,
  CONVERSION,
  DEFAULT_ARGUMENT,
  DESTRUCTOR,
  FUNCTION_ENCODING,
  IN_MODULE,
  NESTED,
  REFERENCE_TEMPORARY,
  SPECIAL,
  TAGGED,
  TEMPLATE,
} from './kinds';
import { A, C, c, DOT, E, F, G, H, h, I, J, n, Q, R, S, T, t, UNDERSCORE, V, v, W } from './letters';
import { readModules } from './modules';
import { nameQualifiers, readName } from './names';
import { addToList, asField, asNode, beginList, endList, makeNode, Node } from './nodes';
import {
  currentParameters,
  readTemplateArgument,
  resolveForwards,
  restoreParameters,
  saveParameters,
} from './template-arguments';
import { readConstraint, readType } from './types';

const NOTHING = changetype<Node>(0);

/** A function with its types, a variable, or what the compiler makes of its own. */
export function readEncoding(): Node {
  if (!enter()) return NOTHING;
  const parameters = saveParameters();
  const encoding = peek() === T || peek() === G ? readSpecialName() : readFunctionOrVariable();
  restoreParameters(parameters);
  leave();
  return encoding;
}

function isBehindEncoding(): bool {
  const character = peek();
  return character === 0 || character === E || character === DOT || character === UNDERSCORE;
}

function readFunctionOrVariable(): Node {
  const name = readName(true);
  const qualifiers = nameQualifiers;
  resolveForwards();
  if (hasFailed || isBehindEncoding()) return name;
  const returned = hasReturnType(name) ? readType() : NOTHING;
  const types = beginList();
  if (!take(v)) {
    do addToList(readType());
    while (!isBehindEncoding() && peek() !== Q);
  }
  const encoding = makeNode(FUNCTION_ENCODING, asField(returned), asField(name), endList(types), qualifiers);
  encoding.fourth = currentParameters();
  return take(Q) ? makeNode(CONSTRAINED, asField(encoding), asField(readConstraint())) : encoding;
}

/** Of functions only what is made of a template has its return type in its name. */
function hasReturnType(name: Node): bool {
  let node = name;
  for (;;) {
    if (node.kind === NESTED) node = asNode(node.second);
    else if (node.kind === DEFAULT_ARGUMENT) node = asNode(node.first);
    else break;
  }
  if (node.kind !== TEMPLATE) return false;
  node = asNode(node.first);
  for (;;) {
    if (node.kind === NESTED) node = asNode(node.second);
    else if (node.kind === TAGGED || node.kind === IN_MODULE) node = asNode(node.first);
    else break;
  }
  return node.kind !== CONSTRUCTOR && node.kind !== DESTRUCTOR && node.kind !== CONVERSION;
}

function special(text: string, named: Node): Node {
  return makeNode(SPECIAL, changetype<usize>(text), asField(named));
}

function readSpecialName(): Node {
  const code = peekPair();
  skip(2);
  switch (code) {
    case pair(T, V):
      return special('vtable for ', readType());
    case pair(T, T):
      return special('VTT for ', readType());
    case pair(T, I):
      return special('typeinfo for ', readType());
    case pair(T, S):
      return special('typeinfo name for ', readType());
    case pair(T, F):
      return special('typeinfo fn for ', readType());
    case pair(T, J):
      return special('java Class for ', readType());
    case pair(T, A):
      return special('template parameter object for ', readTemplateArgument());
    case pair(T, h):
      readOffset();
      return special('non-virtual thunk to ', readEncoding());
    case pair(T, v):
      readOffset();
      readOffset();
      return special('virtual thunk to ', readEncoding());
    case pair(T, c):
      readCallOffset();
      readCallOffset();
      return special('covariant return thunk to ', readEncoding());
    case pair(T, C): {
      const derived = readType();
      readNumber();
      expect(UNDERSCORE);
      return makeNode(CONSTRUCTION_VTABLE, asField(readType()), asField(derived));
    }
    case pair(T, H):
      return special('TLS init function for ', readName(false));
    case pair(T, W):
      return special('TLS wrapper function for ', readName(false));
    case pair(G, V):
      return special('guard variable for ', readName(false));
    case pair(G, R): {
      const name = readName(false);
      return makeNode(REFERENCE_TEMPORARY, asField(name), 0, 0, readSequenceNumber());
    }
    case pair(G, A):
      return special('hidden alias for ', readEncoding());
    case pair(G, I):
      return special('initializer for module ', makeNode(IN_MODULE, 0, readModules()));
    case pair(G, T): {
      const isNot = take(n);
      if (!isNot) expect(t);
      return special(isNot ? 'non-transaction clone for ' : 'transaction clone for ', readEncoding());
    }
    default:
      fail();
      return NOTHING;
  }
}

function readCallOffset(): void {
  const isVirtual = peek() === v;
  if (!isVirtual && peek() !== h) fail();
  skip(1);
  readOffset();
  if (isVirtual) readOffset();
}

/** Of bytes that a thunk adds. */
function readOffset(): void {
  take(n);
  readNumber();
  expect(UNDERSCORE);
}
