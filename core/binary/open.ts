/** Opening an executable or library by its path. */

import { isElf } from '../formats/elf/header.js';
import { FormatError } from '../formats/errors.js';
import { isJitdump } from '../formats/jitdump/jitdump.js';
import { Budget } from '../formats/limits.js';
import { isMachO } from '../formats/macho/header.js';
import { isPe } from '../formats/pe/file.js';
import type { Binary } from './binary.js';
import { type DebugSearch, defaultDebugSearch } from './debug-files.js';
import { ElfBinary } from './elf-binary.js';
import { FileSource } from './file-source.js';
import { JitdumpBinary } from './jitdump-binary.js';
import { openMachBinary } from './macho-binary.js';
import { PeBinary } from './pe-binary.js';

/**
 * Only headers are read (of a jitdump all but the code); tables follow on first use.
 * @param search where debug files are that are not beside the binary
 * @throws FormatError for a file that is no object file or a spoilt one; Error with `code` ENOENT, EACCES, E_NOT_REGULAR …
 */
export function openBinary(
  path: string,
  budget: Budget = new Budget(),
  search: DebugSearch = defaultDebugSearch,
): Binary {
  const source = new FileSource(path, budget);
  const head = source.read(0, Math.min(8, source.size), 'file');
  try {
    if (isElf(head)) return new ElfBinary(source, budget, search);
    if (isMachO(head)) return openMachBinary(source, budget);
    if (isPe(head)) return new PeBinary(source, budget);
    if (isJitdump(head)) return new JitdumpBinary(source, budget);
    if (head.length === 0) throw new FormatError('E_OBJECT_FORMAT', 'empty file');
    throw new FormatError('E_OBJECT_FORMAT', 'neither ELF, Mach-O, PE nor jitdump', {
      offset: 0,
      got: Array.from(head, (byte) => byte.toString(16).padStart(2, '0')).join(' '),
    });
  } catch (error) {
    source.release();
    throw error;
  }
}
