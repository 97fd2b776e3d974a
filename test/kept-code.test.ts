/** V8's code of the program, which the build keeps: taken where it is good, and nothing but time differs where it is not. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { root } from './helpers/pipe.js';

const isBundled = readFileSync(join(root, 'dist', 'core', 'cli', 'main.js'), 'utf8').includes('chunks/load.js');
const skip = isBundled ? false : 'NOT RUN: dist is as tsc wrote it, without chunks';

const home = mkdtempSync(join(tmpdir(), 'profpipe-code-'));
after(() => rmSync(home, { recursive: true, force: true }));

/** The program with code of its own, in a folder whose name a URL escapes. */
const installed = join(home, 'pro fi#le');
const chunks = join(installed, 'dist', 'chunks');
const codeFile = join(chunks, 'code.bin');

before(() => {
  if (!isBundled) return;
  mkdirSync(join(installed, 'scripts'), { recursive: true });
  const isCopied = (path: string) => !/\.(test\.\w+|d\.ts|map)$|\/dist\/(test|scripts)$|code\.bin$/.test(path);
  for (const part of ['dist', 'pipelines', 'package.json', 'scripts/bundle']) {
    cpSync(join(root, part), join(installed, part), { recursive: true, filter: isCopied });
  }
  symlinkSync(join(root, 'node_modules'), join(installed, 'node_modules'));
  node(installed, 'scripts/bundle/keep-code.mjs');
});

/** @returns stdout */
function node(folder: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  assert.equal(status, 0, `node ${args.join(' ')}\n${stderr}`);
  return stdout;
}

interface Loaded {
  /** Chunks, by what became of the code that is kept of them. */
  readonly taken: readonly string[];
  readonly compiled: readonly string[];
  /** Of an error that the program throws. */
  readonly stack: string;
}

/** What a process makes of the chunks of the command. */
function loadIn(folder: string, ...flags: readonly string[]): Loaded {
  const loader = pathToFileURL(join(folder, 'dist', 'chunks', 'load.js')).href;
  const script = `
    import { load, scripts } from ${JSON.stringify(loader)};
    const { nearest } = load('core/config/nearest.cjs');
    load('core/cli/main.cjs');
    const isTaken = (path) => scripts.get(path).cachedDataRejected === false;
    const paths = [...scripts.keys()];
    const taken = paths.filter(isTaken), compiled = paths.filter((path) => !isTaken(path));
    try { nearest(null, []) } catch ({ stack }) { console.log(JSON.stringify({ taken, compiled, stack })) }`;
  return JSON.parse(node(folder, ...flags, '--input-type=module', '--eval', script)) as Loaded;
}

/** What a run with two threads writes. */
function merged(): Buffer {
  const out = join(home, 'merged.pb.gz');
  rmSync(out, { force: true });
  const sets = ['profiles=pipelines/samples/cpu.pb.gz', `out=${out}`].flatMap((set) => ['--set', set]);
  node(installed, 'dist/core/cli/bin.js', 'run', 'merge.yml', '--workers', '2', ...sets);
  return readFileSync(out);
}

test('a run with damaged code, or none, writes the same', { skip }, () => {
  const good = readFileSync(codeFile);
  const listBytes = good.indexOf('\n');
  const list = good.toString('utf8', 0, listBytes);
  const withList = (text: string) => Buffer.concat([Buffer.from(text), good.subarray(listBytes)]);
  const damaged: Readonly<Record<string, Uint8Array>> = {
    empty: new Uint8Array(),
    'cut in the list': good.subarray(0, listBytes / 2),
    'cut in the code': good.subarray(0, good.length / 2),
    'another byte in each thousand of the code': good.map((byte, at) =>
      at > listBytes && at % 1_000 === 0 ? byte ^ 0xff : byte,
    ),
    'by another Node': withList(list.replace(process.version, 'v20.0.0')),
    'of other lengths': withList(list.replaceAll(/,(\d+),/g, ',1$1,')),
  };
  const wanted = merged();
  for (const [name, bytes] of Object.entries(damaged)) {
    writeFileSync(codeFile, bytes);
    assert.deepEqual(merged(), wanted, name);
  }
  rmSync(codeFile);
  assert.deepEqual(merged(), wanted, 'none');
  writeFileSync(codeFile, good);
});

test('code is taken for the text, the flags and the place that it was made for', { skip }, () => {
  const { taken, compiled, stack } = loadIn(installed);
  assert.deepEqual(compiled, []);
  assert.ok(taken.length > 5, `${taken.length} chunks`);
  assert.ok(stack.includes(pathToFileURL(chunks).href), stack);
  assert.deepEqual(loadIn(installed, '--no-opt').taken, []);

  const chunk = 'core/config/nearest.cjs';
  const text = readFileSync(join(chunks, chunk), 'utf8');
  assert.match(text, /smallest/);
  writeFileSync(join(chunks, chunk), text.replace('smallest', 'SMALLEST'));
  assert.deepEqual(loadIn(installed).compiled, [chunk]);

  const moved = join(home, 'moved');
  renameSync(installed, moved);
  const elsewhere = loadIn(moved);
  assert.deepEqual(elsewhere.taken, []);
  assert.ok(elsewhere.stack.includes(pathToFileURL(join(moved, 'dist', 'chunks')).href), elsewhere.stack);
});
