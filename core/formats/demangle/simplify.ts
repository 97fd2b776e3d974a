/**
 * Shorter forms of demangled names, as google/pprof shows them: without parameters, and without template arguments. Works on text, since
 * the demangler gives no tree. What cannot be told apart for sure is left whole.
 */

/** What is left away of a name. */
export type NameParts = 'parameters' | 'parameters and templates';

const ANONYMOUS = '(anonymous namespace)';
/** What may follow `operator` directly; longest first. Source: C++23, [over.oper]. */
const OPERATOR =
  /^operator(?:\(\)|\[\]|->\*|<=>|<<=|>>=|->|<<|>>|<=|>=|==|!=|&&|\|\||\+\+|--|[-+*/%^&|]=|""|[-+*/%^&|~!=<>,])/;
const IDENTIFIER = /[\w$]/;
/** Of a member function, behind its parameters. */
const QUALIFIERS = /^(?: const| volatile|(?: ?&{1,2}))+(?=::|$)/;

const CLOSING: Readonly<Record<string, string>> = { '(': ')', '<': '>', '{': '}', '[': ']' };

/** C++ as binutils and cpp_demangle write it: `a::b<int>::c(d) const` → `a::b<int>::c` or `a::b::c`. */
export function simplifyCxx(name: string, without: NameParts): string {
  let simple = '';
  for (let at = 0; at < name.length; ) {
    const character = name[at]!;
    const end = groupEnd(name, at);
    if (end === undefined) return name;
    if (character === 'o' && !IDENTIFIER.test(name[at - 1] ?? ' ')) {
      const word = OPERATOR.exec(name.slice(at, at + 12))?.[0] ?? 'o';
      simple += word;
      at += word.length;
    } else if (name.startsWith(ANONYMOUS, at)) {
      simple += ANONYMOUS;
      at += ANONYMOUS.length;
    } else if (character === '(') {
      at = end + (QUALIFIERS.exec(name.slice(end))?.[0].length ?? 0);
    } else if (character === '<' && without === 'parameters and templates') {
      at = end;
    } else {
      simple += name.slice(at, end);
      at = end;
    }
  }
  return simple === '' ? name : simple;
}

/** Rust: only generic arguments go, `a::b::<c>` → `a::b`; `<a::B<c> as d::E>::f` is a path and becomes `<a::B as d::E>::f`. */
export function simplifyRust(name: string, without: NameParts): string {
  if (without === 'parameters') return name;
  let simple = '';
  for (let at = 0; at < name.length; ) {
    const isGeneric = name[at] === '<' && (IDENTIFIER.test(name[at - 1] ?? ' ') || name.startsWith('::', at - 2));
    if (!isGeneric) {
      simple += name[at++];
      continue;
    }
    const end = groupEnd(name, at);
    if (end === undefined) return name;
    if (simple.endsWith('::')) simple = simple.slice(0, -2);
    at = end;
  }
  return simple;
}

/** Where what begins at a place ends: a bracket's group, or the one character; undefined for a group without end. */
function groupEnd(name: string, start: number): number | undefined {
  const open = CLOSING[name[start]!];
  if (open === undefined) return start + 1;
  const expected = [open];
  for (let at = start + 1; at < name.length; at++) {
    const character = name[at]!;
    if (character === expected.at(-1)) {
      const isArrow = character === '>' && (name[at - 1] === '-' || name[at - 1] === '=');
      if (isArrow) continue;
      expected.pop();
      if (expected.length === 0) return at + 1;
    } else if (character === '<' && expected.at(-1) === ')' && !IDENTIFIER.test(name[at - 1]!)) {
      // Less-than of an expression: "(a < b)". Template arguments follow their name.
    } else if (CLOSING[character] !== undefined) {
      const operator = character === '<' || character === '(' || character === '[' ? operatorEnding(name, at) : 0;
      if (operator > 0) at += operator - 1;
      else expected.push(CLOSING[character]!);
    }
  }
  return undefined;
}

/** Characters of an operator's symbol at a place that `operator` stands before; 0 for none. */
function operatorEnding(name: string, at: number): number {
  const start = at - 'operator'.length;
  if (start < 0 || !name.startsWith('operator', start)) return 0;
  return (OPERATOR.exec(name.slice(start, start + 12))?.[0].length ?? 'operator'.length) - 'operator'.length;
}
