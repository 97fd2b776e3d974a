/** Source: Itanium C++ ABI, "Mangling", type. */

import { builtinType, extendedType } from './builtin-types';
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
  place,
  skip,
  take,
  takePair,
} from './cursor';
import { readDecltype, readExpression } from './expressions';
import {
  ARRAY,
  BIT_INTEGER,
  CONSTRAINED_AUTO,
  ELABORATED,
  EXPANSION,
  FUNCTION,
  MEMBER_POINTER,
  NOEXCEPT,
  POINTER,
  QUALIFIED,
  REFERENCE,
  SUFFIXED,
  TEMPLATE,
  TEXT,
  THROWS,
  VECTOR,
  WORD,
} from './kinds';
import {
  A,
  B,
  b,
  C,
  D,
  E,
  e,
  F,
  G,
  I,
  K,
  k,
  M,
  O,
  o,
  P,
  p,
  R,
  r,
  S,
  s,
  T,
  t,
  U,
  UNDERSCORE,
  u,
  V,
  v,
  w,
  x,
  Y,
} from './letters';
import { readName, readQualifiers } from './names';
import { addToList, asField, beginList, endList, makeNode, Node } from './nodes';
import { LVALUE, RVALUE } from './qualifiers';
import { readSubstitution, remember } from './substitutions';
import { readIdentifier } from './tags';
import {
  beginConversion,
  endConversion,
  mayHaveArguments,
  readTemplateArguments,
  readTemplateParameter,
} from './template-arguments';

const NOTHING = changetype<Node>(0);

/** In `detail` of SUFFIXED: what is behind it is a node; no space is between. */
export const NAMED: u32 = 1;
export const TIGHT: u32 = 2;

export function readType(): Node {
  if (!enter()) return NOTHING;
  const type = readAnyType();
  leave();
  return type;
}

function word(text: string, letter: u32 = 0): Node {
  return makeNode(WORD, changetype<usize>(text), 0, 0, letter);
}

function readAnyType(): Node {
  const character = peek();
  switch (character) {
    case r:
    case V:
    case K:
      return readQualifiedType();
    case U:
      return readVendorQualifiedType();
    case u:
      return readVendorType();
    case D:
      return readExtendedType();
    case F:
      return readFunctionType(0);
    case A:
      return readArrayType();
    case M: {
      skip(1);
      const owner = readType();
      return remember(makeNode(MEMBER_POINTER, asField(owner), asField(readType())));
    }
    case P:
      skip(1);
      return remember(makeNode(POINTER, asField(readType())));
    case R:
    case O:
      skip(1);
      return remember(makeNode(REFERENCE, asField(readType()), 0, 0, u32(character === O)));
    case C:
      skip(1);
      return remember(makeNode(SUFFIXED, asField(readType()), changetype<usize>(' _Complex')));
    case G:
      skip(1);
      return remember(makeNode(SUFFIXED, asField(readType()), changetype<usize>(' _Imaginary')));
    case S:
      return readSubstitutedType();
    case T:
      return readParameterType();
  }
  const builtin = builtinType(character);
  if (builtin.length > 0) {
    skip(1);
    return word(builtin, character);
  }
  return remember(readName(false));
}

function readQualifiedType(): Node {
  const qualifiers = readQualifiers();
  const pairHere = peekPair();
  const isFunction =
    peek() === F ||
    pairHere === pair(D, o) ||
    pairHere === pair(D, O) ||
    pairHere === pair(D, w) ||
    pairHere === pair(D, x);
  if (isFunction) return readFunctionType(qualifiers);
  return remember(makeNode(QUALIFIED, asField(readType()), 0, 0, qualifiers));
}

function readVendorQualifiedType(): Node {
  expect(U);
  let name = readIdentifier();
  if (peek() === I) name = makeNode(TEMPLATE, asField(name), readTemplateArguments(false));
  return remember(makeNode(SUFFIXED, asField(readType()), asField(name), 0, NAMED));
}

function readVendorType(): Node {
  expect(u);
  let name = readIdentifier();
  if (peek() === I) name = makeNode(TEMPLATE, asField(name), readTemplateArguments(false));
  return remember(name);
}

