import assert from 'node:assert/strict';
import { test } from 'node:test';
import { profileOf } from '../../../test/helpers/profiles.js';
import { diffFunctions } from './diff.js';
import { type Top, topFunctions } from './top.js';

const rowsOf = ({ rows }: Pick<Top, 'rows'>) => rows.map((row) => `${row.function} ${row.flat} ${row.cum}`);

test('flat goes to the leaf, cum to everyone on the stack', () => {
  const top = topFunctions(profileOf('main;work;leaf 3\nmain;work 4\nmain 1'));
  assert.deepEqual(rowsOf(top), ['work 4 7', 'leaf 3 3', 'main 1 8']);
  assert.equal(top.total, 8n);
});

test('a function that recurses counts once in cum', () => {
  assert.deepEqual(rowsOf(topFunctions(profileOf('f;g;f;g;f 5'))), ['f 5 5', 'g 0 5']);
});

test('an inlined function is a leaf and a caller as if it had been called', () => {
  assert.deepEqual(rowsOf(topFunctions(profileOf('main;work>inlined 5\nmain;work>inlined;leaf 2'))), [
    'inlined 5 7',
    'leaf 2 2',
    'main 0 7',
    'work 0 7',
  ]);
});

test('functions of one name in two files are one row', () => {
  assert.deepEqual(rowsOf(topFunctions(profileOf('main@a.go:1 5\nmain@b.go:1 2'))), ['main 7 7']);
});

test('frames without a name are called by the mapped file', () => {
  assert.deepEqual(rowsOf(topFunctions(profileOf('main;0x4000 1\nmain;0x5000 1'))), ['[app] 2 2', 'main 0 2']);
});

test('without a name the default sample type counts, else the last', () => {
  const stacks = 'main 3 700';
  assert.equal(topFunctions(profileOf(stacks)).sampleType.type, 'cpu');
  assert.equal(topFunctions(profileOf(stacks, { defaultSampleType: 'samples' })).total, 3n);
  assert.equal(topFunctions(profileOf(stacks), 'samples').total, 3n);
  assert.throws(() => topFunctions(profileOf(stacks), 'bytes'), {
    code: 'E_SAMPLE_TYPE',
    message: 'no sample type "bytes"; the profile has "samples", "cpu"',
  });
});

test('sums are exact beyond 2^53 and beyond 2^63', () => {
  const most = 2n ** 63n - 1n;
  const top = topFunctions(profileOf(`main;leaf ${most}\nmain;leaf ${most}\nmain;other -1`));
  assert.deepEqual(rowsOf(top), [`leaf ${most * 2n} ${most * 2n}`, 'other -1 -1', `main 0 ${most * 2n - 1n}`]);
  assert.equal(top.total, most * 2n + 1n, 'the total is of values without their signs');
});

test('samples of value 0 bring no rows', () => {
  assert.deepEqual(rowsOf(topFunctions(profileOf('main 0 5\nother 1 0'), 'samples')), ['other 1 1']);
});

test('a difference names what came, went and changed, and leaves out the rest', () => {
  const before = profileOf('main;work 10\nmain;gone 3\nmain;same 1');
  const after = profileOf('main;work 4\nmain;new 9\nmain;same 1');
  assert.deepEqual(rowsOf(diffFunctions(after, before)), ['new 9 9', 'work -6 -6', 'gone -3 -3']);
  assert.deepEqual(rowsOf(diffFunctions(before, before)), []);
});

test('values in different units have no difference', () => {
  const [before, after] = ['nanoseconds', 'milliseconds'].map((unit) =>
    profileOf('main 1', { sampleTypes: [{ type: 'cpu', unit }] }),
  );
  assert.throws(() => diffFunctions(after!, before!), { code: 'E_INCOMPATIBLE' });
});
