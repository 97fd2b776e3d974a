/** Shorter forms of Rust's demangled names, as google/pprof shows them. Works on text. What cannot be told apart for sure is left whole. */

const IDENTIFIER = /[\w$]/;
const CLOSING: Readonly<Record<string, string>> = { '(': ')', '<': '>', '{': '}', '[': ']' };

/** Without generic arguments: `a::b::<c>` → `a::b`; `<a::B<c> as d::E>::f` is a path and becomes `<a::B as d::E>::f`. */
export function withoutGenerics(name: string): string {
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

/** Where the group ends whose bracket is at a place; undefined for one without end. */
function groupEnd(name: string, start: number): number | undefined {
  const expected = [CLOSING[name[start]!]!];
  for (let at = start + 1; at < name.length; at++) {
    const character = name[at]!;
    if (character === expected.at(-1)) {
      const isArrow = character === '>' && name[at - 1] === '-';
      if (isArrow) continue;
      expected.pop();
      if (expected.length === 0) return at + 1;
    } else if (CLOSING[character] !== undefined) {
      expected.push(CLOSING[character]!);
    }
  }
  return undefined;
}
