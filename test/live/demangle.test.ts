/** Names of real libraries, against binutils' and LLVM's demanglers. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { createDemangler } from '../../core/binary/symbols/demangle.js';
import { hasTool } from '../helpers/go-toolchain.js';

const libraries = [
  '/usr/lib/x86_64-linux-gnu/libstdc++.so.6',
  '/usr/lib/aarch64-linux-gnu/libstdc++.so.6',
  process.execPath,
];
const present = libraries.filter((path) => existsSync(path));
const run = (tool: string, args: readonly string[], input = '') =>
  execFileSync(tool, args, { input, encoding: 'utf8', maxBuffer: 2 ** 28 })
    .trimEnd()
    .split('\n');

const skip = !hasTool('nm') || !hasTool('c++filt') ? 'NOT RUN: no binutils on this machine' : false;

test('names of C++ functions are those of c++filt, but for return types', { skip }, (t) => {
  const names = [
    ...new Set(
      present
        .flatMap((path) => run('nm', ['-D', '--defined-only', path]))
        .filter((line) => / [TtWw] /.test(line))
        .map((line) => line.split(' ').at(-1)!.replace(/@.*/, ''))
        .filter((name) => name.startsWith('_Z')),
    ),
  ].slice(0, 30_000);
  const theirs = run('c++filt', [], names.join('\n')).map((name) => name.replace(/(?: \[clone [^\]]*\])+$/, ''));
  const demangle = createDemangler('full');
  const different = names.filter((name, row) => {
    const mine = demangle(name);
    return mine !== theirs[row] && !theirs[row]!.endsWith(` ${mine}`);
  });
  t.diagnostic(`${names.length} names, ${different.length} differ`);
  assert.ok(names.length > 1_000);
  assert.ok(different.length < 0.045 * names.length, different.slice(0, 10).join('\n'));
});
