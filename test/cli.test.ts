/** The command as a user or a script meets it: streams, exit codes, JSON against its schema. Each call is a process. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { encodeProfile } from '../plugins/codecs/pprof/encode.js';
import { buildGoBinary } from './helpers/go-binary.js';
import { pipe, root } from './helpers/pipe.js';
import { profileOf } from './helpers/profiles.js';
import { temporaryFolder, writeInto } from './helpers/temporary.js';

const bin = join(root, 'dist', 'core', 'cli', 'bin.js');
const schema = JSON.parse(readFileSync(join(root, 'schemas', 'cli-output.schema.json'), 'utf8'));
const ajv = new Ajv2020({ allErrors: true });
ajv.addSchema(schema, 'cli');

/** A result of `--json`, checked by its definition in schemas/cli-output.schema.json. */
function parsed<T = unknown>(definition: string, text: string): T {
  const value = JSON.parse(text);
  const isValid = ajv.validate(`cli#/$defs/${definition}`, value);
  assert.ok(isValid, `${definition}: ${ajv.errorsText()}`);
  return value as T;
}

async function profileFile(folder: string, name: string, text: string): Promise<string> {
  const pieces = await encodeProfile(profileOf(text), { level: 1, compression: 'gzip' });
  return writeInto(folder, name, Buffer.concat(pieces));
}

const merging = `input: {file: {paths: ["\${in}"]}}
params: {in: {type: string, default: in, description: "what to read"}}
output: [file: {path: "out/{name}.pb.gz"}]
`;

test('--version is alone on stdout', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const args of [['--version'], ['-V'], ['run', '--version']]) {
    const { stdout, stderr, exitCode } = pipe(args);
    assert.deepEqual([stdout, stderr, exitCode], [`${version}\n`, '', 0]);
  }
});

test('--help of every verb is on stdout, with an example', () => {
  const verbs = [
    'run',
    'lint',
    'test',
    'graph',
    'list',
    'explain',
    'completion',
    'profile top',
    'profile text',
    'profile stats',
  ];
  for (const verb of [
    ...verbs,
    'profile diff',
    'binary checks',
    'binary frames',
    'binary symbolize',
    'init',
    'plugin init',
  ]) {
    const { stdout, stderr, exitCode } = pipe([...verb.split(' '), '--help']);
    assert.deepEqual([stderr, exitCode], ['', 0], verb);
    assert.match(stdout, new RegExp(`^pipe ${verb}`), verb);
    assert.match(stdout, /^Examples:$/m, verb);
  }
});

