import assert from 'node:assert/strict';
import { test } from 'node:test';
import { completions } from './complete.js';
import { parseCall, writtenOut } from './parse-call.js';
import { CallProblem, type Verb } from './verb.js';
import { allVerbs, verbsOf } from './verbs/index.js';

const verb = (words: string[], parts: Partial<Verb> = {}): Verb => ({
  words,
  summary: 'does it',
  positionals: [],
  options: {},
  examples: [['pipe it', 'it']],
  run: async () => 0,
  ...parts,
});

const verbs = [
  verb(['run'], {
    positionals: [{ name: 'pipeline', describe: '' }],
    options: {
      set: { kind: 'texts', describe: '' },
      workers: { kind: 'count', least: 1, describe: '' },
      quiet: { kind: 'flag', describe: '' },
    },
    complete: async () => ['enrich.yml', 'merge.yml'],
  }),
  verb(['binary', 'symbolize'], {
    positionals: [
      { name: 'file', describe: '' },
      { name: 'address', describe: '', isOptional: true, isMany: true },
    ],
    options: { json: { kind: 'flag', describe: '' } },
  }),
  verb(['binary', 'frames'], { positionals: [{ name: 'file', describe: '' }] }),
];

const values = (...args: string[]) => Object.fromEntries(parseCall(args, verbs).values);
const problem = (...args: string[]) => {
  try {
    parseCall(args, verbs);
  } catch (error) {
    assert.ok(error instanceof CallProblem && error.exitCode === 2, String(error));
    return error.message;
  }
  return undefined;
};

test('options may stand anywhere, with or without "="', () => {
  const expected = { pipeline: ['p.yml'], workers: ['2'], set: ['a=1', 'b=x=y'], quiet: [true] };
  assert.deepEqual(values('run', '--workers', '2', 'p.yml', '--set', 'a=1', '--quiet', '--set=b=x=y'), expected);
  assert.deepEqual(values('--quiet', '--set=a=1', 'run', '--workers=2', '--set', 'b=x=y', 'p.yml'), expected);
});

test('"-" is an argument, and so is everything behind "--"', () => {
  assert.deepEqual(values('run', '-'), { pipeline: ['-'] });
  assert.deepEqual(values('run', '--', '--quiet'), { pipeline: ['--quiet'] });
});

test('numbers stay the text that they are', () => {
  assert.deepEqual(values('binary', 'symbolize', '007', '0x401000', '1e3'), {
    file: ['007'],
    address: ['0x401000', '1e3'],
  });
});

test('unknown names get the nearest valid one', () => {
  assert.equal(problem('rum'), 'unknown command "rum"; did you mean "run"?');
  assert.equal(problem('binary', 'frame'), 'unknown command "binary frame"; did you mean "frames"?');
  assert.equal(
    problem('run', 'p', '--wokers', '1'),
    'unknown option "--wokers" of "pipe run"; did you mean "--workers"?',
  );
  assert.equal(problem('run', 'p', '--no-quiet'), 'unknown option "--no-quiet" of "pipe run"; did you mean "--quiet"?');
  assert.equal(
    problem('--colour', 'always', 'run', 'p'),
    'unknown option "--colour" of "pipe run"; did you mean "--color"?',
  );
  assert.equal(
    problem('run', 'p', '--color', 'alway'),
    '--color: "alway" is none of its values; did you mean "always"?',
  );
  assert.match(problem('run', 'p', '--__proto__', '1') ?? '', /^unknown option/);
  assert.match(problem('run', 'p', '--toString=1') ?? '', /^unknown option "--toString"/);
});

test('an option of another verb is unknown', () => {
  assert.match(problem('binary', 'frames', 'f', '--quiet') ?? '', /^unknown option "--quiet" of "pipe binary frames"/);
});

test('arguments that are missing, too many or of the wrong kind are refused', () => {
  assert.equal(problem(), 'no command given; see pipe --help');
  assert.equal(problem('binary'), 'pipe binary needs one of: symbolize, frames');
  assert.equal(problem('run'), '<pipeline> is missing; usage: pipe run <pipeline> [options]');
  assert.match(problem('run', 'a', 'b') ?? '', /^unexpected argument "b"/);
  for (const count of ['0', '-1', '1.5', 'two', '1e3']) {
    assert.equal(problem('run', 'p', `--workers=${count}`), `--workers: "${count}" is no whole number from 1 up`);
  }
  assert.equal(problem('run', 'p', '--workers', '1', '--workers', '2'), '--workers is given twice');
  assert.match(problem('run', 'p', '--set') ?? '', /set/);
});

test('help is wanted without the arguments that a verb needs', () => {
  assert.equal(parseCall(['run', '--help'], verbs).isHelp, true);
  assert.equal(parseCall(['--help'], verbs).isHelp, true);
  assert.equal(parseCall(['binary', '--help'], verbs).isHelp, true);
  assert.match(problem('rum', '--help') ?? '', /did you mean "run"/);
});

test('-h and the word help before a command are --help', () => {
  assert.deepEqual(writtenOut(['run', '-h']), ['run', '--help']);
  assert.deepEqual(writtenOut(['help', 'binary', 'frames']), ['binary', 'frames', '--help']);
  assert.deepEqual(writtenOut(['explain', 'help']), ['explain', 'help']);
});

test('an option without its value says so', () => {
  assert.equal(problem('run', 'p.yml', '--set'), '--set needs a value');
});

test('completion knows verbs, options and what a verb offers', async () => {
  assert.deepEqual(await completions([''], verbs), ['run', 'binary']);
  assert.deepEqual(await completions(['binary', 's'], verbs), ['symbolize']);
  assert.deepEqual(await completions(['run', 'e'], verbs), ['enrich.yml']);
  assert.deepEqual(await completions(['run', 'enrich.yml', ''], verbs), []);
  assert.deepEqual(await completions(['run', 'enrich.yml', '--q'], verbs), ['--quiet']);
});

test('every verb has a summary, an example that begins with its words, and options of one kind for all verbs', async () => {
  const kinds = new Map<string, string>();
  for (const { words, summary, examples, options } of await allVerbs()) {
    assert.notEqual(summary, '');
    assert.ok(
      examples.some(([call]) => call.includes(['pipe', ...words].join(' '))),
      words.join(' '),
    );
    for (const [name, { kind }] of Object.entries(options)) {
      assert.equal(kinds.get(name) ?? kind, kind, `--${name}`);
      kinds.set(name, kind);
    }
  }
});

test('a call loads the verb that it begins with, and all where it begins with none', async () => {
  const all = await allVerbs();
  for (const verb of all) assert.deepEqual(await verbsOf([...verb.words, 'file', '--json']), [verb]);
  for (const args of [['--color', 'never', 'run'], ['profile'], ['profile', '--help'], ['toString'], []]) {
    assert.deepEqual(await verbsOf(args), all, args.join(' '));
  }
});
