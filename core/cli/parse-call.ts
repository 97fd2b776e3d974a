/** Command line -> verb and its arguments, by yargs; unknown names get the nearest valid one, which yargs knows for verbs only. */
import yargs, { type Argv, type Options, type PositionalOptions } from 'yargs';
import { suggestion } from '../config/nearest.js';
import { ExitCode } from './exit-codes.js';
import { CallProblem, type OptionSpec, type Verb } from './verb.js';

export interface ParsedCall {
  /** Undefined for `pipe --help` and `pipe profile --help`. */
  readonly verb: Verb | undefined;
  readonly isHelp: boolean;
  readonly color: string;
  readonly values: ReadonlyMap<string, unknown>;
}

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);

/** Options of every verb. */
const globalOptions: Readonly<Record<string, OptionSpec>> = {
  color: { kind: 'text', describe: 'colours', choices: ['auto', 'always', 'never'] },
  help: { kind: 'flag', describe: 'show this help' },
};

const groupSummaries: Readonly<Record<string, string>> = {
  profile: 'tools on one profile',
  binary: 'tools on one executable or library',
};

const usageProblem = (message: string, code = 'usage') => new CallProblem(code, message, ExitCode.usage);

/** @throws CallProblem, exit code 2 */
export function parseCall(args: readonly string[], verbs: readonly Verb[]): ParsedCall {
  let verb: Verb | undefined;
  const parser = buildParser(args, verbs, (chosen) => {
    verb = chosen;
  });
  const argv = parser.parseSync();
  const words = (argv._ as unknown[]).map(String);
  const known = { ...globalOptions, ...verb?.options };
  const values = new Map(Object.entries(argv).filter(([name]) => name !== '_' && name !== '$0'));
  refuseUnknownOptions(values, known, verb);
  const isHelp = values.get('help') === true;
  if (verb === undefined) {
    const isOfGroup =
      words.length === 1 && verbs.some((known) => known.words.length === 2 && known.words[0] === words[0]);
    const isHelpOf = isHelp && (words.length === 0 || isOfGroup);
    if (!isHelpOf && values.get('version') !== true) refuseWords(words, verbs);
  } else {
    const extra = words.slice(verb.words.length);
    if (extra.length > 0)
      throw usageProblem(`unexpected argument "${extra[0]}"; see pipe ${verb.words.join(' ')} --help`);
    if (!isHelp) checkValues(values, verb);
    checkChoices(values, known);
  }
  return { verb, isHelp, color: String(values.get('color') ?? 'auto'), values };
}

/** Text of `--help` for the verb or group that stands in `args`. */
export async function helpText(args: readonly string[], verbs: readonly Verb[]): Promise<string> {
  const before = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
  const words = before.filter((arg) => !arg.startsWith('-'));
  return buildParser(words, verbs, () => {}).getHelp();
}

/** What may stand next, for the shell. @param words after "pipe", the last one unfinished */
export function completions(words: readonly string[], verbs: readonly Verb[]): Promise<readonly string[]> {
  const parser = buildParser(words, verbs, () => {});
  return new Promise((resolve, reject) => {
    parser.getCompletion([...words], (error, found) => (error === null ? resolve(found ?? []) : reject(error)));
  });
}

function buildParser(args: readonly string[], verbs: readonly Verb[], choose: (verb: Verb) => void): Argv {
  const parser = yargs([...args])
    .scriptName('pipe')
    .usage('pipe <command>\n\nReads performance profiles, runs them through a pipeline of plugins, writes the result.')
    .parserConfiguration({
      'boolean-negation': false,
      'camel-case-expansion': false,
      'dot-notation': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
      'duplicate-arguments-array': true,
    })
    .exitProcess(false)
    .version(false)
    .help(false)
    .showHelpOnFail(false)
    .wrap(Math.min(120, process.stdout.columns ?? 100))
    .options(yargsOptions(globalOptions))
    .option('version', { type: 'boolean', describe: 'show the version' })
    .fail((message, error) => {
      throw usageProblem(lowerFirst(message ?? error.message));
    });
  for (const verb of verbs.filter(({ words }) => words.length === 1)) addVerb(parser, verb, choose);
  for (const group of new Set(verbs.filter(({ words }) => words.length === 2).map(({ words }) => words[0]!))) {
    parser.command(group, groupSummaries[group] ?? '', (inner) => {
      inner.usage(`pipe ${group} <command>\n\n${groupSummaries[group] ?? ''}`);
      for (const verb of verbs.filter(({ words }) => words.length === 2 && words[0] === group))
        addVerb(inner, verb, choose);
      return inner;
    });
  }
  return parser.example('pipe run enrich.yml', 'run a pipeline; the shipped one when there is no such file here');
}