test("--help of a pipeline lists its parameters, and does not show the environment's values", (t) => {
  const folder = temporaryFolder(t);
  const yaml = `name: mine
description: does things
params:
  token: { type: string, default: "\${ENV:PATH}", description: "to get \\e[31min" }
  depth: { type: integer }
`;
  const { stdout, exitCode } = pipe(['run', writeInto(folder, 'p.yml', yaml), '--help']);
  assert.equal(exitCode, 0);
  assert.match(stdout, /Pipeline mine: does things/);
  assert.match(stdout, /--set token=… +string +default: \$\{ENV:PATH\} +to get \\x1b\[31min/);
  assert.match(stdout, /--set depth=… +integer +required/);
});

test('a wrong call says so on stderr, with exit code 2', () => {
  const { stdout, stderr, exitCode } = pipe(['rum']);
  assert.deepEqual([stdout, stderr, exitCode], ['', 'pipe: unknown command "rum"; did you mean "run"?\n', 2]);
  const json = pipe(['lint', 'none.yml', '--json']);
  assert.equal(json.exitCode, 2);
  assert.equal(parsed<{ error: { code: string } }>('error', json.stdout).error.code, 'ENOENT');
});

test("lint's findings are its result, run's are errors; both have them as JSON", (t) => {
  const folder = temporaryFolder(t);
  const yaml = 'input: {file: {path: [x]}}\nstages: [simbolize: {}]\noutput: [stdot: {}]\n';
  writeInto(folder, 'p.yml', yaml);
  const expected = [
    'p.yml:1:15 missing input.file: "paths" is missing',
    'p.yml:1:16 unknown-option input.file.path: unknown option; did you mean "paths"?',
    'p.yml:2:10 unknown-plugin stages[0]: unknown stage "simbolize"; did you mean "symbolize"?',
    'p.yml:3:10 unknown-plugin output[0]: unknown sink "stdot"; did you mean "stdout"?',
    '',
  ].join('\n');
  const linted = pipe(['lint', 'p.yml'], { cwd: folder });
  assert.deepEqual([linted.stdout, linted.stderr, linted.exitCode], [expected, '', 2]);
  const run = pipe(['run', 'p.yml'], { cwd: folder });
  assert.deepEqual([run.stdout, run.stderr, run.exitCode], ['', expected, 2]);
  const lintedJson = pipe(['lint', 'p.yml', '--json'], { cwd: folder });
  assert.equal(parsed<unknown[]>('findings', lintedJson.stdout).length, 4);
  const runJson = pipe(['run', 'p.yml', '--json'], { cwd: folder });
  assert.equal(parsed<{ findings: unknown[] }>('refusedRun', runJson.stdout).findings.length, 4);
  assert.equal(existsSync(join(folder, 'dead-letter')), false);
});

test('lint of a right pipeline prints nothing, and an empty list as JSON', (t) => {
  const file = writeInto(temporaryFolder(t), 'p.yml', merging);
  assert.deepEqual([pipe(['lint', file]).stdout, pipe(['lint', file]).exitCode], ['', 0]);
  assert.deepEqual(parsed('findings', pipe(['lint', file, '--json']).stdout), []);
});

test('a run delivers the good, dead-letters the bad and ends with 20; --json is the summary', async (t) => {
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, 'in'));
  await profileFile(folder, 'in/good.pb.gz', 'main;work 3 30');
  writeInto(folder, 'in/bad\x1b[31m.pb.gz', 'no profile');
  writeInto(folder, 'p.yml', merging);
  const human = pipe(['run', 'p.yml'], { cwd: folder });
  assert.deepEqual([human.stdout, human.exitCode], ['', 20]);
  assert.match(human.stderr, /^p: dead-lettered, 1 of 2 profiles delivered, 1 dead-lettered/m);
  assert.match(human.stderr, /^bad input in\/bad\\x1b\[31m\.pb\.gz: E_/m);
  const json = pipe(['run', 'p.yml', '--json'], { cwd: folder });
  const validate = new Ajv2020({ strict: false }).compile(
    JSON.parse(readFileSync(join(root, 'schemas', 'run-summary.schema.json'), 'utf8')),
  );
  assert.ok(validate(JSON.parse(json.stdout)), JSON.stringify(validate.errors));
  assert.equal(json.exitCode, 20);
  const top = pipe(['profile', 'top', 'out/good.pb.gz', '--json'], { cwd: folder });
  assert.deepEqual(parsed<{ rows: unknown }>('top', top.stdout).rows, [
    { function: 'work', flat: 30, cum: 30 },
    { function: 'main', flat: 0, cum: 30 },
  ]);
});

test('--quiet leaves stderr empty when all went well', async (t) => {
  const folder = temporaryFolder(t);
  await profileFile(folder, 'a.pb.gz', 'main 1');
  writeInto(folder, 'p.yml', merging);
  const { stdout, stderr, exitCode } = pipe(['run', 'p.yml', '--set', 'in=a.pb.gz', '--quiet'], { cwd: folder });
  assert.deepEqual([stdout, stderr, exitCode], ['', '', 0]);
});

test('values of the environment are masked wherever they would show', async (t) => {
  const folder = temporaryFolder(t);
  const secret = 'hunter2-token';
  mkdirSync(join(folder, secret));
  writeInto(folder, `${secret}/bad.pb.gz`, 'no profile');
  const yaml =
    'input: {file: {paths: ["${ENV:PROFPIPE_TEST}/bad.pb.gz"]}}\noutput: [file: {path: "o/${ENV:PROFPIPE_TEST}.pb"}]\n';
  writeInto(folder, 'p.yml', yaml);
  writeInto(folder, 'wrong.yml', yaml.replace('o/', 'o/{nope}'));
  const call = (...args: string[]) => {
    const env = { ...process.env, PROFPIPE_TEST: secret };
    const { stdout, stderr, status } = spawnSync(process.execPath, [bin, ...args], {
      cwd: folder,
      env,
      encoding: 'utf8',
    });
    assert.ok(!`${stdout}${stderr}`.includes(secret), args.join(' '));
    return { text: `${stdout}${stderr}`, status };
  };
  assert.equal(call('run', 'p.yml').status, 20);
  assert.match(call('run', 'p.yml', '--json').text, /\*\*\*/);
  assert.match(call('graph', 'p.yml').text, /\*\*\*/);
  assert.equal(call('lint', 'wrong.yml').status, 2);
  assert.equal(call('run', 'p.yml', '--help').status, 0);
});

