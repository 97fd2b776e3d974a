/** The kernel of demangled names. One instance is for any number of names, one after the other. */
import { demangleItanium } from './itanium';
import { INPUT, OUTPUT } from './memory';
import { written } from './output';
import { demangleLegacy } from './rust-legacy';
import { demangleVersionZero } from './rust-v0';

export { input, output, prepare } from './memory';

/** @param bytes of the name, at `input` @param parts of parts.ts @returns how many bytes are at `output`: 0 for a name that cannot be read */
export function demangleCxx(bytes: u32, parts: u32): u32 {
  return demangleItanium(INPUT, INPUT + bytes, parts) ? u32(written - OUTPUT) : 0;
}

/** The same of a name of Rust's in the scheme v0. */
export function demangleRust(bytes: u32): u32 {
  return demangleVersionZero(INPUT, INPUT + bytes) ? u32(written - OUTPUT) : 0;
}

/** The same of one in the legacy scheme. */
export function demangleLegacyRust(bytes: u32): u32 {
  return demangleLegacy(INPUT, INPUT + bytes) ? u32(written - OUTPUT) : 0;
}
