/** `pipe run` that writes windows of a watched folder while it runs: when, into which files, and what is done by then. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from './helpers/pipe.js';
import { temporaryFolder } from './helpers/temporary.js';
import { countsOf, putProfile } from './helpers/windows.js';

const bin = join(root, 'dist', 'core', 'cli', 'bin.js');

async function until(isSo: () => boolean): Promise<void> {
  for (const startedMs = performance.now(); !isSo(); await sleep(10)) {
    assert.ok(performance.now() - startedMs < 300_000, 'not so after five minutes');
  }
}

class Collection {
  readonly #folder: string;
  readonly #pipeline: string;
  #child: ChildProcess | undefined;
  #said = '';

  constructor(t: TestContext, aggregate: string) {
    this.#folder = temporaryFolder(t);
    mkdirSync(join(this.#folder, 'in'));
    this.#pipeline = join(this.#folder, 'windows.yml');
    writeFileSync(
      this.#pipeline,
      `name: windows
input:
  watch: { path: in, checkpoint: checkpoint, every: 10ms, settle: 0s }
stages:
  - aggregate: ${aggregate}
output:
  - file: { path: "out/\${group.window}.pb.gz" }
dead_letter: dead
`,
    );
    t.after(() => this.#child?.kill('SIGKILL'));
  }

  start(...args: string[]): void {
    this.#child = spawn(process.execPath, [bin, 'run', this.#pipeline, '--json', ...args]);
    this.#said = '';
    this.#child.stdout?.on('data', (text) => {
      this.#said += text;
    });
  }

  /** Ends it with SIGTERM. @returns its exit code and the counters of aggregate */
  async end() {
    const ended = once(this.#child!, 'close');
    this.#child!.kill('SIGTERM');
    const [exitCode] = await ended;
    return { exitCode, counters: JSON.parse(this.#said).counters.aggregate ?? {} };
  }

  async kill(): Promise<void> {
    const ended = once(this.#child!, 'close');
    this.#child!.kill('SIGKILL');
    await ended;
  }

  /** Files that are there together come in the order of their ages. */
  setAge(name: string, seconds: number): void {
    utimesSync(join(this.#folder, 'in', `${name}.pb`), 1e9 - seconds, 1e9 - seconds);
  }

  put(name: string, time: string | 0): Promise<void> {
    return putProfile(join(this.#folder, 'in'), name, time === 0 ? 0 : Date.parse(time));
  }

  /** Without those that are being written. */
  files(folder = 'out'): string[] {
    const path = join(this.#folder, folder);
    return existsSync(path) ? readdirSync(path).filter((name) => !name.startsWith('.')) : [];
  }

  /** File → what is in it. */
  async windows(): Promise<Record<string, string>> {
    const windows: Record<string, string> = {};
    for (const file of this.files().sort()) {
      const counts = await countsOf(readFileSync(join(this.#folder, 'out', file)));
      windows[file.replace('.pb.gz', '')] = Array.from(counts, ([name, count]) => `${name}:${count}`).join(' ');
    }
    return windows;
  }

  done(): string[] {
    return this.#checkpointed(2);
  }

  /** Files of which windows are open, each time that others were written. */
  partlyDone(): string[] {
    return this.#checkpointed(4);
  }

  #checkpointed(fields: number): string[] {
    const path = join(this.#folder, 'checkpoint');
    if (!existsSync(path)) return [];
    const lines = readFileSync(path, 'utf8').split('\n').slice(1, -1);
    const values = lines.filter((line) => line.startsWith('[')).map((line) => JSON.parse(line) as string[]);
    return values.filter(({ length }) => length === fields).map(([file]) => file!);
  }

  deadLetter(): string {
    const [path = ''] = this.files('dead').filter((name) => name.endsWith('.json'));
    return readFileSync(join(this.#folder, 'dead', path), 'utf8');
  }
}

test('a window is written when the newest profile is past it, and settles its own', async (t) => {
  const collection = new Collection(t, '{ every: 1h, lateness: 5m }');
  collection.start();
  await collection.put('a', '2020-01-01T10:05Z');
  await collection.put('b', '2020-01-01T10:59Z');
  await collection.put('none', 0);
  await collection.put('c', '2020-01-01T11:04Z');
  await until(() => collection.files('in').length === 4);
  await collection.put('d', '2020-01-01T10:58Z');
  await sleep(200);
  assert.deepEqual(collection.files(), []);
  await collection.put('e', '2020-01-01T11:05Z');
  await until(() => collection.done().length === 4);
  assert.deepEqual(await collection.windows(), { '20200101T100000Z': 'a:1 d:1 b:1', none: 'none:1' });
  assert.deepEqual(collection.done().sort(), ['a.pb', 'b.pb', 'd.pb', 'none.pb']);
  // Late: it waits for the next window that ends, and goes beside what was written.
  await collection.put('late', '2020-01-01T10:30Z');
  await sleep(200);
  assert.equal(collection.files().length, 2);
  await collection.put('f', '2020-01-01T12:05Z');
  await until(() => collection.done().length === 7);
  const { exitCode, counters } = await collection.end();
  assert.equal(exitCode, 0);
  assert.deepEqual(counters, { late_profiles: 1 });
  // A run after it does not touch what it wrote.
  collection.start('--in-process');
  await collection.put('g', '2020-01-01T12:30Z');
  await collection.put('h', '2020-01-01T13:05Z');
  await until(() => collection.done().length === 9);
  await collection.end();
  assert.deepEqual(await collection.windows(), {
    '20200101T100000Z': 'a:1 d:1 b:1',
    '20200101T100000Z.2': 'late:1',
    '20200101T110000Z': 'c:1 e:1',
    '20200101T120000Z': 'f:1',
    '20200101T120000Z.2': 'g:1',
    '20200101T130000Z': 'h:1',
    none: 'none:1',
  });
});

test('what comes late can be a dead letter', async (t) => {
  const collection = new Collection(t, '{ every: 1h, late: dead-letter }');
  collection.start();
  await collection.put('a', '2020-01-01T10:05Z');
  await collection.put('b', '2020-01-01T11:00Z');
  await until(() => collection.files().length === 1);
  await collection.put('late', '2020-01-01T10:59Z');
  await until(() => collection.done().includes('late.pb'));
  assert.match(collection.deadLetter(), /E_LATE.*its window ended at 2020-01-01T11:00:00.000Z and has been written/s);
  assert.equal((await collection.end()).exitCode, 20);
  assert.deepEqual(await collection.windows(), { '20200101T100000Z': 'a:1', '20200101T110000Z': 'b:1' });
});

test('windows that overlap are written one after the other', async (t) => {
  const collection = new Collection(t, '{ every: 2h, slide: 1h }');
  collection.start();
  await collection.put('a', '2020-01-01T10:05Z');
  await collection.put('b', '2020-01-01T11:05Z');
  await until(() => collection.files().length === 1);
  await sleep(100);
  // Not all of its windows are written.
  assert.deepEqual(collection.done(), []);
  await collection.put('c', '2020-01-01T12:05Z');
  await until(() => collection.done().length === 1);
  assert.deepEqual(collection.done(), ['a.pb']);
  assert.equal((await collection.end()).exitCode, 0);
  assert.deepEqual(await collection.windows(), {
    '20200101T090000Z': 'a:1',
    '20200101T100000Z': 'a:1 b:1',
    '20200101T110000Z': 'b:1 c:1',
    '20200101T120000Z': 'c:1',
  });
});

test('a run that is killed between windows that overlap leaves its profiles for the others', async (t) => {
  const collection = new Collection(t, '{ every: 2h, slide: 1h, late: dead-letter }');
  await collection.put('a', '2020-01-01T10:05Z');
  collection.setAge('a', 0);
  collection.start('--in-process');
  await collection.put('b', '2020-01-01T11:00Z');
  await until(() => collection.partlyDone().length === 1);
  await collection.kill();
  assert.deepEqual(await collection.windows(), { '20200101T090000Z': 'a:1' });
  assert.deepEqual(collection.done(), []);
  collection.setAge('b', 2);
  await collection.put('c', '2020-01-01T13:05Z');
  collection.setAge('c', 1);
  collection.start('--in-process');
  // The window of a and b is written again before a comes, which was in time all the same.
  await collection.put('d', '2020-01-01T14:05Z');
  await until(() => collection.done().includes('a.pb'));
  assert.deepEqual(await collection.end(), { exitCode: 0, counters: { late_profiles: 1 } });
  assert.deepEqual(await collection.windows(), {
    '20200101T090000Z': 'a:1',
    '20200101T100000Z': 'b:1',
    '20200101T100000Z.2': 'a:1',
    '20200101T110000Z': 'b:1',
    '20200101T120000Z': 'c:1',
    '20200101T130000Z': 'c:1 d:1',
    '20200101T140000Z': 'd:1',
  });
});

for (const [clock, length] of [
  ['arrival', '1s'],
  ['profile', '1s'],
] as const) {
  test(`by the time of ${clock} a window is written though nothing comes any more`, async (t) => {
    const collection = new Collection(t, `{ every: ${length}, clock: ${clock} }`);
    collection.start();
    await collection.put('a', new Date(Date.now() - 50).toISOString());
    await until(() => collection.done().length === 1);
    assert.equal((await collection.end()).exitCode, 0);
    assert.deepEqual(Object.values(await collection.windows()), ['a:1']);
  });
}
