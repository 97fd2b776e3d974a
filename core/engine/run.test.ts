import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { pulled, streamed } from '../../test/helpers/engine-plugins.js';
import type { Plan } from '../config/plan.js';
import { type RunOptions, runPlan } from './run.js';

const schemaOf = (name: string) =>
  new Ajv2020({ allErrors: true }).compile(
    JSON.parse(read(fileURLToPath(new URL(`../../../schemas/${name}.schema.json`, import.meta.url)))),
  );

function assertMatches(name: string, value: unknown): void {
  const validate = schemaOf(name);
  assert.ok(validate(JSON.parse(JSON.stringify(value))), JSON.stringify(validate.errors));
}

const registryModule = new URL('../../test/helpers/engine-plugins.js', import.meta.url).href;
const run = (plan: Plan, options: Omit<RunOptions, 'registryModule'> = {}) =>
  runPlan(plan, { registryModule, ...options });

const home = mkdtempSync(join(tmpdir(), 'profpipe-run-'));
after(() => rmSync(home, { recursive: true }));
const folder = (): string => mkdtempSync(join(home, 'out-'));
const read = (path: string): string => readFileSync(path, 'utf8');

/** A plan over texts, one output an item unless there is an aggregate. */
function planOf(
  out: string,
  texts: readonly string[],
  change: Partial<Plan> & { aggregate?: boolean; counted?: boolean } = {},
): Plan {
  const { aggregate = false, counted = true, ...rest } = change;
  const stages = [{ plugin: 'act', options: {} }];
  return {
    name: 'test',
    file: 'test.yml',
    pluginModules: [],
    source: { plugin: 'texts', options: { texts, counted } },
    segments: aggregate ? [{ stages, aggregate: { plugin: 'sorted', options: {} } }, { stages: [] }] : [{ stages }],
    outputs: [
      {
        sink: { plugin: 'file', options: { path: join(out, aggregate ? 'all.words' : '{name}.words') } },
        codec: { plugin: 'words', options: {} },
      },
    ],
    onError: 'dead-letter',
    deadLetter: join(out, 'dead-letter'),
    isolation: 'thread',
    timeoutMs: 300_000,
    limits: {},
    secrets: [],
    ...rest,
  };
}

for (const [how, options] of Object.entries({ 'in-process': { inProcess: true }, 'two workers': { workers: 2 } })) {
  test(`${how}: every item becomes an output, in the order of the source`, async () => {
    const out = folder();
    const summary = await run(planOf(out, ['sleep80 a', 'sleep1 b', 'c', 'sleep20 d']), options);
    assert.equal(summary.status, 'ok');
    assert.equal(summary.exitCode, 0);
    assert.deepEqual(
      summary.outputs.map(({ input }) => input),
      ['item0', 'item1', 'item2', 'item3'],
    );
    assert.equal(read(join(out, 'item3.words')), 'words\nsleep20 d\n');
    assert.deepEqual(summary.inputs, { read: 4, delivered: 4, deadLettered: 0 });
    assert.equal(summary.samples, 7);
    assert.deepEqual(summary.counters.act, { acts: 4 });
    assert.deepEqual(summary.warnings, [{ code: 'W_ACT', message: 'acted', items: 4 }]);
    assert.deepEqual(summary.reports[0]?.table?.rows, [['7']]);
    assertMatches('run-summary', summary);
  });

  test(`${how}: a bad item is dead-lettered with its bytes and place, the others are delivered`, async () => {
    const out = folder();
    const summary = await run(planOf(out, ['a', 'so bad', 'throw', 'd']), options);
    assert.equal(summary.status, 'dead-lettered');
    assert.equal(summary.exitCode, 20);
    assert.deepEqual(summary.inputs, { read: 4, delivered: 2, deadLettered: 2 });
    assert.deepEqual(summary.counters.act, { acts: 2 });
    const [decode, stage] = summary.failures;
    assert.equal(decode?.code, 'E_BAD_WORD');
    assert.equal(decode?.stage, 'decode');
    assert.equal(decode?.offset, 9);
    assert.equal(decode?.uri, 'item1');
    assert.equal(stage?.code, 'E_PLUGIN_THREW');
    assert.equal(stage?.stage, 'stages[0]');
    assert.equal(stage?.plugin, 'act');
    assert.match(stage?.message ?? '', /asked to throw/);
    const letter = JSON.parse(read(decode!.deadLetter!));
    assert.equal(read(join(out, 'dead-letter', letter.bytes)), 'words\nso bad');
    assert.equal(letter.size, 12);
    assertMatches('dead-letter', letter);
    assertMatches('run-summary', summary);
    assert.deepEqual(readdirSync(out).sort(), ['dead-letter', 'item0.words', 'item3.words']);
  });
}

