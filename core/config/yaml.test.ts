import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Findings } from './finding.js';
import { toPlain } from './tree.js';
import { readYaml, yamlLimits } from './yaml.js';

function read(text: string | Uint8Array) {
  const findings = new Findings();
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  const tree = readYaml({ file: 'p.yml', bytes, base: '/' }, findings);
  return { tree, findings: findings.sorted().map(({ line, column, code }) => `${line}:${column} ${code}`) };
}

function plain(text: string): unknown {
  const { tree, findings } = read(text);
  assert.deepEqual(findings, []);
  return JSON.parse(JSON.stringify(toPlain(tree!)));
}

test('values keep their YAML 1.2 types; aliases stand for what they name', () => {
  assert.deepEqual(plain('a: &x {n: 1, s: "1", b: yes}\nb: *x\nc: [~, 1.5, true, 0x10]\nd:'), {
    a: { n: 1, s: '1', b: 'yes' },
    b: { n: 1, s: '1', b: 'yes' },
    c: [null, 1.5, true, 16],
    d: null,
  });
});

test('an empty file, a comment alone and two documents are findings', () => {
  assert.deepEqual(read('').findings, ['1:1 yaml-empty']);
  assert.deepEqual(read('# nothing\n').findings, ['1:1 yaml-empty']);
  assert.deepEqual(read('a: 1\n---\nb: 2\n').findings, ['2:1 yaml-syntax']);
});

test('all syntax errors are found, each at its place', () => {
  assert.deepEqual(read('a: 1\na: 2\nb: "x\nc: {\n').findings.slice(0, 1), ['2:1 yaml-duplicate-key']);
  assert.deepEqual(read('a:\n\t- b\n').findings.slice(0, 1), ['2:1 yaml-syntax']);
  assert.deepEqual(read('a: !!js/function x\nb: !mine y\n').findings, ['1:4 yaml-tag', '2:4 yaml-tag']);
});

test('an alias without anchor, or inside of its own anchor, is a finding with its place', () => {
  assert.deepEqual(read('a: *nope\n').findings, ['1:4 yaml-alias']);
  assert.deepEqual(read('a: &x\n  b: [*x]\n').findings, ['2:7 yaml-alias']);
});

test('keys that are no strings are findings', () => {
  assert.deepEqual(read('1: a\n? [x]\n: b\n').findings, ['1:1 yaml-key', '2:3 yaml-key']);
});

test('a bomb of aliases is stopped by the number of values', () => {
  const rows = Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(9).fill(`*a${i}`).join(', ')}]`);
  assert.deepEqual(
    read(['a0: &a0 x', ...rows].join('\n'))
      .findings.at(-1)!
      .split(' ')[1],
    'yaml-limit',
  );
  const many = `a: &a 1\nb: [${Array(yamlLimits.aliases + 1)
    .fill('*a')
    .join(', ')}]`;
  assert.equal(read(many).findings[0]!.split(' ')[1], 'yaml-limit');
});

test('deep nesting is refused before the parser sees it, however it is written', () => {
  const deep = 100_000;
  const texts = {
    brackets: `a: ${'['.repeat(deep)}`,
    braces: `${'{a: '.repeat(deep)}`,
    dashes: '- '.repeat(deep),
    'complex keys': '? '.repeat(deep),
    indentation: Array.from({ length: 1000 }, (_, i) => `${' '.repeat(i)}k:`).join('\n'),
    'brackets over lines': 'a: [\n'.repeat(deep),
  };
  for (const [what, text] of Object.entries(texts)) {
    const { findings } = read(text.slice(0, yamlLimits.bytes));
    assert.equal(findings.length, 1, what);
    assert.match(findings[0]!, / yaml-limit$/, what);
  }
  assert.deepEqual(read(`a: ${'['.repeat(60)}${']'.repeat(60)}\n`).findings, []);
});

test('many brackets one after the other are not deep', () => {
  assert.deepEqual(read(`a: [${'[], {x: []}, '.repeat(500)}]\n`).findings, []);
});

test('text beyond the limit, and bytes that are no UTF-8, are refused', () => {
  assert.deepEqual(read(new Uint8Array(yamlLimits.bytes + 1).fill(0x20)).findings, ['1:1 yaml-limit']);
  assert.deepEqual(read(Uint8Array.of(0x61, 0xff)).findings, ['1:1 yaml-encoding']);
});

test('infinite numbers are refused, whole ones beyond 2^53 stay exact', () => {
  assert.deepEqual(read('a: .inf\nb: .nan\n').findings, ['1:4 number-range', '2:4 number-range']);
  const { tree } = read('a: 9007199254740993\nb: -9007199254740991\n');
  assert.deepEqual({ ...(toPlain(tree!) as object) }, { a: 9007199254740993n, b: -9007199254740991 });
});
