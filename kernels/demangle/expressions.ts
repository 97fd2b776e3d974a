/** Source: Itanium C++ ABI, "Mangling", expression. Those of literals and names are in files of their own. */
import {
  enter,
  expect,
  fail,
  isBefore,
  isDigit,
  leave,
  pair,
  peek,
  peekNext,
  peekPair,
  readCompactNumber,
  readNumber,
  skip,
  take,
  takePair,
} from './cursor';
import {
  BINARY,
  BRACED,
  CALL,
  CAST,
  CONDITIONAL,
  DECLTYPE,
  DESIGNATED,
  EXPANSION,
  FOLD,
  GLOBAL,
  INDEX,
  NAMED_CAST,
  NEW,
  PACK_LENGTH,
  PARAMETER,
  PARENTHESES,
  POSTFIX,
  PREFIX,
  VENDOR_EXPRESSION,
  WORD,
} from './kinds';
import {
  a,
  c,
  D,
  d,
  E,
  e,
  f,
  g,
  i,
  L,
  l,
  m,
  n,
  o,
  P,
  p,
  Q,
  q,
  R,
  r,
  s,
  T,
  t,
  UNDERSCORE,
  u,
  v,
  w,
  X,
  x,
  Z,
  z,
} from './letters';
import { readPrimary } from './literals';
import { readQualifiers } from './names';
import { addToList, asField, beginList, endList, makeNode, Node } from './nodes';
import { binaryOperator, crementOperator, prefixOperator } from './operators';
import { readRequires } from './requirements';
import { readIdentifier } from './tags';
import { readTemplateParameter } from './template-arguments';
import { readType } from './types';
import { readUnresolvedName } from './unresolved-names';

const NOTHING = changetype<Node>(0);

/** In `detail` of PREFIX: the operand has parentheses in any case. */
export const PARENTHESIZED: u32 = 1;

export function readExpression(): Node {
  if (!enter()) return NOTHING;
  const expression = readAnyExpression();
  leave();
  return expression;
}

/** `decltype (…)` */
export function readDecltype(): Node {
  skip(2);
  const expression = readExpression();
  expect(E);
  return makeNode(DECLTYPE, asField(expression));
}

function prefix(text: string, operand: Node, parentheses: u32 = 0): Node {
  return makeNode(PREFIX, changetype<usize>(text), asField(operand), 0, parentheses);
}

function readList(): usize {
  const start = beginList();
  while (isBefore(E)) addToList(readExpression());
  return endList(start);
}

function readAnyExpression(): Node {
  const first = peek();
  if (first === L) return readPrimary();
  if (first === T) return readTemplateParameter();
  if (first === f) return readFunctionParameterOrFold();
  if (isDigit(first)) return readUnresolvedName();
  const code = peekPair();
  switch (code) {
    case pair(g, s):
      return readGlobal();
    case pair(s, r):
    case pair(o, n):
    case pair(d, n):
      return readUnresolvedName();
    case pair(d, l):
    case pair(d, a):
      return readDelete(false);
    case pair(n, w):
    case pair(n, a):
      return readNew(false);
    case pair(r, q):
    case pair(r, Q):
      return readRequires();
  }
  if (first === u && isDigit(peekNext())) return readVendorExpression();
  skip(2);
  return readOperation(code);
}

