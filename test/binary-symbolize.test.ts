/** `pipe binary symbolize` as other programs use it: questions on stdin, answers in order, under whatever address a file is loaded. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { buildElf, flags } from './helpers/elf.js';
import { buildGoBinary, type GoBinarySpec } from './helpers/go-binary.js';
import { pipe, root } from './helpers/pipe.js';
import { temporaryFolder, writeInto } from './helpers/temporary.js';

/** main.outer at 0x401100 … 0x401120 (or 0x1100 in a PIE), main.inner inlined into it at 0x401110. */
const functions: GoBinarySpec['functions'] = [
  {
    name: 'main.outer',
    file: '/src/main.go',
    startLine: 9,
    lines: [
      [10, 0x10],
      [50, 0x10],
    ],
    pcdata: {
      2: [
        [-1, 0x10],
        [0, 0x10],
      ],
    },
    inlineTree: [{ name: 'main.inner', parentPc: 0x0f, startLine: 49 }],
  },
];
const asText = 'main.inner\n/src/main.go:50:0\nmain.outer\n/src/main.go:10:0\n\n';
const unknown = '??\n??:0:0\n\n';

function binary(t: TestContext, spec: Partial<GoBinarySpec> = {}): string {
  return writeInto(temporaryFolder(t), 'app', buildGoBinary({ functions, ...spec }).bytes);
}

const symbolize = (...args: readonly string[]) => pipe(['binary', 'symbolize', ...args]);

test('frames as llvm-symbolizer prints them, and as JSON', (t) => {
  const file = binary(t);
  const { stdout, stderr, exitCode } = symbolize(file, '0x401110', '401000');
  assert.deepEqual([stdout, stderr, exitCode], [asText + unknown, '', 0]);
  assert.equal(symbolize(file, '0x401110', '--addresses').stdout, `0x401110\n${asText}`);
  const frame = { file: '/src/main.go', column: 0 };
  assert.deepEqual(JSON.parse(symbolize(file, '0x401110', '--json').stdout), {
    address: '0x401110',
    frames: [
      { function: 'main.inner', ...frame, line: 50, startLine: 49, inlined: true },
      { function: 'main.outer', ...frame, line: 10, startLine: 9, inlined: false },
    ],
  });
});

