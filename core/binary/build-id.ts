/** Whether a file is the one that a profile's mapping names. */
import type { Binary } from './binary.js';

/**
 * Compares what a mapping says with the file's GNU and Go build IDs. 'unknown' when one of the two has none.
 * @param mappingId text from a profile: any bytes; upper or lower case hex, a UUID with its dashes too, or Go's own ID (which has slashes)
 */
export function compareBuildId(
  binary: Pick<Binary, 'gnuBuildId' | 'goBuildId'>,
  mappingId: string,
): 'same' | 'differs' | 'unknown' {
  if (mappingId === '') return 'unknown';
  const ofFile = mappingId.includes('/') ? binary.goBuildId : binary.gnuBuildId;
  if (ofFile === undefined) return 'unknown';
  return ofFile === mappingId || ofFile === mappingId.toLowerCase().replaceAll('-', '') ? 'same' : 'differs';
}
