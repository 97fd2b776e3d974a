import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Architecture } from '../../../core/index.js';
import { checksStack } from './stack-check.js';

const cases: readonly (readonly [what: string, architecture: Architecture, code: string, isCheck: boolean])[] = [
  ['a small frame', 'amd64', '493b6610 0f8600000000', true],
  ['a large frame', 'amd64', '4c8d6424b0 4d3b6610 7600', true],
  ['a huge frame', 'amd64', '4989e4 4981ec88130000 7200 4d3b6610', true],
  ['g from thread-local storage', 'amd64', '64488b0c25f8ffffff 483b6110 7600', true],
  ['g from thread-local storage, large', 'amd64', '64488b0c25f8ffffff 488d4424b0 483b4110 7600', true],
  ['a comparison of a field', 'amd64', '4883ec18 483b4110 7600', false],
  ['no check', 'amd64', '4883ec18 c3', false],
  ['a small frame', 'arm64', '900b40f9 ff6330eb', true],
  ['as before Go 1.17', 'arm64', '810b40f9 e1030091', true],
  ['no check', 'arm64', 'fe0f1ef8 fd831ff8', false],
  ['no code', 'arm64', '', false],
  ['another architecture', '386', '493b6610', false],
];

for (const [what, architecture, code, isCheck] of cases) {
  test(`${architecture}, ${what}: ${isCheck ? 'looks' : 'does not look'} at the room`, () => {
    assert.equal(checksStack(architecture, Buffer.from(code.replaceAll(' ', ''), 'hex')), isCheck);
  });
}