test('the summary says what each plugin gave, and how long it took, the same bytes in-process and in workers', async () => {
  const texts = ['sleep20 a', 'b', 'throw', 'd e'];
  const bytes = texts.reduce((sum, text) => sum + `words\n${text}`.length, 0);
  const bytesOf = async (options: Omit<RunOptions, 'registryModule'>) => {
    const out = folder();
    const { plugins, outputs, timing } = await run(planOf(out, texts, { aggregate: true }), options);
    const written = outputs.reduce((sum, output) => sum + output.bytes, 0);
    assert.deepEqual(
      plugins.map(({ stage, kind, plugin }) => [stage, kind, plugin]),
      [
        ['read', 'source', 'texts'],
        ['decode', 'codec', 'words'],
        ['stages[0]', 'stage', 'act'],
        ['stages[1]', 'aggregate', 'sorted'],
        ['outputs[0]', 'codec', 'words'],
        ['outputs[0]', 'sink', 'file'],
      ],
    );
    // The input that threw is none that was delivered.
    assert.equal(plugins[0]?.bytes, bytes - 'words\nthrow'.length);
    assert.deepEqual([plugins[4]?.bytes, plugins[5]?.bytes], [written, written]);
    // Of two workers at once.
    assert.ok(plugins[2]!.ms >= 19 && plugins[2]!.ms <= 2 * timing.wallMs, `${plugins[2]!.ms}`);
    assert.equal(timing.workMs.act, plugins[2]!.ms);
    return plugins.map((plugin) => plugin.bytes);
  };
  assert.deepEqual(await bytesOf({ workers: 2 }), await bytesOf({ inProcess: true }));
});

test('an aggregate gives the same bytes in-process and with 1, 2 and 4 workers, bad items left out', async () => {
  const texts = Array.from({ length: 23 }, (_, index) => (index === 11 ? 'bad' : `w${(index * 7) % 23} x`));
  const results: string[] = [];
  for (const options of [{ inProcess: true }, { workers: 1 }, { workers: 2 }, { workers: 4 }]) {
    const out = folder();
    const summary = await run(planOf(out, texts, { aggregate: true }), options);
    assert.equal(summary.exitCode, 20);
    assert.deepEqual(summary.inputs, { read: 23, delivered: 22, deadLettered: 1 });
    assert.equal(summary.outputs.length, 1);
    results.push(read(join(out, 'all.words')));
  }
  assert.equal(new Set(results).size, 1);
  assert.equal(results[0]!.split(/\s+/).length, 1 + 44 + 1);
});

test('an aggregate over a source of unknown length works item by item', async () => {
  const out = folder();
  const summary = await run(planOf(out, ['b', 'a', 'c'], { aggregate: true, counted: false }), { workers: 2 });
  assert.equal(summary.exitCode, 0);
  assert.equal(read(join(out, 'all.words')), 'words\na b c\n');
});

test('a source is never asked for more than the pool has room for', async () => {
  const out = folder();
  const texts = Array.from({ length: 40 }, (_, index) => `sleep5 t${index}`);
  const drain = new AbortController();
  let most = 0;
  const summary = await run(planOf(out, texts, { counted: false }), {
    workers: 2,
    drain: drain.signal,
    onProgress: ({ done }) => {
      most = Math.max(most, pulled.count - done);
    },
  });
  assert.equal(summary.inputs.delivered, 40);
  assert.ok(most <= 5, `${most} items were pulled ahead`);
});

test('an item that ends its thread costs only itself', async () => {
  const out = folder();
  const summary = await run(planOf(out, ['a', 'exit', 'c', 'd'], { aggregate: true }), { workers: 2 });
  assert.equal(summary.exitCode, 20);
  assert.equal(summary.failures[0]?.code, 'E_WORKER_DIED');
  assert.equal(summary.failures[0]?.uri, 'item1');
  assert.equal(read(join(out, 'all.words')), 'words\na c d\n');
});

test('a drain finishes what runs, takes nothing new, and leaves no aggregate of half of the inputs', async () => {
  for (const aggregate of [false, true]) {
    const out = folder();
    const drain = new AbortController();
    const texts = Array.from({ length: 100 }, (_, index) => `sleep30 t${index}`);
    const summary = await run(planOf(out, texts, { aggregate, counted: false }), {
      workers: 2,
      drain: drain.signal,
      onProgress: ({ done }) => done >= 3 && drain.abort('SIGTERM'),
    });
    assert.equal(summary.status, 'interrupted');
    assert.equal(summary.exitCode, 143);
    assert.ok(summary.inputs.delivered < 100);
    const files = readdirSync(out).filter((name) => name !== 'dead-letter');
    assert.equal(files.length, aggregate ? 0 : summary.inputs.delivered);
    assert.deepEqual(summary.failures, []);
  }
});

