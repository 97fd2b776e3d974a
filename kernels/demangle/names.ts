/** Source: Itanium C++ ABI, "Mangling", name: nested, local and unscoped ones. */
import {
  enter,
  expect,
  fail,
  isBefore,
  isDigit,
  leave,
  peek,
  peekNext,
  readCompactNumber,
  readNumber,
  skip,
  take,
  takePair,
} from './cursor';
import { readEncoding } from './encodings';
import { readDecltype } from './expressions';
import { DEFAULT_ARGUMENT, NESTED, TEMPLATE, WORD } from './kinds';
import { D, d, E, H, I, K, M, N, O, R, r, S, s, T, t, UNDERSCORE, V, Z } from './letters';
import { asField, makeNode, Node } from './nodes';
import { CONST, LVALUE, RESTRICT, RVALUE, VOLATILE } from './qualifiers';
import { readSubstitution, remember } from './substitutions';
import { readTemplateArguments, readTemplateParameter } from './template-arguments';
import { readUnqualifiedName } from './unqualified-names';

/** Of the member function whose name was read last. */
export let nameQualifiers: u32 = 0;

const NOTHING = changetype<Node>(0);

/** @param isEncoding whether its template arguments are those that its own types refer to */
export function readName(isEncoding: bool): Node {
  if (!enter()) return NOTHING;
  const name = readAnyName(isEncoding);
  leave();
  return name;
}

function readAnyName(isEncoding: bool): Node {
  if (peek() === N) return readNestedName(isEncoding);
  if (peek() === Z) return readLocalName(isEncoding);
  nameQualifiers = 0;
  let name: Node;
  if (peek() === S && peekNext() !== t) {
    name = readSubstitution();
    if (peek() !== I) fail();
  } else {
    const isStandard = takePair(S, t);
    name = readUnqualifiedName(NOTHING, isEncoding);
    if (isStandard) name = nest(standard(), name);
    if (peek() === I) remember(name);
  }
  if (peek() === I) name = readTemplate(name, isEncoding);
  nameQualifiers = 0;
  return name;
}

function readTemplate(name: Node, isEncoding: bool): Node {
  return makeNode(TEMPLATE, asField(name), readTemplateArguments(isEncoding));
}

function nest(outer: Node, inner: Node): Node {
  return outer === NOTHING ? inner : makeNode(NESTED, asField(outer), asField(inner));
}

function standard(): Node {
  return makeNode(WORD, changetype<usize>('std'));
}

export function readQualifiers(): u32 {
  let qualifiers: u32 = 0;
  for (;;) {
    if (take(r)) qualifiers |= RESTRICT;
    else if (take(V)) qualifiers |= VOLATILE;
    else if (take(K)) qualifiers |= CONST;
    else break;
  }
  return qualifiers;
}

function readNestedName(isEncoding: bool): Node {
  expect(N);
  let qualifiers: u32 = 0;
  // An explicit object parameter has no qualifiers.
  if (!take(H)) {
    qualifiers = readQualifiers();
    if (take(O)) qualifiers |= RVALUE;
    else if (take(R)) qualifiers |= LVALUE;
  }
  let name = NOTHING;
  while (isBefore(E)) {
    const character = peek();
    if (character === M && name !== NOTHING) {
      // Of a member whose initializer holds what comes next.
      skip(1);
      continue;
    }
    if (character === S && name === NOTHING) {
      if (takePair(S, t)) name = standard();
      else name = readSubstitution();
      continue;
    }
    if (character === T && name === NOTHING) name = readTemplateParameter();
    else if (character === I && name !== NOTHING && name.kind !== TEMPLATE) name = readTemplate(name, isEncoding);
    else if (character === D && (peekNext() | 0x20) === t) name = nest(name, readDecltype());
    else name = nest(name, readUnqualifiedName(name, isEncoding));
    if (peek() !== E) remember(name);
  }
  if (name === NOTHING) fail();
  nameQualifiers = qualifiers;
  return name;
}

/** Something of a function's. */
function readLocalName(isEncoding: bool): Node {
  expect(Z);
  const encoding = readEncoding();
  expect(E);
  if (take(s)) {
    skipDiscriminator();
    return nest(encoding, makeNode(WORD, changetype<usize>('string literal')));
  }
  if (take(d)) {
    const number = readCompactNumber();
    const name = readName(isEncoding);
    return nest(encoding, makeNode(DEFAULT_ARGUMENT, asField(name), 0, 0, number + 1));
  }
  const name = readName(isEncoding);
  skipDiscriminator();
  return nest(encoding, name);
}

/** Of entities of one name in a function: `_0`, `__12_`. */
function skipDiscriminator(): void {
  if (peek() !== UNDERSCORE) return;
  if (peekNext() === UNDERSCORE) {
    skip(2);
    readNumber();
    expect(UNDERSCORE);
  } else if (isDigit(peekNext())) {
    skip(2);
  }
}
