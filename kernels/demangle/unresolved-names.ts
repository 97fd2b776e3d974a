/** Source: Itanium C++ ABI, "Mangling", unresolved-name: of what depends on template parameters. */
import { isBefore, isDigit, peek, take, takePair } from './cursor';
import { DESTRUCTOR, NESTED, TEMPLATE } from './kinds';
import { d, E, I, N, n, o, r, s } from './letters';
import { asField, makeNode, Node } from './nodes';
import { readIdentifier, readTags } from './tags';
import { readTemplateArguments } from './template-arguments';
import { readType } from './types';
import { readUnqualifiedName } from './unqualified-names';

const NOTHING = changetype<Node>(0);

/**
 * After `sr` and a name, GCC takes that for a type and has the member come next; Clang has names up to an E, and then the member. Which it is
 * shows at the end of the whole name only.
 */
let isInClangsWay: bool = false;
/** Whether the one way differs from the other in the name that was read. */
export let isAmbiguous: bool = false;

export function chooseWay(isClangs: bool): void {
  isInClangsWay = isClangs;
  isAmbiguous = false;
}

export function readUnresolvedName(): Node {
  if (!takePair(s, r)) return readWithArguments(readBaseName(NOTHING));
  if (take(N)) {
    let name = readWithArguments(readType());
    while (isBefore(E)) name = nest(name, readSimpleName());
    return readMember(name);
  }
  if (!isDigit(peek())) {
    const type = readType();
    return readMember(type);
  }
  isAmbiguous = true;
  if (!isInClangsWay) {
    const type = readType();
    return readMember(type);
  }
  let name = readSimpleName();
  while (isBefore(E)) name = nest(name, readSimpleName());
  return readMember(name);
}

function nest(outer: Node, inner: Node): Node {
  return makeNode(NESTED, asField(outer), asField(inner));
}

function readWithArguments(name: Node): Node {
  return peek() === I ? makeNode(TEMPLATE, asField(name), readTemplateArguments(false)) : name;
}

function readSimpleName(): Node {
  return readWithArguments(readTags(readIdentifier()));
}

function readMember(scope: Node): Node {
  return readWithArguments(nest(scope, readBaseName(scope)));
}

/** @param scope what it is a member of, if anything */
function readBaseName(scope: Node): Node {
  // A destructor's name may be a type's.
  if (takePair(d, n)) return makeNode(DESTRUCTOR, asField(isDigit(peek()) ? readSimpleName() : readType()));
  takePair(o, n);
  return readUnqualifiedName(scope, false);
}