test('stdin may be the profile, and the pipeline', async (t) => {
  const folder = temporaryFolder(t);
  const profile = readFileSync(await profileFile(folder, 'a.pb.gz', 'main;work 3 30 {tenant=a}'));
  const stats = pipe(['profile', 'stats', '-', '--json'], { input: profile });
  assert.equal(parsed<{ samples: number }>('stats', stats.stdout).samples, 1);
  const text = pipe(['profile', 'text', '-'], { input: profile });
  assert.match(text.stdout, /^sample 0: 3 30 /m);
  const linted = pipe(['lint', '-'], { input: 'input: {}\n' });
  assert.match(linted.stdout, /^-:1:1 missing pipeline: "output" is missing$/m);
});

test('a path of an input may be stdin', async (t) => {
  const folder = temporaryFolder(t);
  const profile = readFileSync(await profileFile(folder, 'a.pb.gz', 'main;work 3'));
  await profileFile(folder, 'b.pb.gz', 'main;rest 2');
  const yaml = 'params: {profile: {type: string}}\ninput: {file: {paths: ["${profile}", b.pb.gz]}}\n';
  writeFileSync(join(folder, 'p.yml'), `${yaml}output: [file: {path: "out/{name}.folded"}]\n`);
  const args = ['run', 'p.yml', '--set', 'profile=-', '--json'];
  const dry = pipe([...args, '--dry-run'], { cwd: folder, input: '' });
  assert.equal(dry.exitCode, 0, dry.stderr);
  const run = pipe(args, { cwd: folder, input: profile });
  assert.equal(run.exitCode, 0, run.stderr);
  assert.equal(readFileSync(join(folder, 'out/stdin.folded'), 'utf8').trim(), 'main;work 3');
  assert.equal(readFileSync(join(folder, 'out/b.folded'), 'utf8').trim(), 'main;rest 2');
  const watched = pipe([...args.slice(0, 4), '--watch'], { cwd: folder, input: '' });
  assert.match(watched.stderr, /--watch: standard input can be read only once/);
});

test('profile diff is what grew from the first to the second', async (t) => {
  const folder = temporaryFolder(t);
  const after = await profileFile(folder, 'after.pb.gz', 'main;work 5');
  const before = await profileFile(folder, 'before.pb.gz', 'main;work 2');
  const { stdout } = pipe(['profile', 'diff', before, after, '--json']);
  assert.deepEqual(parsed<{ rows: unknown }>('diff', stdout).rows, [
    { function: 'work', flat: 3, cum: 3, base: { flat: 2, cum: 2 } },
    { function: 'main', flat: 0, cum: 3, base: { flat: 0, cum: 2 } },
  ]);
});

test('profile diff of two folders tells changes from noise', async (t) => {
  const folder = temporaryFolder(t);
  for (const side of ['old', 'new']) mkdirSync(join(folder, side));
  for (let run = 0; run < 5; run++) {
    await profileFile(folder, `old/${run}.pb.gz`, `main;hot ${1000 + run}\nmain;calm ${500 + 20 * run}`);
    await profileFile(folder, `new/${run}.pb.gz`, `main;hot ${1500 + run}\nmain;calm ${510 + 19 * run}`);
  }
  const sides = [join(folder, 'old'), join(folder, 'new')];
  const { stdout } = pipe(['profile', 'diff', ...sides, '--json']);
  interface Row {
    readonly function: string;
    readonly flat: { readonly change: number; readonly isSignificant: boolean };
  }
  const { rows, profiles } = parsed<{ rows: Row[]; profiles: unknown }>('statisticalDiff', stdout);
  assert.deepEqual(profiles, { before: 5, after: 5 });
  assert.deepEqual(
    rows.map(({ function: name, flat }) => [name, Math.round(flat.change), flat.isSignificant]),
    [
      ['hot', 500, true],
      ['main', 0, false],
      ['calm', 8, false],
    ],
  );
  const text = pipe(['profile', 'diff', ...sides]).stdout;
  assert.match(text, /^samples: 1,\d+ ±\S+% before \(5 profiles\), /);
  assert.match(text, /1,002 ±0\.2%\s+\+500\s+\+498 … \+502\s/);
  assert.match(text, /1 other functions? changed no more than noise does/);
  assert.equal(pipe(['profile', 'diff', sides[0]!, join(folder, 'new', '0.pb.gz')]).exitCode, 2);
});

