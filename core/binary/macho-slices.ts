/** The files in a Mach-O file: one, or in a universal one, one for each processor. */
import { FormatError } from '../formats/errors.js';
import { type FatSlice, readFatSlices, readMachHeader } from '../formats/macho/header.js';
import type { ByteSource } from '../formats/source.js';

export type MachSlice = Pick<FatSlice, 'fileOffset' | 'source'>;

/**
 * Those that can be read: old universal files also have slices of 32 bits.
 * @param first CPU whose slice comes first, if there is one
 * @throws FormatError E_MACHO_FAT, E_TRUNCATED, and of `readMachHeader` where no slice can be read
 */
export function slicesOf(source: ByteSource, first?: number): readonly [MachSlice, ...MachSlice[]] {
  const slices = readFatSlices(source);
  if (slices === undefined) return [{ fileOffset: 0, source }];
  const faults: FormatError[] = [];
  const isReadable = (slice: FatSlice): boolean => {
    try {
      readMachHeader(slice.source);
      return true;
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      faults.push(error);
      return false;
    }
  };
  const [best, ...others] = slices.filter(isReadable).sort((a, b) => Number(b.cpu === first) - Number(a.cpu === first));
  if (best !== undefined) return [best, ...others];
  throw faults[0] ?? new FormatError('E_MACHO_FAT', 'universal file without a slice', { section: 'universal header' });
}
