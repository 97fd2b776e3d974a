/**
 * Whether a function looks at the room that is left on the stack before it takes its frame. Those that do were let through, so their
 * stack was large enough; nosplit functions and assembly say nothing of it.
 *
 *     amd64  cmp rsp, [r14+16]                          arm64  ldr x16, [x28, #16]
 *            lea r12, [rsp-frame+128]; cmp r12, [r14+16]        cmp sp, x16
 *
 * Source: Go src/cmd/internal/obj/x86/obj6.go and arm64/obj7.go, stacksplit; g.stackguard0 is at offset 16 of g.
 */
import type { Architecture } from '../../../core/index.js';

/** The check stands within these bytes of the entry, also with a frame of more than 2 GiB and g read from thread-local storage. */
export const PROLOGUE_BYTES = 48;

/** @param code the function's first bytes: `PROLOGUE_BYTES`, or all of it where it is shorter */
export function checksStack(architecture: Architecture, code: Uint8Array): boolean {
  if (architecture === 'amd64') return checksOnAmd64(code);
  return architecture === 'arm64' && checksOnArm64(code);
}

function checksOnAmd64(code: Uint8Array): boolean {
  let readsThreadLocal = false;
  for (let at = 0; at + 4 <= code.length; at++) {
    readsThreadLocal ||= code[at] === 0x64 && code[at + 1] === 0x48 && code[at + 2] === 0x8b;
    if (code[at + 1] !== 0x3b || code[at + 3] !== 0x10) continue;
    const [rex, modrm] = [code[at], code[at + 2]];
    // g in r14, the stack pointer or r12 = rsp − frame against it: since 1.17.
    if ((rex === 0x49 || rex === 0x4d) && modrm === 0x66) return true;
    // g in rcx, from thread-local storage; rax = rsp − frame.
    if (rex === 0x48 && (modrm === 0x61 || (modrm === 0x41 && readsThreadLocal))) return true;
  }
  return false;
}

const LDR_X16_G16 = 0xf9400b90;
/** Before 1.17. */
const LDR_X1_G16 = 0xf9400b81;

function checksOnArm64(code: Uint8Array): boolean {
  if (code.length < 4) return false;
  const first = (code[0]! | (code[1]! << 8) | (code[2]! << 16) | (code[3]! << 24)) >>> 0;
  return first === LDR_X16_G16 || first === LDR_X1_G16;
}
