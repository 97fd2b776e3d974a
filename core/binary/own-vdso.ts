/**
 * [vdso], the kernel's code in every process, as this machine's kernel has it: no file has it, so it is read from this process's memory.
 * Source: man 7 vdso, man 5 proc (/proc/PID/maps, /proc/PID/mem).
 */
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { bytesSource } from '../formats/bytes-source.js';
import type { Budget } from '../formats/limits.js';
import type { DebugSearch } from './debug-files.js';
import { ElfBinary } from './elf-binary.js';

/** What maps and profiles call it; here it also stands for the path of this machine's own. */
export const VDSO = '[vdso]';
/** Names that its copies have: as the kernel installs them, and as ldd prints it. */
const FILE_NAME = /^(linux-)?vdso(32|64|x32)?(\.so)?(\.1)?$/;
const MAP_LINE = /^([0-9a-f]+)-([0-9a-f]+) .* \[vdso\]$/m;
/** Real ones have one to three pages. */
const MAX_BYTES = 1 << 20;

/** Whether a file's base name says that it is a copy. */
export function isVdsoName(baseName: string): boolean {
  return baseName === VDSO || FILE_NAME.test(baseName);
}

/**
 * @throws FormatError of `readElf`; Error with `code` ENOENT where there is none (other systems) or none with a build ID, EACCES, EIO where memory may not be read
 */
export function openOwnVdso(budget: Budget, search: DebugSearch): ElfBinary {
  const bytes = readOwn();
  const source = {
    ...bytesSource(bytes, VDSO),
    path: `${VDSO} of this machine`,
    heldBytes: bytes.length,
    // The bytes are all there is: nothing to read them from again.
    release: () => {},
  };
  const binary = new ElfBinary(source, budget, search);
  if (binary.gnuBuildId === undefined)
    throw Object.assign(new Error(`${source.path} has no build ID`), { code: 'ENOENT' });
  return binary;
}

function readOwn(): Uint8Array {
  const [, start, end] = MAP_LINE.exec(readFileSync('/proc/self/maps', 'latin1')) ?? [];
  const length = Number.parseInt(end ?? '', 16) - Number.parseInt(start ?? '', 16);
  if (!(length > 0 && length <= MAX_BYTES)) {
    throw Object.assign(new Error('this process has no [vdso]'), { code: 'ENOENT' });
  }
  const bytes = new Uint8Array(length);
  const memory = openSync('/proc/self/mem', 'r');
  try {
    return bytes.subarray(0, readSync(memory, bytes, 0, length, BigInt(`0x${start}`)));
  } finally {
    closeSync(memory);
  }
}
