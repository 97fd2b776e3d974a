/** Source: RFC 3629. */
import { writeCharacter } from './output';

/** @returns whether it is one */
export function writeCodePoint(value: u32): bool {
  if (value > 0x10ffff || (value >= 0xd800 && value < 0xe000)) return false;
  if (value < 0x80) {
    writeCharacter(value);
    return true;
  }
  if (value < 0x800) writeCharacter(0xc0 | (value >> 6));
  else {
    if (value < 0x10000) writeCharacter(0xe0 | (value >> 12));
    else {
      writeCharacter(0xf0 | (value >> 18));
      writeCharacter(0x80 | ((value >> 12) & 0x3f));
    }
    writeCharacter(0x80 | ((value >> 6) & 0x3f));
  }
  writeCharacter(0x80 | (value & 0x3f));
  return true;
}
