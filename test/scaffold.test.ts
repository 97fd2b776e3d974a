/** `pipe init` and `pipe plugin init`: what they write works at once, and nothing is overwritten. With npm and as installed: test/live. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { parse } from 'yaml';
import { pipe, root } from './helpers/pipe.js';
import { temporaryFolder } from './helpers/temporary.js';

const kinds = ['source', 'codec', 'stage', 'aggregate', 'sink'] as const;

/** A folder in which this profpipe is installed, and what compiles for it. */
function project(t: TestContext): string {
  const folder = temporaryFolder(t);
  const modules = join(folder, 'node_modules');
  mkdirSync(modules);
  symlinkSync(root, join(modules, 'profpipe'));
  for (const name of ['typescript', '@types']) symlinkSync(join(root, 'node_modules', name), join(modules, name));
  return folder;
}

function node(folder: string, ...args: readonly string[]): string {
  const { NODE_TEST_CONTEXT: _, ...clean } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8', env: clean });
  assert.equal(status, 0, stdout + stderr);
  return stdout;
}

for (const kind of kinds) {
  test(`${kind}: a package in JavaScript passes its own tests`, (t) => {
    const folder = project(t);
    const { exitCode, stdout } = pipe(['plugin', 'init', `my-${kind}`, '--kind', kind, '--js'], { cwd: folder });
    assert.equal(exitCode, 0);
    const own = join(folder, `profpipe-plugin-my-${kind}`);
    const written = readdirSync(own, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    assert.equal(stdout.trim().split('\n').length, written.length);
    assert.match(node(own, '--test', '--test-reporter=tap', 'src/index.test.js'), /^# fail 0$/m);
    const { exitCode: rc, stdout: result } = pipe(['test', 'pipeline.yml'], { cwd: own });
    assert.equal(rc, 0, result);
    for (const entry of written) {
      const text = readFileSync(join(entry.parentPath, entry.name), 'utf8');
      assert.doesNotMatch(text, /\b(NAME|PACKAGE|SUMMARY|HOST_\w+|\w+_RANGE)\b(?!=)/, entry.name);
    }
    const plugins = JSON.parse(pipe(['list', '--json'], { cwd: own }).stdout).plugins;
    assert.ok(plugins.some((plugin: Record<string, unknown>) => plugin.kind === kind && plugin.name === `my-${kind}`));
  });
}

test('packages of all kinds in TypeScript compile strictly', (t) => {
  const folder = project(t);
  for (const kind of kinds) pipe(['plugin', 'init', `my-${kind}`, '--kind', kind], { cwd: folder });
  const all = {
    extends: './profpipe-plugin-my-stage/tsconfig.json',
    compilerOptions: { rootDir: '.', noEmit: true },
    include: ['profpipe-plugin-*/src'],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(all));
  const listed = node(folder, 'node_modules/typescript/bin/tsc', '-p', '.', '--listFilesOnly');
  assert.equal(listed.split('\n').filter((file) => file.includes('profpipe-plugin-')).length, 2 * kinds.length);
  node(folder, 'node_modules/typescript/bin/tsc', '-p', '.');
});

test('a name in a scope is one of the package only', (t) => {
  const folder = temporaryFolder(t);
  assert.equal(pipe(['plugin', 'init', '@acme/profpipe-plugin-x', '--kind', 'stage'], { cwd: folder }).exitCode, 0);
  const own = join(folder, 'profpipe-plugin-x');
  const manifest = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8'));
  assert.equal(manifest.name, '@acme/profpipe-plugin-x');
  assert.match(readFileSync(join(own, 'src', 'index.ts'), 'utf8'), /name: 'x',/);
  // From a clone the package refers to the clone.
  assert.equal(join(own, manifest.devDependencies.profpipe.replace('file:', '')), root.replace(/\/$/, ''));
});

test('nothing is overwritten', (t) => {
  const folder = temporaryFolder(t);
  const own = join(folder, 'profpipe-plugin-x');
  mkdirSync(own);
  writeFileSync(join(own, 'notes'), 'mine');
  const { exitCode, stderr } = pipe(['plugin', 'init', 'x', '--kind', 'sink'], { cwd: folder });
  assert.deepEqual([exitCode, readdirSync(own)], [2, ['notes']]);
  assert.match(stderr, /^pipe: .*profpipe-plugin-x is there already; nothing was written$/m);
  writeFileSync(join(folder, 'pipeline.test.yml'), 'mine');
  assert.equal(pipe(['init'], { cwd: folder }).exitCode, 2);
  assert.ok(!existsSync(join(folder, 'pipeline.yml')));
});

test('a wrong call is refused with what is right', (t) => {
  const cwd = temporaryFolder(t);
  const refusal = (...args: string[]) => {
    const { exitCode, stderr } = pipe(['plugin', 'init', ...args], { cwd });
    assert.equal(exitCode, 2);
    return stderr;
  };
  assert.match(refusal('x'), /--kind is missing; one of source, codec, stage, aggregate, sink/);
  assert.match(refusal('x', '--kind', 'stag'), /did you mean "stage"/);
  assert.match(refusal('Big', '--kind', 'stage'), /"Big" is no name of a plugin/);
  assert.match(refusal('../x', '--kind', 'stage'), /"\.\.\/x" is no name of a plugin/);
  assert.match(refusal('aggregate', '--kind', 'stage'), /a built-in aggregate is called "aggregate"/);
  assert.deepEqual(readdirSync(cwd), []);
});

test('a first pipeline has no findings, and its case passes', (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'server'), '');
  mkdirSync(join(folder, 'sub'));
  const calls = [
    [],
    ['merge', '--merge'],
    ['sub/all.yml', '--merge', '--profiles', 'cpu/*.pb.gz', '--binary', 'server'],
  ];
  for (const args of calls) {
    const { exitCode, stdout } = pipe(['init', ...args], { cwd: folder });
    const [file = '', cases = ''] = stdout.trim().split('\n');
    assert.equal(exitCode, 0);
    assert.deepEqual(pipe(['lint', file, '--set', 'profiles=.'], { cwd: folder }).stdout, '', file);
    assert.equal(pipe(['test', file], { cwd: folder }).exitCode, 0, file);
    for (const name of [file, cases]) {
      const text = readFileSync(join(folder, name), 'utf8');
      const [, schema = ''] = /^# yaml-language-server: \$schema=(\S+)$/m.exec(text) ?? [];
      assert.ok(existsSync(join(folder, name, '..', schema)) || existsSync(schema), schema);
    }
    // With every comment taken off it is a pipeline too.
    const all = readFileSync(join(folder, file), 'utf8').replaceAll(/^(\s*)# (?=(stages:| *- ))/gm, '$1');
    const { stages, output } = parse(all);
    assert.deepEqual([stages.length, output.length], [3, 2], all);
  }
});
