/** `pipe list`: the plugins and the shipped pipelines. */
import { ExitCode } from '../exit-codes.js';
import type { Verb } from '../verb.js';

export const list: Verb = {
  words: ['list'],
  summary: 'list plugins and shipped pipelines',
  positionals: [],
  options: { json: { kind: 'flag', describe: 'one JSON object: {version, plugins, pipelines}' } },
  examples: [['pipe list', 'everything that a pipeline may name']],
  async run(call) {
    const { loadPlugins } = await import('../plugins.js');
    const { shippedPipelines } = await import('../pipelines.js');
    const { catalogue } = await loadPlugins();
    const plugins = catalogue
      .list()
      .map(({ kind, name, version, summary, origin }) => ({ kind, name, version, summary, origin }));
    if (call.flag('json')) {
      call.out.json({ version: 1, plugins, pipelines: shippedPipelines() });
      return ExitCode.ok;
    }
    const { tableLines } = await import('../table.js');
    const rows = plugins.map(({ kind, name, version, summary }) => [kind, name, version, summary]);
    for (const line of tableLines(
      [{ name: 'kind' }, { name: 'name' }, { name: 'version' }, { name: 'what it does' }],
      rows,
    )) {
      call.out.line(line);
    }
    call.out.line('', `shipped pipelines: ${shippedPipelines().join(', ')}`);
    return ExitCode.ok;
  },
};
