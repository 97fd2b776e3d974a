/**
 * Plugins that misbehave in every way that we could think of, all of them in one pipeline, each on the one input that bears its name:
 * it costs that input, the dead letter names it, and everybody else's inputs are delivered.
 */
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { RunSummary } from '../../core/engine/contract/telemetry.js';
import type { DeadLetter } from '../../core/engine/flow/dead-letter.js';
import { pipe, root } from '../helpers/pipe.js';
import { temporaryFolder } from '../helpers/temporary.js';

const zoo = join(root, 'test', 'hostile', 'zoo');
const all = readdirSync(zoo)
  .map((file) => basename(file, '.mjs'))
  .filter((name) => name !== 'animal');

/** What each costs its input; those that are not here cost nothing. `line`: whether the dead letter says where in the file; absent: it may. */
const costs: Readonly<Record<string, { readonly code: RegExp; readonly line?: boolean }>> = {
  throws: { code: /^E_PLUGIN_THREW$/, line: true },
  'throws-undefined': { code: /^E_PLUGIN_THREW$/, line: false },
  'throws-unprintable': { code: /^E_PLUGIN_THREW$/, line: false },
  'throws-unprintable-error': { code: /^E_PLUGIN_THREW$/, line: false },
  'throws-much': { code: /^E_PLUGIN_THREW$/, line: true },
  'throws-circle': { code: /^E_PLUGIN_THREW$/, line: true },
  rejects: { code: /^E_PLUGIN_THREW$/, line: true },
  recurses: { code: /^E_PLUGIN_THREW$/, line: true },
  hangs: { code: /^E_TIMEOUT$/, line: false },
  'thenable-hangs': { code: /^E_TIMEOUT$/, line: false },
  blocks: { code: /^E_TIMEOUT$/, line: true },
  'blocks-later': { code: /^E_TIMEOUT$/, line: true },
  exits: { code: /^E_PLUGIN_EXIT$/, line: true },
  'exits-later': { code: /^E_PLUGIN_EXIT$/, line: true },
  aborts: { code: /^E_PLUGIN_EXIT$/, line: true },
  'kills-itself': { code: /^E_PLUGIN_EXIT$/, line: true },
  'fills-heap': { code: /^E_WORKER_OOM$|^E_TIMEOUT$/ },
  'fills-buffers': { code: /^E_WORKER_OOM$|^E_PLUGIN_THREW$|^E_TIMEOUT$/ },
  'timer-throws': { code: /^E_PLUGIN_THREW$/, line: true },
  'microtask-throws': { code: /^E_PLUGIN_THREW$/, line: true },
  'promise-left-alone': { code: /^E_PLUGIN_THREW$/, line: true },
  'emits-error': { code: /^E_PLUGIN_THREW$/, line: true },
  'returns-nothing': { code: /^E_PLUGIN_RUBBISH$/, line: false },
  'returns-text': { code: /^E_PLUGIN_RUBBISH$/, line: false },
  'returns-proxy': { code: /^E_TIMEOUT$|^E_PLUGIN_RUBBISH$/ },
  'returns-bad-columns': { code: /^E_PLUGIN_RUBBISH$/, line: false },
  'returns-bad-rows': { code: /^E_PLUGIN_RUBBISH$/, line: false },
  'returns-long-table': { code: /^E_PLUGIN_RUBBISH$/, line: false },
  'writes-into-its-input': { code: /^E_PLUGIN_RUBBISH$/, line: false },
  'takes-buffers-away': { code: /^E_PLUGIN_RUBBISH$/, line: false },
  'changes-array': { code: /^E_PLUGIN_TAMPERED$/, line: false },
  'changes-promise': { code: /^E_PLUGIN_TAMPERED$/, line: false },
  'adds-to-every-object': { code: /^E_PLUGIN_TAMPERED$/, line: false },
  'replaces-globals': { code: /^E_PLUGIN_TAMPERED$/, line: false },
  'reports-a-function': { code: /^E_PLUGIN_THREW$/, line: true },
  'counts-nothing': { code: /^E_PLUGIN_THREW$/, line: true },
  'closes-its-port': { code: /^E_TIMEOUT$|^E_WORKER_DIED$/, line: false },
  'deafens-the-thread': { code: /^E_TIMEOUT$|^E_WORKER_DIED$/, line: false },
};
const innocents = ['a', 'b', 'c', 'd', 'e'];

