/** `pipe run --watch`: a process that stays, and files that change under it. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from './helpers/pipe.js';
import { temporaryFolder, writeInto } from './helpers/temporary.js';

const sample = join(root, 'pipelines', 'samples', 'goroutine.pb.gz');
const sampleBytes = readFileSync(sample);
const PATIENCE_MS = 300_000;

/** Whole at once, since it may be looked at at any time. */
function put(folder: string, name: string, content: string | Uint8Array): void {
  renameSync(writeInto(folder, '.new', content), join(folder, name));
}

interface LogLine {
  readonly event: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** The log of a process, read as it comes. */
class Watching {
  readonly child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor(t: TestContext, folder: string, ...args: readonly string[]) {
    const bin = join(root, 'dist', 'core', 'cli', 'bin.js');
    this.child = spawn(process.execPath, [bin, 'run', ...args, '--watch', '--log-format', 'json'], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    t.after(() => this.child.kill('SIGKILL'));
    this.#lines = createInterface({ input: this.child.stderr! })[Symbol.asyncIterator]();
  }

  /** Skips to the next line of an event, or to one that says something. */
  async next(event: string, message = /^/): Promise<LogLine> {
    const seen: string[] = [];
    const late = setTimeout(() => this.child.kill('SIGKILL'), PATIENCE_MS);
    for (;;) {
      const { value, done } = await this.#lines.next();
      if (done === true) throw new Error(`no ${event} ${message}, but:\n${seen.join('\n')}`);
      seen.push(value);
      const line = JSON.parse(value) as LogLine;
      if (line.event !== event || !message.test(line.msg)) continue;
      clearTimeout(late);
      return line;
    }
  }

  async end(): Promise<number | null> {
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    const [exitCode] = await ended;
    return exitCode;
  }
}

const plugin = `import { says } from './says.mjs';
export default { kind: 'stage', name: 'say', version: '1.0.0', api: '^1.0.0', summary: 'says something',
  schema: { type: 'object', additionalProperties: false },
  create: () => ({ process(profile, context) { context.warn('said', says); return profile; } }) };
`;
const pipeline = `plugins: [./say.mjs]
input: { file: { paths: ["in/*.pb.gz"] } }
stages: [{ say: {} }]
output: [file: { path: "out/{name}.pb.gz" }]
`;

test('a change of the pipeline, of what its plugin imports and of its inputs is a new run; an error is none', async (t) => {
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, 'in'));
  copyFileSync(sample, join(folder, 'in', 'a.pb.gz'));
  writeInto(folder, 'say.mjs', plugin);
  writeInto(folder, 'says.mjs', 'export const says = "one";');
  writeInto(folder, 'all.yml', pipeline);
  const watching = new Watching(t, folder, 'all.yml');
  assert.equal((await watching.next('warning')).msg, 'said: one');
  assert.deepEqual((await watching.next('run_ended')).inputs, { read: 1, delivered: 1, deadLettered: 0 });
  await watching.next('watch', /^waits for changes of \d+ files and folders$/);

  put(folder, 'says.mjs', 'export const says = "two";');
  await watching.next('watch', /^says\.mjs has changed$/);
  assert.equal((await watching.next('warning')).msg, 'said: two');
  await watching.next('watch', /^waits/);

  put(folder, 'in/b.pb.gz', sampleBytes);
  assert.deepEqual((await watching.next('run_ended')).inputs, { read: 2, delivered: 2, deadLettered: 0 });
  await watching.next('watch', /^waits/);

  put(folder, 'all.yml', pipeline.replace('{ say', '{ sway'));
  const finding = await watching.next('finding');
  assert.deepEqual([finding.file, finding.line, finding.code], ['all.yml', 3, 'unknown-plugin']);
  await watching.next('watch', /^not run$/);

  rmSync(join(folder, 'in'), { recursive: true });
  put(folder, 'all.yml', pipeline);
  await watching.next('finding', /in\/\*\.pb\.gz/);
  await watching.next('watch', /^not run$/);

  mkdirSync(join(folder, 'in'));
  put(folder, 'in/c.pb.gz', sampleBytes);
  assert.deepEqual((await watching.next('run_ended')).inputs, { read: 1, delivered: 1, deadLettered: 0 });
  assert.equal(await watching.end(), 0);
});

test('what is put right while it is looked at is looked at again', async (t) => {
  const folder = temporaryFolder(t);
  const isThere = (name: string) => existsSync(join(folder, name));
  const waiting = `import { existsSync, writeFileSync } from 'node:fs';
writeFileSync('looked', '');
while (!existsSync('go')) await new Promise((resolve) => setTimeout(resolve, 20));
`;
  mkdirSync(join(folder, 'in'));
  copyFileSync(sample, join(folder, 'in', 'a.pb.gz'));
  writeInto(folder, 'say.mjs', `${waiting}${plugin}`);
  writeInto(folder, 'says.mjs', 'export const says = "one";');
  writeInto(folder, 'all.yml', pipeline);
  writeInto(folder, 'go', '');
  const watching = new Watching(t, folder, 'all.yml');
  await watching.next('watch', /^waits/);

  for (const name of ['go', 'looked']) rmSync(join(folder, name));
  put(folder, 'all.yml', pipeline.replace('{ say', '{ sway'));
  while (!isThere('looked')) await sleep(20);
  put(folder, 'all.yml', `name: right\n${pipeline}`);
  writeInto(folder, 'go', '');
  await watching.next('finding');
  await watching.next('run_ended', /^right/);
  assert.equal(await watching.end(), 0);
});

test('a run without an end goes on when the pipeline is spoilt, and gives way to the next one that is right', async (t) => {
  const folder = temporaryFolder(t);
  const endless = (name: string) =>
    `name: ${name}\ninput: { watch: { path: in, checkpoint: done, settle: 0s } }\noutput: [file: { path: "out/{name}.pb.gz" }]\n`;
  mkdirSync(join(folder, 'in'));
  writeInto(folder, 'all.yml', endless('first'));
  const watching = new Watching(t, folder, 'all.yml');
  await watching.next('run_started', /^first/);
  put(folder, 'all.yml', endless('second').replace('settle:', 'setle:'));
  await watching.next('finding');
  await watching.next('watch', /^the change is not taken over: the run goes on as it was$/);
  put(folder, 'in/late.pb.gz', sampleBytes);
  await watching.next('output_written', /late\.pb\.gz$/);
  put(folder, 'all.yml', endless('second'));
  await watching.next('run_ended', /^first/);
  await watching.next('run_started', /^second/);
  assert.equal(await watching.end(), 0);
});

test('what is read from standard input cannot be read again: that is refused', async (t) => {
  const folder = temporaryFolder(t);
  writeInto(folder, 'all.yml', 'input: { stdin: {} }\noutput: [file: { path: out.pb.gz }]\n');
  const line = await new Watching(t, folder, 'all.yml').next('refused');
  assert.match(line.msg, /^--watch: standard input/);
  assert.equal(line.exitCode, 2);
});