test('bytes that are no profile, or no binary, are a bad input with their place', (t) => {
  const file = writeInto(temporaryFolder(t), 'x', 'neither');
  const profile = pipe(['profile', 'top', file, '--json']);
  assert.equal(profile.exitCode, 20);
  parsed('error', profile.stdout);
  const binary = pipe(['binary', 'frames', file]);
  assert.deepEqual([binary.stdout, binary.exitCode], ['', 20]);
  assert.match(binary.stderr, /^pipe: .*x: input\+0x0: neither ELF, Mach-O, PE nor jitdump/);
});

test('binary frames and symbolize print what the tables of a Go binary say', (t) => {
  const spec = {
    functions: [
      {
        name: 'main.main',
        file: '/src/main.go',
        startLine: 3,
        lines: [[5, 16]] as const,
        stackDeltas: [[24, 16]] as const,
      },
    ],
  };
  const built = buildGoBinary(spec);
  const file = writeInto(temporaryFolder(t), 'app', built.bytes);
  const frames = pipe(['binary', 'frames', file, '--json']).stdout.trim().split('\n');
  const [main] = frames.map((line) => parsed<{ function: string; entry: string; frameBytes: number }>('frame', line));
  assert.equal(main!.function, 'main.main');
  assert.equal(main!.frameBytes, 24);
  const symbolized = pipe(['binary', 'symbolize', file, '--json'], { input: `${main!.entry}\n0x1\n` })
    .stdout.trim()
    .split('\n');
  const [inside, outside] = symbolized.map((line) =>
    parsed<{ address: string; frames: unknown[] }>('symbolized', line),
  );
  const frame = { function: 'main.main', file: '/src/main.go', line: 5, column: 0, startLine: 3, inlined: false };
  assert.deepEqual(inside, { address: main!.entry, frames: [frame] });
  assert.deepEqual(outside!.frames, []);
});

test('binary frames --diff prints the frames that grew, and what they make on the stacks of a profile', (t) => {
  const build = (name: string, frame: number) => {
    const functions = [{ name: 'main.main', lines: [[5, 16]] as const, stackDeltas: [[frame, 16]] as const }];
    return writeInto(temporaryFolder(t), name, buildGoBinary({ functions }).bytes);
  };
  const profile = writeInto(
    temporaryFolder(t),
    'goroutine.txt',
    'goroutine 1 [select]:\nmain.main()\n\t/src/main.go:5 +0x8\n\ngoroutine 2 [select]:\nmain.main()\n\t/src/main.go:5 +0x8\n',
  );
  const call = ['binary', 'frames', build('old', 24), '--diff', build('new', 64), '--profile', profile];
  const { stdout, stderr } = pipe([...call, '--json']);
  assert.equal(stderr, '');
  assert.deepEqual(parsed('frameChange', stdout), {
    function: 'main.main',
    was: ['main.main'],
    before: 24,
    after: 64,
    growth: 40,
    frames: 2,
    bytes: 80,
  });
  assert.match(pipe(call).stdout, /1 grew, 0 shrank, 0 stayed.*\n.*\+80 bytes/);
  const alone = pipe(['binary', 'frames', build('old', 24), '--profile', profile]);
  assert.deepEqual([alone.exitCode, alone.stderr], [2, 'pipe: --profile goes with --diff\n']);
});

test('binary checks of the sample: one object a line, of the functions that are wanted', () => {
  const sample = join(root, 'pipelines', 'samples', 'service');
  const { stdout, exitCode } = pipe(['binary', 'checks', sample, '--function', '^main\\.getLast$', '--json']);
  assert.equal(exitCode, 0);
  const checks = stdout
    .trim()
    .split('\n')
    .map((line) => parsed<{ function: string; role: string }>('check', line));
  assert.ok(checks.some(({ role }) => role === 'jump'));
});

test('list and explain describe the plugins', () => {
  const { plugins, pipelines } = parsed<{ plugins: { name: string }[]; pipelines: string[] }>(
    'list',
    pipe(['list', '--json']).stdout,
  );
  assert.ok(plugins.some(({ name }) => name === 'symbolize'));
  assert.ok(pipelines.includes('enrich.yml'));
  assert.equal(parsed<unknown[]>('explanation', pipe(['explain', 'file', '--json']).stdout).length, 2);
  assert.match(pipe(['explain', 'mark']).stdout, /async_preempt +boolean +default: false/);
  assert.match(pipe(['explain', 'makr']).stderr, /did you mean "mark"/);
});

