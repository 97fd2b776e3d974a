/** Source: Itanium C++ ABI, "Compression": what was named before, and abbreviations of the standard library's names. */
import { fail, hasFailed, isDigit, peek, readSequenceNumber, skip, take } from './cursor';
import { WELL_KNOWN } from './kinds';
import { A, a, b, d, i, o, S, s, UNDERSCORE, Z } from './letters';
import { SUBSTITUTIONS } from './limits';
import { SUBSTITUTED } from './memory';
import { asField, asNode, makeNode, Node } from './nodes';
import { readTags } from './tags';

let substitutionCount: u32 = 0;

export function forgetFrom(count: u32): void {
  substitutionCount = count;
}

/** @returns the node itself */
export function remember(node: Node): Node {
  if (substitutionCount === SUBSTITUTIONS) fail();
  if (hasFailed) return node;
  store<usize>(SUBSTITUTED + substitutionCount * sizeof<usize>(), asField(node));
  substitutionCount++;
  return node;
}

/** `S_`, `S0_` …, `Sa` …; not `St`. */
export function readSubstitution(): Node {
  if (!take(S)) fail();
  const character = peek();
  if (character === UNDERSCORE || isDigit(character) || (character >= A && character <= Z)) {
    const number = readSequenceNumber();
    if (number >= substitutionCount) fail();
    return hasFailed ? makeNode(WELL_KNOWN) : asNode(load<usize>(SUBSTITUTED + number * sizeof<usize>()));
  }
  if (character !== a && character !== b && character !== s && character !== i && character !== o && character !== d)
    fail();
  skip(1);
  const known = makeNode(WELL_KNOWN, 0, 0, 0, character);
  const tagged = readTags(known);
  return tagged === known ? known : remember(tagged);
}

/** As it is usually written. @param abbreviation the letter behind S */
export function usualName(abbreviation: u32): string {
  switch (abbreviation) {
    case a:
      return 'std::allocator';
    case b:
      return 'std::basic_string';
    case s:
      return 'std::string';
    case i:
      return 'std::istream';
    case o:
      return 'std::ostream';
    default:
      return 'std::iostream';
  }
}

/** As what has constructors: with what the abbreviation stands for. */
export function fullName(abbreviation: u32): string {
  switch (abbreviation) {
    case s:
      return 'std::basic_string<char, std::char_traits<char>, std::allocator<char> >';
    case i:
      return 'std::basic_istream<char, std::char_traits<char> >';
    case o:
      return 'std::basic_ostream<char, std::char_traits<char> >';
    case d:
      return 'std::basic_iostream<char, std::char_traits<char> >';
    default:
      return usualName(abbreviation);
  }
}

/** The full name without its class templates' arguments, in `std::`, without that. */
export function constructorName(abbreviation: u32): string {
  switch (abbreviation) {
    case a:
      return 'allocator';
    case s:
    case b:
      return 'basic_string';
    case i:
      return 'basic_istream';
    case o:
      return 'basic_ostream';
    default:
      return 'basic_iostream';
  }
}