test('a run that is stopped at once is interrupted, whatever is at work or behind it', async () => {
  for (const aggregate of [false, true]) {
    const stop = new AbortController();
    pulled.count = 0;
    const texts = Array.from({ length: 8 }, (_, index) => `sleep600000 t${index}`);
    const summary = await run(planOf(folder(), texts, { aggregate, counted: false }), {
      workers: 2,
      signal: stop.signal,
      // As many as there may be under way.
      onProgress: () => pulled.count >= 4 && stop.abort(),
    });
    assert.deepEqual([summary.status, summary.exitCode], ['interrupted', 130]);
    assert.equal(summary.stopped?.code, 'E_INTERRUPTED');
    assert.deepEqual(summary.failures, []);
  }
});

/** @param atEnd done when there are no more pieces, and waited for */
async function* piecesOf(texts: readonly string[], atEnd: () => void | Promise<void>): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
  await atEnd();
}

test('a stream is one input: read as it comes, or held whole for workers, and bad when it cannot be read on', async () => {
  for (const options of [{ inProcess: true }, { workers: 1 }]) {
    const out = folder();
    const plan = planOf(out, [], { source: { plugin: 'stream', options: {} } });
    streamed.pieces = piecesOf(['wor', 'ds\na', ' b'], () => {});
    const summary = await run(plan, options);
    assert.deepEqual([summary.exitCode, summary.inputs.delivered], [0, 1]);
    assert.equal(read(join(out, 'stream.words')), 'words\na b\n');
    streamed.pieces = piecesOf(['words\nc'], () => Promise.reject(new Error('a broken pipe')));
    const { exitCode, failures } = await run(plan, options);
    assert.equal(exitCode, 20);
    assert.match(failures[0]!.message, /a broken pipe/);
    assert.equal(failures[0]!.stage, 'read');
  }
});

test('a first signal lets a stream come to its end, a second one does not wait for it', async () => {
  for (const isStopped of [false, true]) {
    const plan = planOf(folder(), [], { source: { plugin: 'stream', options: {} } });
    const [drain, stop] = [new AbortController(), new AbortController()];
    streamed.pieces = piecesOf(['words\na'], async () => {
      drain.abort('SIGINT');
      if (!isStopped) return;
      stop.abort('SIGINT');
      await new Promise(() => {});
    });
    const summary = await run(plan, { inProcess: true, drain: drain.signal, signal: stop.signal });
    assert.deepEqual([summary.status, summary.exitCode], ['interrupted', 130]);
    assert.equal(summary.inputs.delivered, isStopped ? 0 : 1);
    assert.deepEqual(summary.failures, []);
  }
});

test('signals that came before there were workers stop it too', async () => {
  const plan = planOf(folder(), ['a'], { segments: [{ stages: [{ plugin: 'unmade', options: {} }] }] });
  const aborted = AbortSignal.abort('SIGTERM');
  const summary = await run(plan, { workers: 1, drain: aborted, signal: aborted });
  assert.deepEqual([summary.status, summary.exitCode], ['interrupted', 143]);
});

test('on_error: stop ends the run at the first bad item', async () => {
  const out = folder();
  const summary = await run(planOf(out, ['a', 'bad', 'c'], { onError: 'stop' }), { inProcess: true });
  assert.equal(summary.exitCode, 21);
  assert.equal(summary.failures.length, 1);
  assert.deepEqual(readdirSync(out), ['item0.words']);
});

test('nothing is read when two items would get one output, or the output is a symbolic link', async () => {
  const out = folder();
  const twice = planOf(out, ['a', 'b'], {
    outputs: [
      { sink: { plugin: 'file', options: { path: join(out, 'x.words') } }, codec: { plugin: 'words', options: {} } },
    ],
  });
  await assert.rejects(
    run(twice),
    (error: { code: string; message: string }) => error.code === 'output-twice' && /item0.*item1/.test(error.message),
  );
  writeFileSync(join(out, 'elsewhere'), '');
  symlinkSync(join(out, 'elsewhere'), join(out, 'item0.words'));
  const summary = await run(planOf(out, ['a']), { inProcess: true }).catch((error) => error);
  assert.match(String(summary.code ?? summary.stopped?.code), /output-is-link|E_WRITE/);
  assert.equal(read(join(out, 'elsewhere')), '');
});
