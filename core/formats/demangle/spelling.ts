/**
 * Spellings of the library's C++ demangler (the crate cpp_demangle, which leaves return types away) made those of binutils and LLVM, so
 * that names of different tools compare equal. Copies that the compiler made of a function (`.part.0`, `.cold`) go by its name, as in pprof.
 */

const SUFFIX: Readonly<Record<string, string>> = {
  int: '',
  'unsigned int': 'u',
  long: 'l',
  'unsigned long': 'ul',
  'long long': 'll',
  'unsigned long long': 'ull',
};
/** What every name holds that is spelt otherwise. */
const UNUSUAL = /\)-?\d|\[|, [>)]|<, /;
const LITERAL = /\(((?:unsigned )?(?:int|long long|long))\)(-?\d+)/g;

export function usualSpelling(name: string): string {
  if (!UNUSUAL.test(name)) return name;
  return name
    .replace(LITERAL, (_, type: string, digits: string) => digits + SUFFIX[type]!)
    .replace(/\(?(\[abi:\w+\])\)?/g, '$1')
    .replace(/(>?)(?:, )+>/g, (_, before: string) => (before === '' ? '>' : '> >'))
    .replace(/<(?:, )+/g, '<')
    .replace(/, (?=\))/g, '')
    .replace(/(?: \[clone [^\]]*\])+$/, '');
}
