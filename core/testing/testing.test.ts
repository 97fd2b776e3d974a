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

/** A package with one case, tested as `node --test` does it. @param files of the case, or beside it as `../NAME` */
function runTests(t: TestContext, plugin: string, files: Readonly<Record<string, string>>, environment = {}) {
  const folder = temporaryFolder(t);
  const one = join(folder, 'cases', 'one');
  mkdirSync(one, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(one, name), text);
  const door = (name: string) => new URL(`../${name}`, import.meta.url).href;
  const imports = [
    `import * as profpipe from '${door('index.js')}';`,
    `import { profileOfStacks, stacksOfProfile, testPlugin } from '${door('testing/index.js')}';`,
  ];
  writeFileSync(join(folder, 'plugin.mjs'), [...imports, `export default ${plugin};`].join('\n'));
  const tests = [
    ...imports,
    `import plugin from './plugin.mjs';`,
    `testPlugin(plugin, { cases: new URL('./cases/', import.meta.url), module: new URL('./plugin.mjs', import.meta.url) });`,
  ];
  const file = join(folder, 'x.test.mjs');
  writeFileSync(file, tests.join('\n'));
  const { NODE_TEST_CONTEXT: _, ...clean } = process.env;
  const { status, stdout } = spawnSync(process.execPath, ['--test', '--test-reporter=tap', file], {
    encoding: 'utf8',
    env: { ...clean, ...environment },
  });
  return { status, stdout, read: (name: string) => readFileSync(join(one, name), 'utf8') };
}

const mainAndOther = 'n/count\nmain 1\nother 2\n';
const files = { 'input.txt': mainAndOther, 'expected.txt': mainAndOther };

test('a stage that keeps the laws and gives what is expected passes', (t) => {
  const { status, stdout } = runTests(t, stage('(profile) => profile'), files);
  assert.equal(status, 0, stdout);
});

test('another result fails with a difference, and UPDATE=1 takes it', (t) => {
  const plugin = stage('(profile) => profpipe.filterSamples(profile, () => false)');
  const failed = runTests(t, plugin, files);
  assert.equal(failed.status, 1);
  assert.match(failed.stdout, /- +'main 1'/);
  const updated = runTests(t, plugin, files, { UPDATE: '1' });
  assert.equal(updated.status, 0, updated.stdout);
  assert.equal(updated.read('expected.txt'), 'n/count\n');
});

for (const [work, complaint] of [
  ['(p) => { p.samples.values.fill(7n); return p; }', /the stage changed its input/],
  ['() => ({})', /returned no valid profile/],
  [
    '(p) => { globalThis.runs = (globalThis.runs ?? 0) + 1; return globalThis.runs === 1 ? p : profpipe.filterSamples(p, () => false); }',
    /the second run gave another profile/,
  ],
  ['(p) => { p.mappings.flags.fill(0); return p; }', /with randomProfile\(\d+, \d+\): the stage changed its input/],
  [
    "async (p) => ((await import('node:worker_threads')).isMainThread ? p : profpipe.filterSamples(p, () => false))",
    /in a worker it gives another profile/,
  ],
  [
    "async (p) => { if (!(await import('node:worker_threads')).isMainThread) p.gone.x = 1; return p; }",
    /E_PLUGIN_THREW TypeError: .*plugin\.mjs:3/,
  ],
] as const) {
  test(`a stage that breaks a law fails: ${complaint.source}`, (t) => {
    const { status, stdout } = runTests(t, stage(work), files);
    assert.equal(status, 1);
    assert.match(stdout, complaint);
  });
}

test('a stage may refuse what it cannot take', (t) => {
  const work = "(p) => { if (p.mappings.length > 0) throw new profpipe.ItemError('E_MAPPED', 'mapped'); return p; }";
  const { status, stdout } = runTests(t, stage(work), files);
  assert.equal(status, 0, stdout);
});

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
  const inputs = {
    'input-1.txt': 'n/count\nmain 1\n',
    'input-2.txt': 'n/count\nother 2\n',
    'expected.txt': mainAndOther,
  };
  const good = runTests(t, aggregate('.sort()'), inputs);
  assert.equal(good.status, 0, good.stdout);
  const bad = runTests(t, aggregate(''), inputs);
  assert.equal(bad.status, 1);
  assert.match(bad.stdout, /inputs in reverse order give another result/);
});

