/**
 * Command line -> verb and its arguments. By yargs' own parser alone: the whole of yargs takes as long to load as Node to start, and
 * is needed for help only (help.ts). Unknown names get the nearest valid one, for verbs, options and values.
 */
import parseWords from 'yargs-parser';
import { suggestion } from '../config/nearest.js';
import { ExitCode } from './exit-codes.js';
import { CallProblem, type OptionSpec, type PositionalSpec, type Verb } from './verb.js';

export interface ParsedCall {
  /** Undefined for `pipe --help`, `pipe profile --help` and `pipe --version`. */
  readonly verb: Verb | undefined;
  readonly isHelp: boolean;
  readonly isVersion: boolean;
  readonly color: string;
  /** Of positionals, in order; and of options: strings, numbers or true. */
  readonly values: ReadonlyMap<string, readonly unknown[]>;
}

/** Options of every verb. */
export const globalOptions: Readonly<Record<string, OptionSpec>> = {
  color: { kind: 'text', describe: 'colours', choices: ['auto', 'always', 'never'] },
  help: { kind: 'flag', describe: 'show this help' },
  version: { kind: 'flag', describe: 'show the version' },
};

/** What people type by habit, as it is written out: `-h`, and `help` before a command. */
export function writtenOut(args: readonly string[]): readonly string[] {
  const words = args[0] === 'help' ? [...args.slice(1), '--help'] : args;
  return words.map((word) => (word === '-h' ? '--help' : word));
}

/** @throws CallProblem, exit code 2 */
export function parseCall(args: readonly string[], verbs: readonly Verb[]): ParsedCall {
  const { words, options } = split(args, verbs);
  const verb = verbs.find((known) => known.words.every((word, index) => words[index] === word));
  const isHelp = options.has('help');
  const isVersion = options.has('version');
  const known = { ...globalOptions, ...verb?.options };
  // "pipe --wokers" is about the option, "pipe rum --workers" about the command.
  if (words.length === 0) checkOptions(options, known, verb);
  if (verb === undefined && !isVersion && !(isHelp && isGroup(words, verbs))) refuseWords(words, verbs);
  checkOptions(options, known, verb);
  const positionals = verb === undefined ? new Map() : bind(words.slice(verb.words.length), verb, isHelp || isVersion);
  return {
    verb,
    isHelp,
    isVersion,
    color: String(options.get('color')?.[0] ?? 'auto'),
    values: new Map([...options, ...positionals]),
  };
}

/** Words that are no options, and values by option; which options take a value is the same for all verbs. */
function split(args: readonly string[], verbs: readonly Verb[]) {
  const specs = Object.entries(
    Object.assign({}, globalOptions, ...verbs.map((verb) => verb.options)) as Record<string, OptionSpec>,
  );
  const ofKind = (...kinds: OptionSpec['kind'][]) =>
    specs.filter(([, { kind }]) => kinds.includes(kind)).map(([name]) => name);
  const withValue = ofKind('text', 'texts', 'count');
  const { argv, error } = parseWords.detailed([...args], {
    boolean: ofKind('flag'),
    string: [...withValue, '_'],
    narg: Object.fromEntries(withValue.map((name) => [name, 1])),
    configuration: {
      'boolean-negation': false,
      'camel-case-expansion': false,
      'dot-notation': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
    },
  });
  if (error !== null) {
    const [, option] = /^Not enough arguments following: (\S+)$/.exec(error.message) ?? [];
    if (option !== undefined) throw usageProblem(`--${option} needs a value`);
    throw usageProblem(error.message.charAt(0).toLowerCase() + error.message.slice(1));
  }
  const { _: words, ...options } = argv;
  const values = new Map<string, readonly unknown[]>();
  for (const [name, value] of Object.entries(options)) {
    // A flag that is said to be false ("--json=false") is not there.
    const given = [value].flat().filter((one: unknown) => one !== false && one !== undefined);
    if (given.length > 0) values.set(name, given);
  }
  return { words: words.map(String), options: values };
}

const isGroup = (words: readonly string[], verbs: readonly Verb[]): boolean =>
  words.length === 0 ||
  (words.length === 1 && verbs.some(({ words: [first, second] }) => second !== undefined && first === words[0]));

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

function checkOptions(
  options: ReadonlyMap<string, readonly unknown[]>,
  known: Readonly<Record<string, OptionSpec>>,
  verb: Verb | undefined,
): void {
  for (const [name, given] of options) {
    const dashed = `${name.length === 1 ? '-' : '--'}${name}`;
    const spec = Object.hasOwn(known, name) ? known[name] : undefined;
    if (spec === undefined) {
      const of = verb === undefined ? '' : ` of "pipe ${verb.words.join(' ')}"`;
      const valid = Object.keys(known).map((option) => `--${option}`);
      throw usageProblem(`unknown option "${dashed}"${of}${suggestion(dashed, valid)}`, 'unknown-option');
    }
    if (given.length > 1 && spec.kind !== 'texts' && spec.kind !== 'flag')
      throw usageProblem(`${dashed} is given twice`);
    if (spec.kind === 'count') checkCount(dashed, String(given[0]), spec.least ?? 0);
    for (const value of given) refuseOther(dashed, String(value), spec.choices);
  }
}

function checkCount(dashed: string, text: string, least: number): void {
  if (/^\d{1,9}$/.test(text) && Number(text) >= least) return;
  throw usageProblem(`${dashed}: "${text}" is no whole number from ${least} up`, 'bad-value');
}

function bind(words: readonly string[], verb: Verb, isLax: boolean): Map<string, readonly string[]> {
  const bound = new Map<string, readonly string[]>();
  let rest = words;
  for (const { name, isOptional, isMany, choices } of verb.positionals) {
    const taken = rest.slice(0, isMany ? rest.length : 1);
    rest = rest.slice(taken.length);
    if (taken.length === 0 && !isOptional && !isLax)
      throw usageProblem(`<${name}> is missing; usage: ${usageLine(verb)}`);
    for (const value of taken) refuseOther(`<${name}>`, value, choices);
    if (taken.length > 0) bound.set(name, taken);
  }
  if (rest.length > 0) throw usageProblem(`unexpected argument "${rest[0]}"; usage: ${usageLine(verb)}`);
  return bound;
}

function refuseOther(what: string, value: string, choices: readonly string[] | undefined): void {
  if (choices === undefined || choices.includes(value)) return;
  throw usageProblem(`${what}: "${value}" is none of its values${suggestion(value, choices)}`, 'bad-value');
}

/** `pipe binary symbolize <file> [address...] [options]` */
export function usageLine({ words, positionals }: Verb): string {
  return ['pipe', ...words, ...positionals.map(positionalText), '[options]'].join(' ');
}

export function positionalText({ name, isOptional, isMany }: PositionalSpec): string {
  const word = isMany ? `${name}...` : name;
  return isOptional ? `[${word}]` : `<${word}>`;
}

const usageProblem = (message: string, code = 'usage') => new CallProblem(code, message, ExitCode.usage);
