/** Texts as bytes that end with a NUL: 16 of them are read at once, so as many are there behind each. */

export const EMPTY: usize = memory.data(32);

const LITERAL_BYTES = 1 << 10;
const literals: usize = memory.data(LITERAL_BYTES, 16);
let literalsEnd: usize = literals;

/** @param text of ASCII */
export function literal(text: string): usize {
  const start = literalsEnd;
  const from = changetype<usize>(text);
  for (let at = 0; at < text.length; at++) store<u8>(literalsEnd++, load<u8>(from + (at << 1)));
  store<u8>(literalsEnd++, 0);
  return start;
}
