/** What compilers put behind a name of Rust: `.cold`, `.warm` tell a part of a function from the rest of it and stay, `.llvm.1234` says nothing. */
import { end, fail, peek, place, skip } from './cursor';
import { DOLLAR, DOT } from './letters';
import { writeCharacter } from './output';

const NUMBERED = '.llvm.';

/** Reads and writes the rest of a name. Fails for what is no such suffix. */
export function writeSuffix(): void {
  if (place === end) return;
  if (peek() !== DOT && peek() !== DOLLAR) fail();
  while (place < end) {
    if (isNumbered(place)) skip(NUMBERED.length);
    else {
      writeCharacter(peek());
      skip(1);
      continue;
    }
    while (place < end && peek() !== DOT) skip(1);
  }
}

function isNumbered(from: usize): bool {
  if (end - from < usize(NUMBERED.length)) return false;
  for (let at = 0; at < NUMBERED.length; at++) {
    if (load<u8>(from + at) !== u8(NUMBERED.charCodeAt(at))) return false;
  }
  return true;
}
