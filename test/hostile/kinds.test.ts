/** Misbehaviour of the other kinds of plugins, and of modules while they are loaded: what is lost, and what it is laid at. */
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pipe, root } from '../helpers/pipe.js';
import { temporaryFolder } from '../helpers/temporary.js';

const kinds = join(root, 'test', 'hostile', 'kinds');

interface Change {
  readonly plugin: string;
  readonly workers?: number;
  readonly timeout?: string;
  readonly input?: string;
  readonly stages?: string;
  readonly output?: string;
}

/** A run over three profiles a, b, c with one plugin of the folder. */
function run(
  t: TestContext,
  { plugin, workers = 1, timeout = '10s', input, stages = '', output = 'file: { path: "out/{name}.pb.gz" }' }: Change,
) {
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, 'in'));
  for (const name of ['a', 'b', 'c']) {
    copyFileSync(join(root, 'pipelines', 'samples', 'goroutine.pb.gz'), join(folder, 'in', `${name}.pb.gz`));
  }
  const lines = [
    `plugins: [${JSON.stringify(join(kinds, `${plugin}.mjs`))}]`,
    `input: { ${input ?? 'file: { paths: ["in/*.pb.gz"] }'} }`,
    `timeout: ${timeout}`,
    `stages: [${stages}]`,
    `output: [{ ${output} }]`,
  ];
  writeFileSync(join(folder, 'p.yml'), lines.join('\n'));
  const { stdout, stderr, exitCode } = pipe(['run', 'p.yml', '--json', '--workers', `${workers}`], { cwd: folder });
  return { exitCode, stderr, result: JSON.parse(stdout) };
}

