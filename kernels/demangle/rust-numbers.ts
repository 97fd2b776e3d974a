/** Source: rustc book, "v0 Symbol Format", base-62-number, disambiguator. */
import { fail, hasFailed, isDigit, peek, skip, take } from './cursor';
import { A, a, s, UNDERSCORE, Z, ZERO, z } from './letters';

/** `_` is 0, `0_` is 1; digits, small letters, then large ones. More than 64 bits wrap around: only hashes have so many. */
export function readBase62(): u64 {
  if (take(UNDERSCORE)) return 0;
  let value: u64 = 0;
  do {
    const character = peek();
    let digit: u32 = 0;
    if (isDigit(character)) digit = character - ZERO;
    else if (character >= a && character <= z) digit = character - a + 10;
    else if (character >= A && character <= Z) digit = character - A + 36;
    else fail();
    value = value * 62 + digit;
    skip(1);
  } while (!take(UNDERSCORE) && !hasFailed);
  return value + 1;
}

/** @returns 0 where there is none */
export function readDisambiguator(): u64 {
  return take(s) ? readBase62() + 1 : 0;
}
