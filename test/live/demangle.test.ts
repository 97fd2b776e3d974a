/** Names of real libraries, against binutils' and LLVM's demanglers: what both say is right. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { DemangleKernel, NamePart } from '../../core/formats/demangle/kernel.js';
import { hasTool } from '../helpers/go-toolchain.js';

const libraries = [
  '/usr/lib/x86_64-linux-gnu/libstdc++.so.6',
  '/usr/lib/aarch64-linux-gnu/libstdc++.so.6',
  process.execPath,
];
const everything = NamePart.parameters | NamePart.templateArguments | NamePart.returnTypes;
const run = (tool: string, args: readonly string[], input = '') =>
  execFileSync(tool, args, { input, encoding: 'utf8', maxBuffer: 2 ** 28 })
    .trimEnd()
    .split('\n');

const missing = ['nm', 'c++filt', 'llvm-cxxfilt'].find((tool) => !hasTool(tool));
const skip = missing === undefined ? false : `NOT RUN: no ${missing} on this machine`;

test('names of C++ are those that c++filt and llvm-cxxfilt agree on, return types included', { skip }, (t) => {
  const names = [
    ...new Set(
      libraries
        .filter((path) => existsSync(path))
        .flatMap((path) => run('nm', ['-D', path]))
        .map((line) => line.split(' ').at(-1)!.replace(/@.*/, ''))
        .filter((name) => name.startsWith('_Z')),
    ),
  ];
  const theirs = run('c++filt', [], names.join('\n')).map((name) => name.replace(/(?: \[clone [^\]]*\])+$/, ''));
  const llvm = run('llvm-cxxfilt', [], names.join('\n')).map((name) => name.replace(/ \(\.[^)]*\)$/, ''));
  const kernel = new DemangleKernel();
  const agreed = names.filter((name, row) => theirs[row] === llvm[row] && theirs[row] !== name);
  const expected = new Map(names.map((name, row) => [name, theirs[row]]));
  const different = agreed.filter((name) => kernel.cxx(name, everything) !== expected.get(name));
  const unread = names.filter((name) => expected.get(name) !== name && kernel.cxx(name, everything) === undefined);
  t.diagnostic(
    `${names.length} names, ${agreed.length} agreed on: ${different.length} differ, ${unread.length} not read`,
  );
  assert.ok(agreed.length > 1_000);
  assert.ok(different.length <= 0.001 * agreed.length, different.slice(0, 10).join('\n'));
  assert.ok(unread.length <= 0.001 * names.length, unread.slice(0, 10).join('\n'));
});
