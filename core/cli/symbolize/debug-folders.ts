/** Where debug files are, for `pipe binary symbolize`. */
import { defaultDebugSearch } from '../../binary/debug-files.js';
import type { Debuginfod } from '../../binary/debuginfod.js';
import { openBinary } from '../../binary/open.js';
import { searchBy } from '../../binary/search.js';
import type { Call } from '../verb.js';

/**
 * The folders of the environment (see `searchBy`), after what is missing for some binaries has been fetched, where it names servers. That
 * one of them cannot be asked is said on stderr.
 */
export async function debugFolders(call: Call, binaries: Iterable<string>): Promise<readonly string[]> {
  const { folders, debuginfod } = searchBy({}, call.environment);
  const local = [...defaultDebugSearch.folders, ...folders];
  if (debuginfod === undefined) return local;
  const { Debuginfod } = await import('../../binary/debuginfod.js');
  const servers = new Debuginfod(debuginfod);
  const problems = new Set<string>();
  for (const path of binaries) {
    const { problem } = await missingOf(path, [...local, servers.folder], servers);
    if (problem !== undefined) problems.add(problem);
  }
  for (const problem of problems) call.err.line(`warning: ${problem}`);
  call.err.flush();
  return [...local, servers.folder];
}

/** What cannot be opened is said when its symbols are asked for. */
async function missingOf(path: string, folders: readonly string[], servers: Debuginfod): Promise<{ problem?: string }> {
  try {
    const binary = openBinary(path, undefined, { folders });
    try {
      const { fetchDebugFile } = await import('../../binary/fetch-missing.js');
      return await fetchDebugFile(binary, servers);
    } finally {
      binary.release();
    }
  } catch {
    return {};
  }
}