function readExtendedType(): Node {
  const next = peekNext();
  switch (next) {
    case T:
    case t:
      return remember(readDecltype());
    case p:
      skip(2);
      return remember(makeNode(EXPANSION, asField(readType())));
    case v:
      return readVectorType();
    case o:
    case O:
    case w:
    case x:
      return readFunctionType(0);
    case B:
    case U: {
      skip(2);
      const bits = isDigit(peek()) ? readDigits() : readExpression();
      expect(UNDERSCORE);
      return remember(makeNode(BIT_INTEGER, asField(bits), 0, 0, u32(next === U)));
    }
    case k:
    case K: {
      skip(2);
      const text = next === k ? ' auto' : ' decltype(auto)';
      return makeNode(CONSTRAINED_AUTO, changetype<usize>(text), asField(readName(false)));
    }
    case F:
      return readFloatType();
  }
  const extended = extendedType(next);
  if (extended.length === 0) {
    // A structured binding's name.
    return remember(readName(false));
  }
  skip(2);
  return word(extended);
}

/** `DF16_`, `DF16b`, `DF32x` … */
function readFloatType(): Node {
  skip(2);
  const bits = readDigits();
  if (take(b)) return word('std::bfloat16_t');
  const type = makeNode(SUFFIXED, asField(word('_Float')), asField(bits), 0, NAMED | TIGHT);
  if (take(x)) return makeNode(SUFFIXED, asField(type), changetype<usize>('x'));
  expect(UNDERSCORE);
  return type;
}

function readDigits(): Node {
  const start = place;
  while (isDigit(peek())) skip(1);
  if (start === place) fail();
  return makeNode(TEXT, start, place - start);
}

function readVectorType(): Node {
  skip(2);
  let dimension: Node;
  if (isDigit(peek())) dimension = readDigits();
  else {
    take(UNDERSCORE);
    dimension = readExpression();
  }
  expect(UNDERSCORE);
  return remember(makeNode(VECTOR, asField(readType()), asField(dimension)));
}

function readArrayType(): Node {
  expect(A);
  let dimension = NOTHING;
  if (isDigit(peek())) dimension = readDigits();
  else if (peek() !== UNDERSCORE) dimension = readExpression();
  expect(UNDERSCORE);
  return remember(makeNode(ARRAY, asField(readType()), asField(dimension)));
}

function readFunctionType(qualifiers: u32): Node {
  const exceptions = readExceptions();
  takePair(D, x);
  expect(F);
  take(Y);
  const returned = readType();
  const start = beginList();
  let all = qualifiers;
  while (isBefore(E)) {
    if (takePair(R, E)) {
      all |= LVALUE;
      break;
    }
    if (takePair(O, E)) {
      all |= RVALUE;
      break;
    }
    if (!take(v)) addToList(readType());
  }
  return remember(makeNode(FUNCTION, asField(returned), endList(start), asField(exceptions), all));
}

function readExceptions(): Node {
  if (takePair(D, o)) return makeNode(NOEXCEPT);
  if (takePair(D, O)) {
    const expression = readExpression();
    expect(E);
    return makeNode(NOEXCEPT, asField(expression));
  }
  if (!takePair(D, w)) return NOTHING;
  const start = beginList();
  while (isBefore(E)) addToList(readType());
  return makeNode(THROWS, endList(start));
}

function readSubstitutedType(): Node {
  if (peekNext() === t) return remember(readName(false));
  const name = readSubstitution();
  if (peek() !== I || !mayHaveArguments) return name;
  return remember(makeNode(TEMPLATE, asField(name), readTemplateArguments(false)));
}

function readParameterType(): Node {
  const next = peekNext();
  if (next === s || next === u || next === e) {
    skip(2);
    const text = next === s ? 'struct ' : next === u ? 'union ' : 'enum ';
    return remember(makeNode(ELABORATED, changetype<usize>(text), asField(readName(false))));
  }
  const parameter = remember(readTemplateParameter());
  if (peek() !== I || !mayHaveArguments) return parameter;
  return remember(makeNode(TEMPLATE, asField(parameter), readTemplateArguments(false)));
}

/** What a conversion operator converts to, which may refer to arguments behind it. */
export function readConversionType(isEncoding: bool): Node {
  const saved = beginConversion(isEncoding);
  const type = readType();
  endConversion(saved);
  return type;
}

/** Behind `Q`. */
export function readConstraint(): Node {
  return readExpression();
}