interface Ran {
  readonly summary: RunSummary;
  readonly folder: string;
  readonly stderr: string;
}

function runZoo(t: TestContext, animals: readonly string[], more = ''): Ran {
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, 'in'));
  for (const name of [...animals, ...innocents]) {
    copyFileSync(join(root, 'pipelines', 'samples', 'goroutine.pb.gz'), join(folder, 'in', `${name}.pb.gz`));
  }
  const lines = [
    `plugins: [${animals.map((name) => JSON.stringify(join(zoo, `${name}.mjs`))).join(', ')}]`,
    'input: { file: { paths: ["in/*.pb.gz"] } }',
    'timeout: 5s',
    'limits: { threadHeapBytes: 134217728, processBytes: 800000000 }',
    `stages: [${animals.map((name) => `{ ${name}: {} }`).join(', ')}${more}]`,
    `output: [{ file: { path: "out/${more === '' ? '{name}' : 'all'}.pb.gz" } }]`,
  ];
  writeFileSync(join(folder, 'zoo.yml'), lines.join('\n'));
  const { stdout, stderr, exitCode } = pipe(['run', 'zoo.yml', '--json', '--workers', '2'], {
    cwd: folder,
    timeout: 240_000,
  });
  assert.equal(exitCode, 20, stderr);
  return { summary: JSON.parse(stdout), folder, stderr };
}

/** Every misbehaviour has cost its own input, and nothing else has been lost. */
function assertEachPaidForItself({ summary, folder }: Ran, animals: readonly string[]): void {
  const paid = summary.failures.map(({ uri }) => basename(uri, '.pb.gz'));
  const guilty = animals.filter((name) => costs[name] !== undefined);
  assert.deepEqual(paid.sort(), guilty.sort());
  for (const failure of summary.failures) {
    const name = basename(failure.uri, '.pb.gz');
    const { code, line } = costs[name]!;
    assert.match(failure.code, code, name);
    assert.equal(failure.plugin, name);
    assert.equal(failure.pluginVersion, '6.6.6');
    assert.match(failure.stage, /^stages\[\d+\]$/, name);
    const place = line === undefined ? '(:\\d+:\\d+)?' : line ? ':\\d+:\\d+' : '';
    assert.match(failure.pluginAt!, new RegExp(`zoo/${name}\\.mjs${place}$`), name);
    assert.ok(failure.message.length < 3_000, name);
    const letter = JSON.parse(readFileSync(failure.deadLetter!, 'utf8')) as DeadLetter;
    assert.equal(letter.pluginAt, failure.pluginAt);
    readFileSync(join(folder, 'out', 'dead-letter', letter.bytes!));
  }
  assert.equal(summary.inputs.delivered, animals.length + innocents.length - guilty.length);
}

/** Nobody says whose the memory of the process is: beside one that hangs, it may be the one that hangs that is taken for guilty. */
const fillsProcess = ['fills-buffers'];
const others = all.filter((name) => !fillsProcess.includes(name));

test('one output for each input: a misbehaving plugin costs the input that it misbehaves on', (t) => {
  const ran = runZoo(t, others);
  assertEachPaidForItself(ran, others);
  const delivered = readdirSync(join(ran.folder, 'out')).filter((name) => name.endsWith('.pb.gz'));
  assert.deepEqual(
    delivered.map((name) => basename(name, '.pb.gz')).sort(),
    [...innocents, ...others.filter((name) => costs[name] === undefined)].sort(),
  );
  assert.match(ran.stderr, /this is no profile/);
  const late = ran.summary.warnings.filter(({ code }) => code === 'late_error');
  for (const { message } of late) assert.match(message, /^throws-afterwards 6\.6\.6 threw outside of its call/);
});

test('a plugin that fills the memory of the process costs its input', (t) => {
  assertEachPaidForItself(runZoo(t, fillsProcess), fillsProcess);
});

test('behind an aggregate, where inputs share a task: the others are merged', (t) => {
  const animals = ['throws', 'hangs', 'blocks', 'exits', 'fills-heap', 'changes-array', 'deafens-the-thread', 'prints'];
  const ran = runZoo(t, animals, ', { aggregate: {} }');
  assertEachPaidForItself(ran, animals);
  assert.deepEqual(readdirSync(join(ran.folder, 'out')).sort(), ['all.pb.gz', 'dead-letter']);
});