test('graph draws the way from source to sink, the aggregate as a hexagon', (t) => {
  const folder = temporaryFolder(t);
  const yaml = `${merging}stages: [symbolize: {}, mark: {}, aggregate: {}]\n`;
  const { stdout, exitCode } = pipe(['graph', writeInto(folder, 'p.yml', yaml), '--set', 'in=a"b']);
  assert.equal(exitCode, 0);
  assert.match(stdout, /^flowchart LR\n {2}source\(\["file<br\/>.*a#34;b"\]\)$/m);
  assert.match(stdout, /stage2\{\{"aggregate"\}\}/);
  assert.deepEqual(stdout.match(/\w+ -->(\|\w+\|)? \w+/g), [
    'source --> decode',
    'decode --> stage0',
    'stage0 --> stage1',
    'stage1 --> stage2',
    'stage2 -->|pprof| output0',
  ]);
});

test('a dry run says what would be read and written, and writes nothing', (t) => {
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, 'in'));
  for (const name of ['a', 'b']) writeInto(join(folder, 'in'), `${name}.pb.gz`, 'never decoded');
  const options = (path: string) => `output: [file: {path: "${path}"}, file: {path: "out/{label:x}.json"}]\n`;
  writeInto(folder, 'each.yml', `input: {file: {paths: [in/*.pb.gz]}}\n${options('out/{name}.pb.gz')}`);
  writeInto(
    folder,
    'all.yml',
    `input: {file: {paths: [in/*.pb.gz]}}\nstages: [aggregate: {}]\n${options('out/all.pb.gz')}`,
  );
  const run = (...args: string[]) => pipe(['run', ...args, '--dry-run'], { cwd: folder });
  interface DryRunJson {
    readonly inputs: object;
    readonly outputs: readonly { readonly destinations?: readonly string[] }[];
  }
  const each = parsed<DryRunJson>('dryRun', run('each.yml', '--json').stdout);
  assert.deepEqual(each.inputs, { count: 2, bytes: 26, names: ['a', 'b'] });
  const destinations = ['a', 'b'].map((name) => join(folder, 'out', `${name}.pb.gz`));
  assert.deepEqual(each.outputs, [{ destinations }, {}]);
  assert.match(
    run('all.yml').stdout,
    /^inputs 2, 26B\n {2}a\n {2}b\noutputs file pprof: 1\n {2}.*all\.pb\.gz\noutputs file json: known when/,
  );
  assert.equal(existsSync(join(folder, 'out')), false);
  writeInto(folder, 'twice.yml', `input: {file: {paths: [in/*.pb.gz]}}\n${options('out/one.pb.gz')}`);
  assert.match(run('twice.yml').stderr, /would both be written/);
});