/** "code plugin place" of each failure, and what it is of. */
const failures = (result: { failures: readonly Record<string, string>[] }) =>
  result.failures.map(({ code, plugin, stage, uri }) => [code, plugin, stage, uri?.replace(/^.*\//, '')].join(' '));

for (const [how, expected] of Object.entries({
  add: ['E_PLUGIN_THREW bad-aggregate stages[0] b.pb.gz', 'E_PLUGIN_RUBBISH bad-aggregate stages[0] p'],
  'add-later': ['E_PLUGIN_RUBBISH bad-aggregate stages[0] b.pb.gz', 'E_PLUGIN_RUBBISH bad-aggregate stages[0] p'],
  empty: ['a', 'b', 'c'].map((name) => `E_PLUGIN_THREW bad-aggregate stages[0] ${name}.pb.gz`),
  encode: ['a', 'b', 'c'].map((name) => `E_PLUGIN_RUBBISH bad-aggregate stages[0] ${name}.pb.gz`),
  decode: ['E_PLUGIN_THREW bad-aggregate stages[0] p'],
  merge: ['E_PLUGIN_THREW bad-aggregate stages[0] p'],
  'finish-blocks': ['E_TIMEOUT bad-aggregate stages[0] p'],
  finish: ['E_PLUGIN_RUBBISH bad-aggregate stages[0] p'],
})) {
  test(`an aggregate that fails in ${how}`, (t) => {
    const { exitCode, result } = run(t, {
      plugin: 'bad-aggregate',
      // So that there is something to merge.
      workers: 2,
      ...(how === 'finish-blocks' ? { timeout: '2s' } : {}),
      stages: `bad-aggregate: { how: ${how} }`,
      output: 'file: { path: out/all.pb.gz }',
    });
    assert.equal(exitCode, 20);
    assert.deepEqual(failures(result).sort(), [...expected].sort());
    assert.equal(result.outputs.length, 0);
  });
}

for (const [how, expected] of Object.entries({
  decode: 'E_PLUGIN_THREW bad-codec decode',
  'decode-rubbish': 'E_PLUGIN_RUBBISH bad-codec decode',
})) {
  test(`a codec with ${how}`, (t) => {
    const { exitCode, result } = run(t, {
      plugin: 'bad-codec',
      input: `file: { paths: ["in/*.pb.gz"] }, codec: { bad-codec: { how: ${how} } }`,
    });
    assert.equal(exitCode, 20);
    assert.deepEqual(
      failures(result),
      ['a', 'b', 'c'].map((name) => `${expected} ${name}.pb.gz`),
    );
  });
}

for (const [how, code] of Object.entries({ encode: 'E_PLUGIN_THREW', 'encode-rubbish': 'E_PLUGIN_RUBBISH' })) {
  test(`a codec with ${how}, whose detect throws besides`, (t) => {
    const output = `file: { path: "out/{name}.bad", codec: { bad-codec: { how: ${how} } } }`;
    const { exitCode, result } = run(t, { plugin: 'bad-codec', output });
    assert.equal(exitCode, 20);
    assert.deepEqual(
      failures(result),
      ['a', 'b', 'c'].map((name) => `${code} bad-codec outputs[0] ${name}.pb.gz`),
    );
  });
}

test('a codec whose detect throws is passed over, with a warning', (t) => {
  const { exitCode, result } = run(t, { plugin: 'bad-codec' });
  assert.equal(exitCode, 0);
  assert.equal(result.warnings[0].code, 'detect_threw');
  assert.equal(result.warnings[0].items, 3);
});

for (const [how, code] of Object.entries({
  write: 'E_PLUGIN_THREW',
  hang: 'E_TIMEOUT',
  exit: 'E_PLUGIN_EXIT',
  timer: 'E_PLUGIN_THREW',
  rubbish: 'E_PLUGIN_RUBBISH',
})) {
  test(`a sink that fails on one item: ${how}`, (t) => {
    const { exitCode, result } = run(t, { plugin: 'bad-sink', timeout: '5s', output: `bad-sink: { how: ${how} }` });
    assert.equal(exitCode, 20);
    assert.deepEqual(failures(result), [`${code} bad-sink outputs[0] b.pb.gz`]);
    assert.equal(result.inputs.delivered, 2);
    assert.match(result.failures[0].pluginAt, /kinds\/.*\.mjs:?/);
  });
}

for (const how of ['destination', 'no-destination']) {
  test(`a sink that cannot say where it writes: ${how}`, (t) => {
    const { exitCode, result } = run(t, { plugin: 'bad-sink', output: `bad-sink: { how: ${how} }` });
    assert.equal(exitCode, 2);
    assert.match(JSON.stringify(result), /destination/);
  });
}

for (const how of ['create', 'create-rubbish', 'prepare']) {
  test(`a sink that refuses: ${how}`, (t) => {
    const { exitCode, stderr } = run(t, { plugin: 'bad-sink', output: `bad-sink: { how: ${how} }` });
    assert.equal(exitCode, 2);
    assert.match(stderr, /p\.yml:5:\d+ plugin-refuses output\[0\]\.bad-sink: /);
  });
}

test('a sink that cannot close itself is a warning', (t) => {
  const { exitCode, result } = run(t, { plugin: 'bad-sink', output: 'bad-sink: { how: close }' });
  assert.equal(exitCode, 0);
  assert.equal(result.warnings[0].code, 'close_failed');
});

test('a source that throws or exits stops the run, which says so', (t) => {
  for (const how of ['throws', 'exits']) {
    const { exitCode, result } = run(t, { plugin: 'bad-source', input: `bad-source: { how: ${how} }` });
    assert.equal(exitCode, 21);
    assert.equal(result.stopped.code, 'E_SOURCE');
    assert.match(result.stopped.message, /^source bad-source 6\.6\.6: /);
  }
});

test('a source that yields something else than items: only that is lost', (t) => {
  const { exitCode, result } = run(t, { plugin: 'bad-source', input: 'bad-source: { how: rubbish }' });
  assert.equal(exitCode, 20);
  assert.equal(result.inputs.delivered, 2);
  assert.match(result.failures[0].message, /source bad-source 6\.6\.6 yielded no item/);
});

test('what a source has left behind does not keep the process from its end', (t) => {
  const { exitCode, result } = run(t, { plugin: 'bad-source', input: 'bad-source: { how: leaves-timer }' });
  assert.equal(exitCode, 0);
  assert.equal(result.inputs.delivered, 2);
});

for (const how of ['merge', 'render', 'json']) {
  test(`a stage whose report cannot be shown (${how}) costs a warning`, (t) => {
    const { exitCode, result } = run(t, { plugin: 'bad-reports', stages: `bad-reports: { how: ${how} }` });
    assert.equal(exitCode, 0);
    assert.match(result.warnings[0].code, /^report_/);
    assert.equal(result.inputs.delivered, 3);
  });
}

test('a module that prints when it is loaded does not print on stdout', (t) => {
  const { exitCode, stderr, result } = run(t, { plugin: 'prints-when-loaded', stages: 'prints-when-loaded: {}' });
  assert.equal(exitCode, 0);
  assert.match(stderr, /hello from a module/);
  assert.equal(result.inputs.delivered, 3);
});

test('a module that changes what all code shares is refused when it is loaded', (t) => {
  const { exitCode, stderr } = run(t, { plugin: 'changes-when-loaded', stages: 'changes-when-loaded: {}' });
  assert.equal(exitCode, 2);
  assert.match(stderr, /changes-when-loaded\.mjs changes Array\.prototype\.filter/);
});
