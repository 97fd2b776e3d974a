/** Source: Itanium C++ ABI, "Mangling", expr-primary. */
import { expect, fail, isAtEnd, pair, peek, peekPair, place, skip, take, takePair } from './cursor';
import { readEncoding } from './encodings';
import { LITERAL, TEXT, TYPE_LITERAL } from './kinds';
import { A, D, E, L, l, n, T, U, UNDERSCORE, Z } from './letters';
import { asField, makeNode, Node } from './nodes';
import { readTemplateParameter } from './template-arguments';
import { readType } from './types';

export function readPrimary(): Node {
  expect(L);
  // Compilers before the ABI was clear left the underscore away.
  if (takePair(UNDERSCORE, Z) || take(Z)) {
    const encoding = readEncoding();
    expect(E);
    return encoding;
  }
  if (peek() === T) {
    const parameter = readTemplateParameter();
    expect(E);
    return parameter;
  }
  const isNull = peekPair() === pair(D, n);
  const isWhole = peek() === A || peekPair() === pair(U, l);
  const type = readType();
  if ((isWhole || isNull) && take(E)) return isNull ? type : makeNode(TYPE_LITERAL, asField(type));
  const isNegative = take(n);
  const start = place;
  while (peek() !== E && !isAtEnd()) skip(1);
  if (place === start) fail();
  const digits = makeNode(TEXT, start, place - start);
  expect(E);
  return makeNode(LITERAL, asField(type), asField(digits), 0, u32(isNegative));
}