function addVerb(parser: Argv, verb: Verb, choose: (verb: Verb) => void): void {
  // All optional for yargs: what is missing is said by `checkValues`, with the verb's usage.
  const positionals = verb.positionals.map(({ name, isMany }) => `[${name}${isMany ? '..' : ''}]`);
  parser.command(
    [verb.words.at(-1)!, ...positionals].join(' '),
    verb.summary,
    (inner) => {
      inner.usage(`${usageLine(verb)}\n\n${verb.summary}`).options(yargsOptions(verb.options));
      for (const { name, describe, choices } of verb.positionals) {
        const options: PositionalOptions = { type: 'string', describe };
        inner.positional(
          name,
          choices === undefined ? options : { ...options, describe: `${describe}: ${choices.join(', ')}` },
        );
      }
      for (const [call, what] of verb.examples) inner.example(call, what);
      return inner;
    },
    () => choose(verb),
  );
}

function usageLine(verb: Verb): string {
  const positionals = verb.positionals.map(({ name, isOptional, isMany }) => {
    const word = isMany ? `${name}...` : name;
    return isOptional ? `[${word}]` : `<${word}>`;
  });
  return ['pipe', ...verb.words, ...positionals, '[options]'].join(' ');
}

function yargsOptions(specs: Readonly<Record<string, OptionSpec>>): Record<string, Options> {
  const options: Record<string, Options> = {};
  for (const [name, { kind, describe, choices }] of Object.entries(specs)) {
    const common = { describe: choices === undefined ? describe : `${describe} (${choices.join(', ')})` };
    if (kind === 'flag') options[name] = { ...common, type: 'boolean' };
    else
      options[name] = {
        ...common,
        type: 'string',
        requiresArg: true,
        ...(kind === 'texts' ? { array: true, nargs: 1 } : {}),
      };
  }
  return options;
}

function refuseUnknownOptions(
  values: ReadonlyMap<string, unknown>,
  known: Readonly<Record<string, OptionSpec>>,
  verb: Verb | undefined,
): void {
  const positionals = new Set(verb?.positionals.map(({ name }) => name));
  for (const name of values.keys()) {
    if (Object.hasOwn(known, name) || positionals.has(name) || name === 'version') continue;
    const dashes = name.length === 1 ? '-' : '--';
    const valid = Object.keys(known).map((option) => `--${option}`);
    const of = verb === undefined ? '' : ` of "pipe ${verb.words.join(' ')}"`;
    throw usageProblem(
      `unknown option "${dashes}${name}"${of}${suggestion(`${dashes}${name}`, valid)}`,
      'unknown-option',
    );
  }
}

function refuseWords([first, second]: readonly string[], verbs: readonly Verb[]): never {
  if (first === undefined) throw usageProblem('no command given; see pipe --help');
  const inGroup = verbs.filter(({ words }) => words.length === 2 && words[0] === first).map(({ words }) => words[1]!);
  if (inGroup.length === 0) {
    const valid = new Set(verbs.map(({ words }) => words[0]!));
    throw usageProblem(`unknown command "${first}"${suggestion(first, valid)}`, 'unknown-command');
  }
  if (second === undefined) throw usageProblem(`pipe ${first} needs one of: ${inGroup.join(', ')}`);
  throw usageProblem(`unknown command "${first} ${second}"${suggestion(second, inGroup)}`, 'unknown-command');
}

function checkValues(values: ReadonlyMap<string, unknown>, verb: Verb): void {
  for (const { name, isOptional } of verb.positionals) {
    const value = values.get(name);
    const isMissing = value === undefined || (Array.isArray(value) && value.length === 0);
    if (isMissing && !isOptional) throw usageProblem(`<${name}> is missing; usage: ${usageLine(verb)}`);
  }
  for (const [name, { kind, least = 0 }] of Object.entries(verb.options)) {
    const value = values.get(name);
    if (value === undefined || kind === 'texts') continue;
    if (Array.isArray(value)) throw usageProblem(`--${name} is given twice`);
    if (kind === 'count' && !(Number.isSafeInteger(value) && (value as number) >= least)) {
      throw usageProblem(`--${name} takes a whole number from ${least} up`, 'bad-value');
    }
  }
  for (const { name, choices } of verb.positionals) refuseOther(`<${name}>`, values.get(name), choices);
}

function checkChoices(values: ReadonlyMap<string, unknown>, known: Readonly<Record<string, OptionSpec>>): void {
  for (const [name, { choices }] of Object.entries(known)) refuseOther(`--${name}`, values.get(name), choices);
}

function refuseOther(what: string, value: unknown, choices: readonly string[] | undefined): void {
  if (value === undefined || choices === undefined || choices.includes(String(value))) return;
  throw usageProblem(`${what}: "${value}" is none of its values${suggestion(String(value), choices)}`, 'bad-value');
}