test('graph draws in DOT too, the stages behind an aggregate in a box of their own', (t) => {
  const folder = temporaryFolder(t);
  const yaml = `${merging}stages: [symbolize: {}, aggregate: {}, mark: {}]\n`;
  const path = writeInto(folder, 'p.yml', yaml);
  const { stdout, exitCode } = pipe(['graph', path, '--format', 'dot', '--set', 'in=a"\\b']);
  assert.equal(exitCode, 0);
  assert.match(stdout, /^ {2}source \[shape=box, style=rounded, label="file\\n.*a\\"\\\\b"\];$/m);
  assert.deepEqual(stdout.match(/subgraph \w+|\w+ -> \w+|\w+ \[shape=\w+/g), [
    'source [shape=box',
    'subgraph cluster_task',
    'decode [shape=box',
    'stage0 [shape=box',
    'stage1 [shape=hexagon',
    'subgraph cluster_finish',
    'stage2 [shape=box',
    'output0 [shape=box',
    'source -> decode',
    'decode -> stage0',
    'stage0 -> stage1',
    'stage1 -> stage2',
    'stage2 -> output0',
  ]);
  const { error, status, stderr } = spawnSync('dot', ['-Tplain'], { input: stdout, encoding: 'utf8' });
  if (error === undefined) assert.deepEqual([status, stderr], [0, '']);
  assert.match(pipe(['graph', path, '--format', 'svg']).stderr, /svg/);
});

test('what cannot be read or written is said in a line, or passed over where nobody asked for it', (t) => {
  const folder = temporaryFolder(t);
  writeInto(folder, 'file', '');
  mkdirSync(join(folder, 'folder.yml'));
  const list = pipe(['list'], { cwd: folder });
  assert.equal(list.exitCode, 0, list.stderr);
  const init = pipe(['init', 'file/first.yml'], { cwd: folder });
  assert.match(init.stderr, /^pipe: cannot write .*file\/first\.yml: a file is in the way/);
  assert.equal(init.exitCode, 2);
  const script = 'mkdir gone && cd gone && rmdir ../gone && exec "$0" "$1" list';
  const gone = spawnSync('sh', ['-c', script, process.execPath, bin], { cwd: folder, encoding: 'utf8' });
  assert.match(gone.stderr, /^pipe: the current folder is gone/);
  assert.equal(gone.status, 2);
});

test('completion scripts are valid for their shells', () => {
  const { stdout } = pipe(['completion', 'bash']);
  const { status, stdout: words } = spawnSync(
    'bash',
    [
      '-c',
      `pipe() { "${process.execPath}" "${bin}" "$@"; }; ${stdout}\nCOMP_WORDS=(pipe profile t); COMP_CWORD=2; _pipe_completion; echo "\${COMPREPLY[*]}"`,
    ],
    { encoding: 'utf8' },
  );
  if (status !== null) assert.deepEqual([status, words], [0, 'top text\n']);
  assert.match(pipe(['completion', 'zsh']).stdout, /^#compdef pipe$/m);
  assert.match(pipe(['completion', 'csh']).stderr, /none of its values/);
});

test('a reader of stdout that leaves ends the command quietly, with exit code 21', () => {
  const sample = join(root, 'pipelines', 'samples', 'service');
  const script = `"${process.execPath}" "${bin}" binary checks "${sample}" | head -n 1 >/dev/null; echo "\${PIPESTATUS[0]}"`;
  const { stdout, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
  assert.deepEqual([stdout, stderr], ['21\n', '']);
});

test('a signal while the command waits for its input ends it with 130 or 143', async () => {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    const child = spawn(process.execPath, [bin, 'profile', 'top', '-'], { stdio: ['pipe', 'ignore', 'ignore'] });
    const ended = new Promise((resolve) => child.on('exit', (exitCode, by) => resolve(by ?? exitCode)));
    // More than a pipe holds is taken only by one that reads, and waits for the rest.
    await new Promise((resolve) => child.stdin.write(Buffer.alloc(2 ** 20), resolve));
    child.kill(signal);
    assert.equal(await ended, code);
  }
});

test('signals while workers make their plugins end the run with 130, and no plugin is blamed', async (t) => {
  const folder = temporaryFolder(t);
  const sample = await profileFile(folder, 'a.pb.gz', 'main;work 1');
  const slow = `import { writeFileSync } from 'node:fs';
export default {
  kind: 'stage', name: 'slow', version: '1.0.0', api: '^1.0.0', summary: 'is never made', schema: { type: 'object', additionalProperties: false },
  create() {
    writeFileSync(${JSON.stringify(join(folder, 'begun'))}, '');
    return new Promise((resolve) => setTimeout(resolve, 600_000));
  },
};
`;
  writeFileSync(join(folder, 'slow.mjs'), slow);
  const pipeline = `plugins: [./slow.mjs]\ninput: {file: {paths: ["${sample}"]}}\nstages: [slow: {}]\noutput: [file: {path: o.pb.gz}]\n`;
  writeFileSync(join(folder, 'p.yml'), pipeline);
  const child = spawn(process.execPath, [bin, 'run', 'p.yml'], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (text) => {
    said += text;
  });
  const ended = once(child, 'close');
  while (!existsSync(join(folder, 'begun')) && child.exitCode === null) await sleep(20);
  // The first drains, one more stops at once; two that come together would be one.
  while (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGINT');
    await sleep(100);
  }
  const [exitCode, killedBy] = await ended;
  assert.match(said, /interrupted, 0 of 0 profiles delivered/);
  assert.doesNotMatch(said, /plugin-refuses|bug/);
  // Node gives up its handlers as it ends: a signal that comes after the summary ends it first. A shell's $? is 130 for both.
  assert.ok(exitCode === 130 || killedBy === 'SIGINT', `${exitCode} ${killedBy}: ${said}`);
});

test('two results on one stdout are refused', (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'p.yml'), 'input: {stdin: {}}\noutput: [stdout: {codec: json}]\n');
  const { exitCode, stderr } = pipe(['run', 'p.yml', '--json'], { cwd: folder, input: '' });
  assert.equal(exitCode, 2);
  assert.match(stderr, /--json prints the summary on stdout/);
});
