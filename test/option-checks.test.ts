/** Options that pass their schema and are wrong all the same: found where they are written, before anything is read or made. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pipe } from './helpers/pipe.js';
import { temporaryFolder, writeInto } from './helpers/temporary.js';

const around = (stages: string, input = 'file: { paths: [p.yml] }') =>
  `input: { ${input} }\noutput:\n  - file: { path: out/x.pb.gz }\nstages:\n${stages}`;

test("a filter's expression that does not compile is a finding of lint, each in its place", (t) => {
  const folder = temporaryFolder(t);
  writeInto(
    folder,
    'p.yml',
    around('  - filter:\n      focus: "main("\n      tagfocus: "bytes=99999999999999999999:"\n'),
  );
  const { stdout, exitCode } = pipe(['lint', 'p.yml'], { cwd: folder });
  assert.equal(exitCode, 2);
  const [first, second] = stdout.split('\n');
  assert.match(first!, /^p\.yml:6:14 bad-option stages\[0\]\.filter\.focus: error parsing regexp: missing closing \)/);
  assert.match(
    second!,
    /^p\.yml:7:17 bad-option stages\[0\]\.filter\.tagfocus: 99999999999999999999 does not fit 64 bits$/,
  );
});

test('a binary that is not there is a finding of lint and of run, and no folder is made', (t) => {
  const folder = temporaryFolder(t);
  writeInto(folder, 'p.yml', around('  - symbolize: { binaries: [p.yml, gone] }\n'));
  const finding = `p.yml:5:36 no-such-file stages[0].symbolize.binaries[1]: no such file: ${join(folder, 'gone')}\n`;
  assert.equal(pipe(['lint', 'p.yml'], { cwd: folder }).stdout, finding);
  assert.equal(pipe(['run', 'p.yml'], { cwd: folder }).stderr, finding);
  assert.ok(!existsSync(join(folder, 'out')));
});

test('an input that is not there is said by run, where it is written; lint does not look', (t) => {
  const folder = temporaryFolder(t);
  writeInto(folder, 'p.yml', around('  - aggregate: {}\n', 'file: { paths: [p.yml, none/*.pb.gz] }'));
  assert.equal(pipe(['lint', 'p.yml'], { cwd: folder }).stdout, '');
  const { stderr, exitCode } = pipe(['run', 'p.yml'], { cwd: folder });
  assert.equal(exitCode, 2);
  assert.match(stderr, /^p\.yml:1:33 no-input input\.file\.paths\[1\]: nothing is at .*none\/\*\.pb\.gz\n$/);
  const json = JSON.parse(pipe(['run', 'p.yml', '--json'], { cwd: folder }).stdout);
  assert.deepEqual([json.exitCode, json.findings[0].code], [2, 'no-input']);
});

const refusing = `export default {
  kind: 'stage', name: 'strict', version: '1.0.0', api: '^1.0.0', summary: 'is hard to please',
  schema: { type: 'object', additionalProperties: false, properties: {
    at: { type: 'string', enum: ['check', 'throw', 'create', 'nowhere'] }, list: { type: 'array' },
  } },
  checkOptions({ at }) {
    if (at === 'throw') throw new Error('no mood');
    return at === 'check' ? [{ path: ['list', 1], message: 'is odd' }, { path: ['other'], message: 'is needed' }] : [];
  },
  create({ at }) {
    if (at === 'create') throw Object.assign(new Error('no disk'), { code: 'ENOSPC' });
    return { process: (profile) => profile };
  },
};`;

const refusals: readonly [at: string, lint: string, run: string][] = [
  [
    'check',
    'p.yml:6:13 bad-option stages[0].strict.other: is needed\np.yml:6:36 bad-option stages[0].strict.list[1]: is odd\n',
    '',
  ],
  ['throw', 'p.yml:6:13 bad-option stages[0].strict: checkOptions of stage "strict" throws: Error: no mood\n', ''],
  ['create', '', 'p.yml:6:13 plugin-refuses stages[0].strict: no disk\n'],
];

for (const [at, lint, run] of refusals) {
  test(`a third-party plugin that refuses its options at ${at}`, (t) => {
    const folder = temporaryFolder(t);
    writeInto(folder, 'strict.mjs', refusing);
    writeInto(folder, 'p.yml', `plugins: [./strict.mjs]\n${around(`  - strict: { at: ${at}, list: [1, 2] }\n`)}`);
    assert.equal(pipe(['lint', 'p.yml'], { cwd: folder }).stdout, lint);
    const { stderr, exitCode } = pipe(['run', 'p.yml'], { cwd: folder });
    assert.deepEqual([stderr, exitCode], [lint === '' ? run : lint, 2]);
  });
}

test('a call without a command prints the commands on stderr', () => {
  const { stdout, stderr, exitCode } = pipe([]);
  assert.deepEqual([stdout, exitCode], ['', 2]);
  assert.match(stderr, /pipe run[\s\S]*pipe lint/);
});
