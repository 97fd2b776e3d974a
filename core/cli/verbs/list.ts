/** `pipe list`: the plugins and the shipped pipelines. */
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ExitCode } from '../exit-codes.js';
import type { Verb } from '../verb.js';

export const list: Verb = {
  words: ['list'],
  summary: 'list the plugins, those of this folder too, and the shipped pipelines',
  positionals: [],
  options: { json: { kind: 'flag', describe: 'one JSON object: {version, plugins, pipelines}' } },
  examples: [['pipe list', 'everything that a pipeline may name']],
  async run(call) {
    const { loadFolderPlugins } = await import('../folder-plugins.js');
    const { shippedPipelines } = await import('../pipelines.js');
    const { catalogue } = await loadFolderPlugins(call.currentFolder, call.err);
    const plugins = catalogue
      .list()
      .map(({ kind, name, version, summary, origin }) => ({ kind, name, version, summary, origin }));
    if (call.flag('json')) {
      call.out.json({ version: 1, plugins, pipelines: shippedPipelines() });
      return ExitCode.ok;
    }
    const { tableLines } = await import('../table.js');
    const rows = plugins.map(({ kind, name, version, origin, summary }) => [
      kind,
      name,
      version,
      originText(origin, call.currentFolder),
      summary,
    ]);
    const columns = ['kind', 'name', 'version', 'from', 'what it does'].map((column) => ({ name: column }));
    for (const line of tableLines(columns, rows)) call.out.line(line);
    call.out.line('', `shipped pipelines: ${shippedPipelines().join(', ')}`);
    return ExitCode.ok;
  },
};

/** "built-in", or the module's path, relative where it lies below the current folder. */
function originText(origin: string, currentFolder: string): string {
  if (origin === 'built-in') return origin;
  const path = fileURLToPath(origin);
  return path.startsWith(`${currentFolder}/`) ? relative(currentFolder, path) : path;
}
