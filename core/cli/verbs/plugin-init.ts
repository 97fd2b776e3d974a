/** `pipe plugin init`: a package for a plugin, with tests that pass. */
import { join } from 'node:path';
import type { PluginKind } from '../../config/catalogue.js';
import { ExitCode } from '../exit-codes.js';
import { CallProblem, type Verb } from '../verb.js';

const kinds = ['source', 'codec', 'stage', 'aggregate', 'sink'] as const satisfies readonly PluginKind[];

export const pluginInit: Verb = {
  words: ['plugin', 'init'],
  summary: 'make a package for a plugin: it builds and passes its tests as it is',
  positionals: [{ name: 'name', describe: 'of the plugin, one lower-case word; @SCOPE/NAME for a package in a scope' }],
  options: {
    kind: { kind: 'text', describe: 'what it is', choices: kinds },
    js: { kind: 'flag', describe: 'in JavaScript; TypeScript by default' },
  },
  examples: [
    ['pipe plugin init tenants --kind stage', 'the package profpipe-plugin-tenants in a folder of that name'],
    ['pipe plugin init @acme/tenants --kind stage --js', '@acme/profpipe-plugin-tenants, without a build'],
  ],
  async run(call) {
    const { pluginPackage } = await import('../scaffold/plugin-package.js');
    const { refuseUsedFolder, writeNew } = await import('../scaffold/write-new.js');
    const { loadPlugins } = await import('../plugins.js');
    const kind = kinds.find((one) => one === call.text('kind'));
    if (kind === undefined) throw usageProblem(`--kind is missing; one of ${kinds.join(', ')}`);
    const { scope, name } = parseName(call.argument('name'));
    const { catalogue } = await loadPlugins();
    const rivals = kind === 'stage' || kind === 'aggregate' ? (['stage', 'aggregate'] as const) : ([kind] as const);
    for (const rival of rivals) {
      if (catalogue.find(rival, name) !== undefined) throw usageProblem(`a built-in ${rival} is called "${name}"`);
    }
    const folder = join(call.currentFolder, `profpipe-plugin-${name}`);
    refuseUsedFolder(folder);
    const packageName = `${scope}profpipe-plugin-${name}`;
    const language = call.flag('js') ? 'javascript' : 'typescript';
    const files = pluginPackage({ name, packageName, kind, language }, folder);
    writeNew(folder, files);
    for (const path of files.keys()) call.out.line(join(`profpipe-plugin-${name}`, path));
    call.err.line('', { text: 'next: ', style: 'bold' }, `cd profpipe-plugin-${name} && npm install && npm test`);
    return ExitCode.ok;
  },
};

function parseName(given: string): { readonly scope: string; readonly name: string } {
  const [, scope = '', name] = /^(@[a-z0-9][a-z0-9._-]*\/)?(?:profpipe-plugin-)?([a-z][a-z0-9-]*)$/.exec(given) ?? [];
  if (name === undefined)
    throw usageProblem(`"${given}" is no name of a plugin: one lower-case word, such as "tenants"`);
  return { scope, name };
}

const usageProblem = (message: string) => new CallProblem('usage', message, ExitCode.usage);
