/** Source: Itanium C++ ABI, "Mangling", requires-expressions of C++20. */
import { expect, isBefore, peek, skip, take } from './cursor';
import { readExpression } from './expressions';
import { NESTED_REQUIREMENT, REQUIREMENT, REQUIRES, TYPE_REQUIREMENT } from './kinds';
import { E, N, Q, R, T, UNDERSCORE, X } from './letters';
import { readName } from './names';
import { addToList, asField, beginList, endList, makeNode, Node } from './nodes';
import { readType } from './types';

const NOTHING = changetype<Node>(0);

/** `rq` without parameters, `rQ` with some. */
export function readRequires(): Node {
  skip(1);
  const hasParameters = peek() === Q;
  skip(1);
  let parameters: usize = 0;
  if (hasParameters) {
    const types = beginList();
    while (isBefore(UNDERSCORE)) addToList(readType());
    parameters = endList(types);
  }
  const requirements = beginList();
  while (isBefore(E)) addToList(readRequirement());
  return makeNode(REQUIRES, parameters, endList(requirements));
}

function readRequirement(): Node {
  if (take(T)) return makeNode(TYPE_REQUIREMENT, asField(readType()));
  if (take(Q)) return makeNode(NESTED_REQUIREMENT, asField(readExpression()));
  expect(X);
  const expression = readExpression();
  const isNoexcept = take(N);
  const constraint = take(R) ? readName(false) : NOTHING;
  return makeNode(REQUIREMENT, asField(expression), asField(constraint), 0, u32(isNoexcept));
}
