import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { temporaryFolder } from '../../test/helpers/temporary.js';
import { profileOfStacks, stacksOfProfile } from './index.js';

const text =
  'samples/count cpu/nanoseconds\nmain;serve;parse 1 10 tenant=acme bytes=512\nmain;"a; b" 2 20 id="7"\n() 3 30\n';

test('stacks as text and back', () => {
  assert.equal(stacksOfProfile(profileOfStacks(text)), text);
  const name = fc.string({ minLength: 1, unit: 'binary' });
  const sample = fc.record({
    stack: fc.array(name, { minLength: 1, maxLength: 4 }),
    value: fc.maxSafeInteger(),
    label: name,
  });
  fc.assert(
    fc.property(fc.array(sample, { maxLength: 5 }), (samples) => {
      const lines = samples.map(({ stack, value, label }) => {
        const quoted = stack.map((frame) => JSON.stringify(frame));
        return `${quoted.join(';')} ${value} key=${JSON.stringify(label)}`;
      });
      const once = stacksOfProfile(profileOfStacks(['n/count', ...lines].join('\n')));
      assert.equal(stacksOfProfile(profileOfStacks(once)), once);
    }),
  );
});

test('a line that is wrong is named', () => {
  assert.throws(() => profileOfStacks('n'), /line 1: "n" is no sample type/);
  assert.throws(() => profileOfStacks('n/count\nmain 1\nmain 1 2'), /line 3: 2 values/);
  assert.throws(() => profileOfStacks('n/count\nmain "x'), /line 2: a quote that does not end/);
  assert.throws(() => profileOfStacks('n/count\nmain one'), /line 2: a value is no whole number/);
  assert.throws(() => profileOfStacks('n/count\nmain 1 a;b'), /line 2: "a;" is no label/);
});

const base = "version: '1.0.0', api: '^1.0.0', summary: 's', schema: { type: 'object', additionalProperties: false }";
const stage = (work: string) => `{ ${base}, kind: 'stage', name: 'x', create: () => ({ process: ${work} }) }`;

/** A package's test file with one case, run as `node --test` runs it. */
function runTests(t: TestContext, plugin: string, inputs: readonly string[], environment = {}) {
  const folder = temporaryFolder(t);
  const one = join(folder, 'cases', 'one');
  mkdirSync(one, { recursive: true });
  for (const [index, input] of inputs.entries()) {
    writeFileSync(join(one, inputs.length === 1 ? 'input.txt' : `input-${index}.txt`), input);
  }
  writeFileSync(join(one, 'expected.txt'), 'n/count\nmain 1\nother 2\n');
  const door = (name: string) => new URL(`../${name}`, import.meta.url).href;
  const lines = [
    `import * as profpipe from '${door('index.js')}';`,
    `import { profileOfStacks, stacksOfProfile, testPlugin } from '${door('testing/index.js')}';`,
    `testPlugin(${plugin}, { cases: new URL('./cases/', import.meta.url) });`,
  ];
  writeFileSync(join(folder, 'x.test.mjs'), lines.join('\n'));
  const { NODE_TEST_CONTEXT: _, ...clean } = process.env;
  const { status, stdout } = spawnSync(process.execPath, ['--test', folder], {
    encoding: 'utf8',
    env: { ...clean, ...environment },
  });
  return { status, stdout, expected: readFileSync(join(one, 'expected.txt'), 'utf8') };
}

const input = 'n/count\nmain 1\nother 2\n';

test('a stage that keeps the laws and gives what is expected passes', (t) => {
  const { status, stdout } = runTests(t, stage('(profile) => profile'), [input]);
  assert.equal(status, 0, stdout);
});

test('another result fails with a difference, and UPDATE=1 takes it', (t) => {
  const plugin = stage('(profile) => profpipe.filterSamples(profile, () => false)');
  const failed = runTests(t, plugin, [input]);
  assert.equal(failed.status, 1);
  assert.match(failed.stdout, /- +'main 1'/);
  const updated = runTests(t, plugin, [input], { UPDATE: '1' });
  assert.equal(updated.status, 0, updated.stdout);
  assert.equal(updated.expected, 'n/count\n');
});

for (const [work, complaint] of [
  ['(p) => { p.samples.values.fill(7n); return p; }', /the stage changed its input/],
  ['() => ({})', /returned no valid profile/],
  [
    '(p) => { globalThis.runs = (globalThis.runs ?? 0) + 1; return globalThis.runs === 1 ? p : profpipe.filterSamples(p, () => false); }',
    /the second run gave another profile/,
  ],
] as const) {
  test(`a stage that breaks a law fails: ${complaint.source}`, (t) => {
    const { status, stdout } = runTests(t, stage(work), [input]);
    assert.equal(status, 1);
    assert.match(stdout, complaint);
  });
}

/** Keeps a line for each input. @param order what is done to the lines at the end */
const aggregate = (order: string) => `{ ${base}, kind: 'aggregate', name: 'x', create: () => ({
  empty: () => [],
  add: (lines, profile) => [...lines, stacksOfProfile(profile).split('\\n')[1]],
  merge: (a, b) => [...a, ...b],
  encode: (lines) => [Buffer.from(JSON.stringify(lines))],
  decode: ([bytes]) => JSON.parse(Buffer.from(bytes).toString()),
  finish: (lines) => profileOfStacks(['n/count', ...lines${order}].join('\\n')),
}) }`;

test('an aggregate passes, and fails when the order of its inputs shows', (t) => {
  const inputs = ['n/count\nmain 1\n', 'n/count\nother 2\n'];
  const good = runTests(t, aggregate('.sort()'), inputs);
  assert.equal(good.status, 0, good.stdout);
  const bad = runTests(t, aggregate(''), inputs);
  assert.equal(bad.status, 1);
  assert.match(bad.stdout, /inputs in reverse order give another result/);
});