/** @param code the operator, behind which all that comes is an operand */
function readOperation(code: u32): Node {
  switch (code) {
    case pair(c, l):
    case pair(c, p): {
      const called = readExpression();
      return makeNode(CALL, asField(called), readList());
    }
    case pair(c, v):
      return readCast();
    case pair(t, l): {
      const type = readType();
      return makeNode(BRACED, asField(type), readList());
    }
    case pair(i, l):
      return makeNode(BRACED, 0, readList());
    case pair(d, i): {
      const member = readIdentifier();
      return makeNode(DESIGNATED, asField(member), asField(readExpression()));
    }
    case pair(d, x): {
      const index = readExpression();
      return makeNode(DESIGNATED, asField(index), asField(readExpression()), 0, 1);
    }
    case pair(d, X): {
      const first = readExpression();
      const last = readExpression();
      return makeNode(DESIGNATED, asField(first), asField(readExpression()), asField(last), 1);
    }
    case pair(s, t):
      return prefix('sizeof ', readType(), PARENTHESIZED);
    case pair(s, z):
      return prefix('sizeof ', readExpression());
    case pair(a, t):
      return prefix('alignof ', readType());
    case pair(a, z):
      return prefix('alignof ', readExpression());
    case pair(t, i):
      return prefix('typeid ', readType());
    case pair(t, e):
      return prefix('typeid ', readExpression());
    case pair(n, x):
      return prefix('noexcept ', readExpression(), PARENTHESIZED);
    case pair(a, w):
      return prefix('co_await ', readExpression());
    case pair(t, w):
      return prefix('throw ', readExpression());
    case pair(t, r):
      return makeNode(WORD, changetype<usize>('throw'));
    case pair(s, Z):
      return makeNode(PACK_LENGTH, asField(peek() === f ? readExpression() : readTemplateParameter()));
    case pair(s, P): {
      return makeNode(PACK_LENGTH, 0, readArguments(), 0, 1);
    }
    case pair(s, p):
      return makeNode(EXPANSION, asField(readExpression()), 0, 0, 1);
    case pair(d, c):
      return readNamedCast('dynamic_cast');
    case pair(s, c):
      return readNamedCast('static_cast');
    case pair(c, c):
      return readNamedCast('const_cast');
    case pair(r, c):
      return readNamedCast('reinterpret_cast');
    case pair(i, x): {
      const array = readExpression();
      return makeNode(INDEX, asField(array), asField(readExpression()));
    }
    case pair(q, u): {
      const condition = readExpression();
      const whenTrue = readExpression();
      return makeNode(CONDITIONAL, asField(condition), asField(whenTrue), asField(readExpression()));
    }
    case pair(p, p):
    case pair(m, m): {
      if (take(UNDERSCORE)) return prefix(crementOperator(code), readExpression());
      return makeNode(POSTFIX, changetype<usize>(crementOperator(code)), asField(readExpression()));
    }
  }
  const unary = prefixOperator(code);
  if (unary.length > 0) return prefix(unary, readExpression());
  const binary = binaryOperator(code);
  if (binary.length === 0) fail();
  const left = readExpression();
  return makeNode(BINARY, changetype<usize>(binary), asField(left), asField(readExpression()));
}

/** Template arguments, of which there may be packs. @returns a list */
function readArguments(): usize {
  const start = beginList();
  while (isBefore(E)) addToList(peek() === T || peek() === D ? readType() : readExpression());
  return endList(start);
}

function readGlobal(): Node {
  skip(2);
  const code = peekPair();
  if (code === pair(d, l) || code === pair(d, a)) return readDelete(true);
  if (code === pair(n, w) || code === pair(n, a)) return readNew(true);
  return makeNode(GLOBAL, asField(readUnresolvedName()));
}

function readDelete(isGlobal: bool): Node {
  const isArray = peekNext() === a;
  skip(2);
  const operand = readExpression();
  const deletion = prefix(isArray ? 'delete[] ' : 'delete ', operand);
  return isGlobal ? makeNode(GLOBAL, asField(deletion)) : deletion;
}

function readNew(isGlobal: bool): Node {
  const isArray = peekNext() === a;
  skip(2);
  const start = beginList();
  while (isBefore(UNDERSCORE)) addToList(readExpression());
  const placement = endList(start);
  const type = readType();
  let initializer = NOTHING;
  if (takePair(p, i)) initializer = makeNode(PARENTHESES, readList());
  else if (peekPair() === pair(i, l)) initializer = readExpression();
  else expect(E);
  const node = makeNode(NEW, placement, asField(type), asField(initializer), u32(isArray));
  return isGlobal ? makeNode(GLOBAL, asField(node)) : node;
}

function readCast(): Node {
  const type = readType();
  if (take(UNDERSCORE)) return makeNode(CAST, asField(type), 0, readList());
  return makeNode(CAST, asField(type), asField(readExpression()));
}

function readNamedCast(text: string): Node {
  const type = readType();
  return makeNode(NAMED_CAST, changetype<usize>(text), asField(type), asField(readExpression()));
}

function readVendorExpression(): Node {
  skip(1);
  const name = readIdentifier();
  const start = beginList();
  while (isBefore(E)) addToList(readType());
  return makeNode(VENDOR_EXPRESSION, asField(name), endList(start));
}

/** `fpT`, `fp_`, `fL0p_`: parameters; `fl`, `fr`, `fL`, `fR`: folds. */
function readFunctionParameterOrFold(): Node {
  skip(1);
  const form = peek();
  if (form === p || (form === L && isDigit(peekNext()))) {
    skip(1);
    if (form === L) {
      readNumber();
      expect(p);
    }
    if (form === p && take(T)) return makeNode(PARAMETER);
    readQualifiers();
    return makeNode(PARAMETER, 0, 0, 0, readCompactNumber() + 1);
  }
  skip(1);
  const text = binaryOperator(peekPair());
  if (text.length === 0) fail();
  skip(2);
  const first = readExpression();
  const field = changetype<usize>(text);
  if (form === l) return makeNode(FOLD, field, 0, asField(first), 0);
  if (form === r) return makeNode(FOLD, field, asField(first), 0, 0);
  if (form !== L && form !== R) fail();
  return makeNode(FOLD, field, asField(first), asField(readExpression()), 0);
}
