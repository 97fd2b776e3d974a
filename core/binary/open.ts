/** Opening an executable or library by its path. */

import { isElf } from '../formats/elf/header.js';
import { FormatError } from '../formats/errors.js';
import { Budget } from '../formats/limits.js';
import type { Binary } from './binary.js';
import { type DebugSearch, defaultDebugSearch } from './debug-files.js';
import { ElfBinary } from './elf-binary.js';
import { FileSource } from './file-source.js';

/**
 * Only headers are read; tables follow on first use.
 * @param search where debug files are that are not beside the binary
 * @throws FormatError for a file that is no object file or a spoilt one; Error with `code` ENOENT, EACCES, E_NOT_REGULAR …
 */
export function openBinary(
  path: string,
  budget: Budget = new Budget(),
  search: DebugSearch = defaultDebugSearch,
): Binary {
  const source = new FileSource(path, budget);
  const head = source.read(0, Math.min(4, source.size), 'file');
  if (!isElf(head)) {
    source.release();
    throw new FormatError('E_OBJECT_FORMAT', 'not an ELF file', {
      offset: 0,
      got: Array.from(head, (byte) => byte.toString(16).padStart(2, '0')).join(' '),
    });
  }
  try {
    return new ElfBinary(source, budget, search);
  } catch (error) {
    source.release();
    throw error;
  }
}
