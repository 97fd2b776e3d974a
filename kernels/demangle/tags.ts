/** Source: Itanium C++ ABI, "Mangling", abi-tags; identifiers. */
import { end, fail, hasFailed, place, readNumber, skip, take } from './cursor';
import { ANONYMOUS_NAMESPACE, TAGGED, TEXT } from './kinds';
import { B, DOLLAR, DOT, N, UNDERSCORE } from './letters';
import { asField, makeNode, Node } from './nodes';

/** So begins what compilers call a namespace without a name: `_GLOBAL__N_1`, on other platforms with `.` or `$`. */
const GLOBAL = '_GLOBAL_';

/** Its length, then itself. */
export function readIdentifier(): Node {
  const bytes = readNumber();
  if (bytes === 0 || bytes > u32(end - place)) fail();
  if (hasFailed) return makeNode(TEXT);
  const start = place;
  skip(bytes);
  if (bytes > 9 && isAnonymous(start)) return makeNode(ANONYMOUS_NAMESPACE);
  return makeNode(TEXT, start, bytes);
}

function isAnonymous(start: usize): bool {
  for (let at = 0; at < GLOBAL.length; at++) {
    if (load<u8>(start + at) !== u8(GLOBAL.charCodeAt(at))) return false;
  }
  const mark: u32 = load<u8>(start + 8);
  return (mark === UNDERSCORE || mark === DOT || mark === DOLLAR) && load<u8>(start + 9) === u8(N);
}

/** @returns the name with its tags, if it has any */
export function readTags(name: Node): Node {
  let tagged = name;
  while (take(B)) tagged = makeNode(TAGGED, asField(tagged), asField(readIdentifier()));
  return tagged;
}
