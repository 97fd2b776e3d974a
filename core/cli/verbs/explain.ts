/** `pipe explain`: what a plugin does: its options from its schema, an example, and its README. */
import type { CatalogueEntry } from '../../config/catalogue.js';
import { suggestion } from '../../config/nearest.js';
import { ExitCode } from '../exit-codes.js';
import type { Output } from '../output.js';
import { CallProblem, type Verb } from '../verb.js';

export const explain: Verb = {
  words: ['explain'],
  summary: 'describe a plugin: its options, an example, its README',
  positionals: [{ name: 'plugin', describe: 'name of a plugin, see pipe list' }],
  options: {
    json: { kind: 'flag', describe: 'a JSON list: one object a plugin of that name, with its schema and README' },
  },
  examples: [['pipe explain mark', 'what the stage mark does, needs and takes']],
  async complete() {
    const { catalogue } = await (await import('../plugins.js')).loadPlugins();
    return [...new Set(catalogue.list().map(({ name }) => name))];
  },
  async run(call) {
    const { loadFolderPlugins } = await import('../folder-plugins.js');
    const { readmeOf } = await import('../plugin-readme.js');
    const { catalogue } = await loadFolderPlugins(call.currentFolder, call.err);
    const name = call.argument('plugin');
    const found = catalogue.list().filter((entry) => entry.name === name);
    if (found.length === 0) {
      const names = new Set(catalogue.list().map((entry) => entry.name));
      throw new CallProblem('unknown-plugin', `no plugin "${name}"${suggestion(name, names)}`, ExitCode.usage);
    }
    const explained = found.map((entry) => ({ entry, readme: readmeOf(entry) }));
    if (call.flag('json')) {
      call.out.json(explained.map(({ entry, readme }) => ({ ...entry, ...(readme && { readme: readme.join('\n') }) })));
      return ExitCode.ok;
    }
    for (const { entry, readme } of explained) {
      await describe(entry, call.out);
      if (readme === undefined) continue;
      call.out.line({ text: 'README', style: 'bold' });
      for (const line of readme) call.out.line(line);
      call.out.line('');
    }
    return ExitCode.ok;
  },
};

async function describe(entry: CatalogueEntry, out: Output): Promise<void> {
  const { tableLines } = await import('../table.js');
  out.line({ text: entry.name, style: 'bold' }, ` (${entry.kind} ${entry.version}, ${entry.origin})`);
  out.line(entry.summary);
  if (entry.needs?.length) out.line(`needs: ${entry.needs.join(', ')}`);
  if (entry.provides?.length) out.line(`provides: ${entry.provides.join(', ')}`);
  if (entry.kind === 'codec') {
    const ways = [entry.decodes ? 'reads' : '', entry.encodes ? 'writes' : ''].filter((way) => way !== '');
    out.line(`${ways.join(' and ')}; endings: ${entry.extensions?.join(' ') ?? 'none'}`);
  }
  const rows = optionRows(entry.schema, '');
  out.line(rows.length === 0 ? 'no options' : 'options:');
  for (const line of tableLines(Array(4).fill({ name: '' }), rows)) out.line(line);
  out.line('in a pipeline:');
  for (const line of example(entry)) out.line(`  ${line}`);
  out.line('');
}

interface OptionSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly items?: OptionSchema;
  readonly properties?: Readonly<Record<string, OptionSchema>>;
  readonly required?: readonly string[];
}

/** Name, type, default and description of every option; nested ones as `names.boundcheck`. */
function optionRows(schema: OptionSchema, prefix: string): string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, option]) => {
    const byDefault = option.default === undefined ? '' : `default: ${JSON.stringify(option.default)}`;
    const need = schema.required?.includes(name) === true ? 'required' : byDefault;
    const row = [`  ${prefix}${name}`, typeText(option), need, option.description ?? ''];
    return [row, ...optionRows(option, `${prefix}${name}.`)];
  });
}

function typeText({ type, enum: choices, items }: OptionSchema): string {
  if (choices !== undefined) return choices.join('|');
  if (items !== undefined) return `list of ${typeText(items)}`;
  return type === undefined ? 'any' : [type].flat().join(' or ');
}

function example({ kind, name, schema }: CatalogueEntry): string[] {
  const { required = [] } = schema as OptionSchema;
  const options = required.length === 0 ? '{}' : `{ ${required.map((option) => `${option}: …`).join(', ')} }`;
  switch (kind) {
    case 'source':
      return ['input:', `  ${name}: ${options}`];
    case 'sink':
      return ['output:', `  - ${name}: ${options}`];
    case 'codec':
      return ['output:', `  - file: { path: …, codec: ${name} }`];
    default:
      return ['stages:', `  - ${name}: ${options}`];
  }
}
