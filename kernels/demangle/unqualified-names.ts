/** Source: Itanium C++ ABI, "Mangling", unqualified-name: identifiers, operators, constructors, and names of what has none. */
import {
  expect,
  fail,
  hasFailed,
  isBefore,
  isDigit,
  peek,
  peekNext,
  peekPair,
  readCompactNumber,
  skip,
  take,
  takePair,
} from './cursor';
import {
  BINDING,
  CONSTRUCTOR,
  CONVERSION,
  DESTRUCTOR,
  IN_MODULE,
  LAMBDA,
  LITERAL_OPERATOR,
  NESTED,
  OPERATOR,
  TAGGED,
  TEMPLATE,
  UNNAMED,
  VENDOR_OPERATOR,
  WELL_KNOWN,
  WELL_KNOWN_CLASS,
} from './kinds';
import { C, c, D, E, F, I, i, L, l, Q, t, U, v, ZERO } from './letters';
import { readModules } from './modules';
import { addToList, asField, asNode, beginList, endList, listLength, makeNode, Node } from './nodes';
import { operatorName } from './operators';
import { readIdentifier, readTags } from './tags';
import {
  beginLambda,
  endLambda,
  isTemplateParameterDeclaration,
  readTemplateParameterDeclaration,
} from './template-arguments';
import { readConstraint, readConversionType, readType } from './types';

const NOTHING = changetype<Node>(0);

/** @param scope what it is a member of, if it may be a constructor's @param isEncoding of what has a type, which a conversion's may refer to */
export function readUnqualifiedName(scope: Node, isEncoding: bool): Node {
  const modules = readModules();
  take(F);
  take(L);
  const name = readTags(readPlainName(scope, isEncoding));
  return listLength(modules) === 0 ? name : makeNode(IN_MODULE, asField(name), modules);
}

function readPlainName(scope: Node, isEncoding: bool): Node {
  const character = peek();
  if (isDigit(character)) return readIdentifier();
  if (takePair(U, t)) return makeNode(UNNAMED, 0, 0, 0, readCompactNumber() + 1);
  if (takePair(U, l)) return readLambda();
  if (takePair(D, C)) return readBinding();
  if (character === C) return readConstructor(scope);
  if (character === D) return readDestructor(scope);
  return readOperator(isEncoding);
}

function readLambda(): Node {
  const outer = beginLambda();
  const declarations = beginList();
  while (isTemplateParameterDeclaration()) addToList(readTemplateParameterDeclaration());
  const declared = endList(declarations);
  const constraint = take(Q) ? readConstraint() : NOTHING;
  const types = beginList();
  if (!take(v)) {
    while (peek() !== E && peek() !== Q && !hasFailed) addToList(readType());
  }
  const parameters = endList(types);
  if (take(Q)) readConstraint();
  endLambda(outer);
  expect(E);
  return makeNode(LAMBDA, declared, parameters, asField(constraint), readCompactNumber() + 1);
}

function readBinding(): Node {
  const names = beginList();
  while (isBefore(E)) addToList(readIdentifier());
  return makeNode(BINDING, endList(names));
}

function readConstructor(scope: Node): Node {
  skip(1);
  const isInherited = take(I);
  const variant = peek();
  if (scope === NOTHING || variant <= ZERO || variant > ZERO + 5) fail();
  skip(1);
  if (hasFailed) return NOTHING;
  if (isInherited) readType();
  return makeNode(CONSTRUCTOR, asField(constructed(scope)));
}

function readDestructor(scope: Node): Node {
  skip(1);
  const variant = peek();
  if (scope === NOTHING || variant < ZERO || variant > ZERO + 5) fail();
  skip(1);
  return hasFailed ? NOTHING : makeNode(DESTRUCTOR, asField(constructed(scope)));
}

/** The name of a class without what it is in and without its arguments. */
function constructed(scope: Node): Node {
  let name = scope;
  for (;;) {
    if (name.kind === NESTED) name = asNode(name.second);
    else if (name.kind === TEMPLATE) name = asNode(name.first);
    else break;
  }
  while (name.kind === TAGGED) name = asNode(name.first);
  return name.kind === WELL_KNOWN ? makeNode(WELL_KNOWN_CLASS, 0, 0, 0, name.detail) : name;
}

function readOperator(isEncoding: bool): Node {
  if (takePair(c, v)) return makeNode(CONVERSION, asField(readConversionType(isEncoding)));
  if (takePair(l, i)) return makeNode(LITERAL_OPERATOR, asField(readIdentifier()));
  if (peek() === v && isDigit(peekNext())) {
    skip(2);
    return makeNode(VENDOR_OPERATOR, asField(readIdentifier()));
  }
  const text = operatorName(peekPair());
  if (text.length === 0) fail();
  skip(2);
  return makeNode(OPERATOR, changetype<usize>(text));
}
