/** `--help`, laid out by yargs from the verbs' own descriptions. */
import yargs, { type Argv, type Options } from 'yargs';
import { globalOptions, positionalText, usageLine } from './parse-call.js';
import type { OptionSpec, PositionalSpec, Verb } from './verb.js';

const groupSummaries: Readonly<Record<string, string>> = {
  profile: 'tools on one profile',
  binary: 'tools on one executable or library',
  plugin: 'plugins of your own',
};

/** Help of a verb, of a group such as ["profile"], or of all with []. */
export function helpText(words: readonly string[], verbs: readonly Verb[]): Promise<string> {
  return buildParser(words, verbs).getHelp();
}

function buildParser(words: readonly string[], verbs: readonly Verb[]): Argv {
  const parser = yargs([...words])
    .scriptName('pipe')
    .usage('pipe <command>\n\nReads performance profiles, runs them through a pipeline of plugins, writes the result.')
    .parserConfiguration({ 'boolean-negation': false, 'camel-case-expansion': false })
    .exitProcess(false)
    // It is not called to check arguments: those of `pipe run --help` are not all there.
    .fail(() => {})
    .version(false)
    .help(false)
    .wrap(Math.min(120, process.stdout.columns ?? 100))
    .options(yargsOptions(globalOptions));
  for (const verb of verbs.filter(({ words: [, second] }) => second === undefined)) addVerb(parser, verb);
  for (const [group, summary] of Object.entries(groupSummaries)) {
    parser.command(group, summary, (inner) => {
      inner.usage(`pipe ${group} <command>\n\n${summary}`);
      for (const verb of verbs.filter(({ words: [first, second] }) => first === group && second !== undefined))
        addVerb(inner, verb);
      return inner;
    });
  }
  return parser.example('pipe run enrich.yml', 'run a pipeline; the shipped one when there is no such file here');
}

function addVerb(parser: Argv, verb: Verb): void {
  parser.command([verb.words.at(-1)!, ...verb.positionals.map(commandText)].join(' '), verb.summary, (inner) => {
    inner.usage(`${usageLine(verb)}\n\n${verb.summary}`).options(yargsOptions(verb.options));
    for (const { name, describe, choices } of verb.positionals) {
      inner.positional(name, { type: 'string', describe: withChoices(describe, choices) });
    }
    for (const [call, what] of verb.examples) inner.example(call, what);
    return inner;
  });
}

const commandText = (positional: PositionalSpec) => positionalText(positional).replace('...', '..');

function yargsOptions(specs: Readonly<Record<string, OptionSpec>>): Record<string, Options> {
  const types = { flag: 'boolean', text: 'string', texts: 'array', count: 'number' } as const;
  const described = Object.entries(specs).map(([name, { kind, describe, choices }]) => {
    return [name, { type: types[kind], describe: withChoices(describe, choices) }] as const;
  });
  return Object.fromEntries(described);
}

const withChoices = (text: string, choices?: readonly string[]) =>
  choices === undefined ? text : `${text}: ${choices.join(', ')}`;