test('options are checked, and have their defaults and absolute paths', (t) => {
  const schema =
    "schema: { type: 'object', additionalProperties: false, properties: { list: { type: 'string', format: 'path' }, depth: { default: 7 } } }";
  const plugin = `{ ${base}, ${schema}, kind: 'stage', name: 'x', create: ({ list, depth }) => ({ process: (profile) =>
    profpipe.setLabel(profile, 'is', () => list.replace(/^.*(?=cases)/, '') + ' ' + depth) }) }`;
  const labelled = 'n/count\nmain 1 is="cases/one/a.txt 7"\n';
  const good = { 'input.txt': 'n/count\nmain 1\n', 'options.json': '{ "list": "a.txt" }', 'expected.txt': labelled };
  const { status, stdout } = runTests(t, plugin, good);
  assert.equal(status, 0, stdout);
  const misspelt = runTests(t, plugin, { ...good, 'options.json': '{ "lst": "a.txt" }' });
  assert.match(misspelt.stdout, /options\.json:1:3 unknown-option options\.lst: unknown option; did you mean "list"\?/);
});

/** Lines of name and value. @param wrong what is done with one that has no value */
const codec = (
  wrong: string,
) => `{ ${base}, kind: 'codec', name: 'x', decodes: true, encodes: true, extensions: ['.csv'], create: () => ({
  async decode(input) {
    const text = Buffer.from(await input.readAll(1e6)).toString();
    const rows = text.split('\\n').filter(Boolean).map((line) => line.split(','));
    const bad = rows.find(([name, value]) => !name || !/^[0-9]+$/.test(value) || !/^[a-z]+$/.test(name));
    if (bad) ${wrong};
    return profileOfStacks('n/count\\n' + rows.map((row) => row.join(' ')).join('\\n'));
  },
  encode: (profile) => [Buffer.from(stacksOfProfile(profile).split('\\n').slice(1, -1).map((line) => line.replace(' ', ',') + '\\n').join(''))],
}) }`;

test('a codec decodes and encodes as its cases say, and takes spoilt bytes by a FormatError', (t) => {
  const good = codec("throw new profpipe.FormatError('E_ROW', 'no value')");
  const decoding = { 'input.csv': 'main,1\nother,2\n', 'expected.txt': mainAndOther };
  const decoded = runTests(t, good, decoding);
  assert.equal(decoded.status, 0, decoded.stdout);
  const encoded = runTests(t, good, { 'input.txt': mainAndOther, 'expected.csv': 'main,1\nother,2\n' });
  assert.equal(encoded.status, 0, encoded.stdout);
  const other = runTests(t, good, { 'input.txt': mainAndOther, 'expected.csv': 'main,1\nother,3\n' });
  assert.match(other.stdout, /[+-] +'other,2'/);
  const bad = runTests(t, codec('bad[1].length'), decoding);
  assert.equal(bad.status, 1);
  assert.match(bad.stdout, /cut off at byte \d+: bytes that are no profile are a FormatError, not TypeError/);
});

/** Items of one byte each. @param facts what it says of them */
const source = (facts: string) => `{ ${base}, kind: 'source', name: 'x', create: () => ({ ${facts}, async *items() {
  for (const name of ['a', 'b']) yield { uri: 'x:' + name, name, data: { bytes: new Uint8Array(1) } };
  yield { uri: 'x:c', name: 'c', error: new Error('gone') };
} }) }`;

test('a source gives what its case says, and what it says itself', (t) => {
  const expected = { 'expected.txt': 'a x:a 1 bytes\nb x:b 1 bytes\nc x:c error gone\n' };
  const good = runTests(t, source("count: 3, names: ['a', 'b', 'c'], totalBytes: 2"), expected);
  assert.equal(good.status, 0, good.stdout);
  const bad = runTests(t, source('count: 2'), expected);
  assert.match(bad.stdout, /the source gives another number of items than its count/);
});

/** Into the folder of its option. @param name of the file, of an item */
const sink = (name: string) => `{ ${base}, kind: 'sink', name: 'x',
  schema: { type: 'object', additionalProperties: false, properties: { to: { default: '.', format: 'path', type: 'string' } } },
  create: ({ to }) => ({
    labelKeys: [],
    destination: (item) => to + '/' + item.name,
    prepare: async () => {},
    async write(item) {
      const bytes = Buffer.concat(item.bytes);
      (await import('node:fs')).writeFileSync(to + '/' + ${name}, bytes);
      return { destination: to + '/' + ${name}, bytes: bytes.length };
    },
  }) }`;

test('a sink writes where it says', (t) => {
  const inputs = {
    'input-1.pb': 'one',
    'input-2.pb': 'two!',
    'expected.txt': 'input-1 3 bytes\ninput-2 4 bytes\n',
  };
  const good = runTests(t, sink('item.name'), inputs);
  assert.equal(good.status, 0, good.stdout);
  assert.match(runTests(t, sink("'x'"), inputs).stdout, /it was not written where destination\(\) said/);
});
