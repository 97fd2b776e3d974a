/** Source: Itanium C++ ABI, "Mangling", builtin-type. */
import { a, b, c, d, e, f, g, h, i, j, l, m, n, o, s, t, u, v, w, x, y, z } from './letters';

/** @param letter the type's @returns '' for no type */
export function builtinType(letter: u32): string {
  switch (letter) {
    case v:
      return 'void';
    case w:
      return 'wchar_t';
    case b:
      return 'bool';
    case c:
      return 'char';
    case a:
      return 'signed char';
    case h:
      return 'unsigned char';
    case s:
      return 'short';
    case t:
      return 'unsigned short';
    case i:
      return 'int';
    case j:
      return 'unsigned int';
    case l:
      return 'long';
    case m:
      return 'unsigned long';
    case x:
      return 'long long';
    case y:
      return 'unsigned long long';
    case n:
      return '__int128';
    case o:
      return 'unsigned __int128';
    case f:
      return 'float';
    case d:
      return 'double';
    case e:
      return 'long double';
    case g:
      return '__float128';
    case z:
      return '...';
    default:
      return '';
  }
}

/** @param letter behind D @returns '' for no type */
export function extendedType(letter: u32): string {
  switch (letter) {
    case d:
      return 'decimal64';
    case e:
      return 'decimal128';
    case f:
      return 'decimal32';
    case h:
      return 'half';
    case i:
      return 'char32_t';
    case s:
      return 'char16_t';
    case u:
      return 'char8_t';
    case a:
      return 'auto';
    case c:
      return 'decltype(auto)';
    case n:
      return 'decltype(nullptr)';
    default:
      return '';
  }
}