test('a line is answered before the next one comes', async (t) => {
  const bin = join(root, 'dist', 'core', 'cli', 'bin.js');
  const child = spawn(process.execPath, [bin, 'binary', 'symbolize', binary(t), '--json'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  for (const address of ['0x401110', '0x401001', '0x401100']) {
    child.stdin.write(`${address}\n`);
    assert.equal(JSON.parse((await answers.next()).value).address, address);
  }
  child.stdin.end();
  assert.equal((await once(child, 'close'))[0], 0);
});

test('a line without an end is a bad input', (t) => {
  const { stderr, exitCode } = pipe(['binary', 'symbolize', binary(t)], { input: '0'.repeat(70_000) });
  assert.equal(stderr, 'pipe: -: a line of more than 65536 bytes\n');
  assert.equal(exitCode, 20);
});

test('a line that is no address is answered too, and said on stderr with exit code 20', (t) => {
  const input = '0x401110\n"x\u009b\n\n401110\r\n0x11111111111111111\n0x401110';
  const { stdout, stderr, exitCode } = pipe(['binary', 'symbolize', binary(t), '--json'], { input });
  const answers = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { address: string; frames: unknown[] });
  assert.deepEqual(
    answers.map(({ address, frames }) => [address, frames.length]),
    [
      ['0x401110', 2],
      ['"x\u009b', 0],
      ['', 0],
      ['0x401110', 2],
      ['0x11111111111111111', 0],
      ['0x401110', 2],
    ],
  );
  assert.doesNotMatch(stdout, /\u009b/);
  assert.match(stderr, /^pipe: ""x\\x9b" is no address \(hexadecimal, with or without 0x\)$/m);
  assert.equal(exitCode, 20);
});

test('an argument that is no address is refused before any is answered', (t) => {
  const { stdout, stderr, exitCode } = symbolize(binary(t), '0x401110', '-', '--json');
  assert.match(stderr, /"-" is no address \(hexadecimal, with or without 0x\)/);
  assert.equal(exitCode, 2);
  assert.equal(JSON.parse(stdout).error.code, 'bad-value');
});

test('numbers are decimal when asked for', (t) => {
  assert.equal(symbolize(binary(t), String(0x401110), '0x401110', '--decimal').stdout, asText + asText);
});

test('an address may have any number of leading zeros', (t) => {
  const zeros = '0'.repeat(20);
  const file = binary(t);
  assert.equal(symbolize(file, `0x${zeros}401110`, `${zeros}401110`).stdout, asText + asText);
  assert.equal(symbolize(`${file}:0x${zeros}401110`).stdout, asText);
  assert.equal(symbolize(file, zeros + String(0x401110), '--decimal').stdout, asText);
  assert.equal(symbolize(file, '--runtime-base', `0x${zeros}500000`, '0x501110').stdout, asText);
});

test('several files: each address may name its own', (t) => {
  const [one, two] = [binary(t), binary(t)];
  assert.equal(symbolize(`${one}:0x401110`, `${two}:0x401000`).stdout, asText + unknown);
  const input = `0x401000\n${two}:0x401110\n${two}.gone:0x401110\n`;
  const { stdout, stderr, exitCode } = pipe(['binary', 'symbolize', one], { input });
  assert.equal(stdout, unknown + asText + unknown);
  assert.match(stderr, /app\.gone: no such file/);
  assert.equal(exitCode, 20);
});

test('addresses of a running process: by the base, or by a line of its maps', (t) => {
  const file = binary(t, { positionIndependent: true });
  assert.equal(symbolize(file, '--runtime-base', '0x7f0000000000', '7f0000001110').stdout, asText);
  const maps = '7f0000001000-7f0000002000 r-xp 00002000 fe:01 123   /srv/app';
  assert.equal(symbolize(file, '--mapping', maps, '7f0000001110', '7f0000003110').stdout, asText + unknown);
  const wrong = symbolize(file, '--mapping', '7f0000001000', '0x1110');
  assert.match(wrong.stderr, /--mapping: "7f0000001000" is not a line of \/proc\/PID\/maps/);
  assert.equal(wrong.exitCode, 2);
});

test('a file without any symbols is said to be so', (t) => {
  const code = { flags: flags.code, virtualAddress: 0x401000n, bytes: new Uint8Array(64) };
  const { stdout, stderr, exitCode } = symbolize(
    writeInto(temporaryFolder(t), 'app', buildElf({ segments: [code] })),
    '0x401000',
  );
  assert.equal(stdout, unknown);
  assert.match(stderr, /app: no symbols of any kind in this file/);
  assert.equal(exitCode, 20);
});

test('addresses in any order, some more than once, are answered in the order in which they come', (t) => {
  const [one, two] = [binary(t), binary(t)];
  const words = [
    '0x401118',
    'nothing',
    `${two}:0x401110`,
    '401110',
    '0x401000',
    '0x401118',
    `${one}:0x40111f`,
    '0X401110',
  ];
  const input = Array.from({ length: 4_000 }, (_, row) => `${words[(row * 5) % words.length]}\n`).join('');
  const { stdout } = pipe(['binary', 'symbolize', one, '--json'], { input });
  const answers = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { address: string; frames: unknown[] });
  const wanted = words.map((word): [string, number] => {
    if (word === 'nothing') return [word, 0];
    const address = `0x${word.replace(/^.*:/, '').replace(/^0x/i, '')}`;
    return [address, address === '0x401000' ? 0 : 2];
  });
  assert.deepEqual(
    answers.map(({ address, frames }) => [address, frames.length]),
    Array.from({ length: 4_000 }, (_, row) => wanted[(row * 5) % words.length]),
  );
});
