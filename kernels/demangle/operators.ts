/** Source: Itanium C++ ABI, "Operator Encodings". */
import { pair } from './cursor';
import { a, c, d, e, g, I, i, L, l, M, m, N, n, O, o, p, q, R, r, S, s, t, u, V, v, w, x } from './letters';

/** Of one operand, in front of it. @returns '' for none */
export function prefixOperator(code: u32): string {
  switch (code) {
    case pair(p, s):
      return '+';
    case pair(n, g):
      return '-';
    case pair(a, d):
      return '&';
    case pair(d, e):
      return '*';
    case pair(c, o):
      return '~';
    case pair(n, t):
      return '!';
    default:
      return '';
  }
}

export function crementOperator(code: u32): string {
  if (code === pair(p, p)) return '++';
  return code === pair(m, m) ? '--' : '';
}

/** Of two operands, between them. @returns '' for none */
export function binaryOperator(code: u32): string {
  switch (code) {
    case pair(p, l):
      return '+';
    case pair(m, i):
      return '-';
    case pair(m, l):
      return '*';
    case pair(d, v):
      return '/';
    case pair(r, m):
      return '%';
    case pair(a, n):
      return '&';
    case pair(o, r):
      return '|';
    case pair(e, o):
      return '^';
    case pair(a, S):
      return '=';
    case pair(p, L):
      return '+=';
    case pair(m, I):
      return '-=';
    case pair(m, L):
      return '*=';
    case pair(d, V):
      return '/=';
    case pair(r, M):
      return '%=';
    case pair(a, N):
      return '&=';
    case pair(o, R):
      return '|=';
    case pair(e, O):
      return '^=';
    case pair(l, s):
      return '<<';
    case pair(r, s):
      return '>>';
    case pair(l, S):
      return '<<=';
    case pair(r, S):
      return '>>=';
    case pair(e, q):
      return '==';
    case pair(n, e):
      return '!=';
    case pair(l, t):
      return '<';
    case pair(g, t):
      return '>';
    case pair(l, e):
      return '<=';
    case pair(g, e):
      return '>=';
    case pair(s, s):
      return '<=>';
    case pair(a, a):
      return '&&';
    case pair(o, o):
      return '||';
    case pair(c, m):
      return ',';
    case pair(p, m):
      return '->*';
    case pair(p, t):
      return '->';
    case pair(d, t):
      return '.';
    case pair(d, s):
      return '.*';
    default:
      return '';
  }
}

/** Behind the word `operator` of a function's name. @returns '' for none */
export function operatorName(code: u32): string {
  switch (code) {
    case pair(n, w):
      return ' new';
    case pair(n, a):
      return ' new[]';
    case pair(d, l):
      return ' delete';
    case pair(d, a):
      return ' delete[]';
    case pair(a, w):
      return ' co_await';
    case pair(c, l):
      return '()';
    case pair(i, x):
      return '[]';
    case pair(q, u):
      return '?';
    case pair(d, t):
    case pair(d, s):
      return '';
  }
  const binary = binaryOperator(code);
  if (binary.length > 0) return binary;
  const prefix = prefixOperator(code);
  return prefix.length > 0 ? prefix : crementOperator(code);
}
