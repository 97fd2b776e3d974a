/** What has to be fetched before the symbols of a binary are complete. */
import { FormatError } from '../formats/errors.js';
import type { Binary } from './binary.js';
import type { Debuginfod, Fetched } from './debuginfod.js';

const BUILD_ID = /^[0-9a-f]{4,}$/i;
const NOTHING: Fetched = { found: false };

/** The executable of a mapping. @param buildId as the profile has it: Go's own ids are of no use here */
export async function fetchExecutable(buildId: string, servers: Debuginfod): Promise<Fetched> {
  return BUILD_ID.test(buildId) ? servers.fetch(buildId, 'executable') : NOTHING;
}

/** The debug file of a binary that is without debug information here, and without Go's tables. When found, it is seen by opening the binary anew. */
export async function fetchDebugFile(binary: Binary, servers: Debuginfod): Promise<Fetched> {
  if (binary.gnuBuildId === undefined || isDescribed(binary)) return NOTHING;
  return servers.fetch(binary.gnuBuildId, 'debuginfo');
}

/** What is spoilt is said when it is read for its symbols. */
function isDescribed(binary: Binary): boolean {
  try {
    return (
      binary.go !== undefined ||
      binary.debug.section('.debug_info') !== undefined ||
      binary.debug.section('.debug_line') !== undefined
    );
  } catch (error) {
    if (error instanceof FormatError) return true;
    throw error;
  }
}
