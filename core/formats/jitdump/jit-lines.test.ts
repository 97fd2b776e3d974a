import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytes, patch, u32, u64 } from '../../../test/helpers/assemble.js';
import { jitdump, jitLines, jitLoad, jitRecord } from '../../../test/helpers/assemble-jitdump.js';
import { bytesSource } from '../bytes-source.js';
import { FormatError } from '../errors.js';
import { Budget } from '../limits.js';
import { findJitLine, readJitLines } from './jit-lines.js';
import { readJitdump } from './jitdump.js';

const code = { time: 1, address: 0x5000, size: 16, name: 'made' };
/** A name that stands for that of the entry before. */
const SAME = Uint8Array.of(0xff);

function linesIn(dump: Uint8Array, row = 0) {
  const source = bytesSource(dump, 'dump');
  const { codes, lineShift } = readJitdump(source, new Budget());
  return readJitLines(source, codes[row]!, lineShift);
}

const fails = (dump: Uint8Array, code: string) =>
  assert.throws(
    () => linesIn(dump),
    (error) => error instanceof FormatError && error.code === code,
  );

test('each line holds up to the next; a name may be that of the entry before', () => {
  const entries = [
    [0x5002, 7, '/a.lang'],
    [0x5008, 9, '/b.lang'],
    [0x5004, 8, SAME],
    [0x5010, 0, SAME],
  ] as const;
  const lines = linesIn(jitdump([jitLines(0x5000, entries), jitLoad(code)]));
  const at = (codeOffset: number) => {
    const found = findJitLine(lines, codeOffset);
    return found && `${found.file}:${found.line}`;
  };
  assert.deepEqual([at(0), at(1), at(2), at(3)], [undefined, undefined, '/a.lang:7', '/a.lang:7']);
  assert.deepEqual([at(4), at(7), at(8), at(15)], ['/b.lang:8', '/b.lang:8', '/b.lang:9', '/b.lang:9']);
});

test('lines are those of the next code, and only if they name its address', () => {
  const lines = jitLines(0x5000, [[0x5000, 1, 'a']]);
  const other = jitLoad({ ...code, address: 0x6000 });
  assert.equal(linesIn(jitdump([lines, jitLoad(code), jitLoad(code)]), 0).length, 1);
  assert.equal(linesIn(jitdump([lines, jitLoad(code), jitLoad(code)]), 1).length, 0);
  assert.equal(linesIn(jitdump([lines, other, jitLoad(code)]), 0).length, 0);
  assert.equal(linesIn(jitdump([lines, other, jitLoad(code)]), 1).length, 0);
});

test('the head of an ELF file is taken off where all functions of a dump have it, as V8 and LLVM write them', () => {
  const shifted = [jitLines(0x5000, [[0x5040, 1, 'a']]), jitLoad(code)];
  assert.deepEqual(
    linesIn(jitdump(shifted)).map(({ codeOffset }) => codeOffset),
    [0],
  );
  const long = { ...code, size: 0x80 };
  const plain = [jitLines(0x5000, [[0x5000, 1, 'a']]), jitLoad(code), jitLines(0x5000, [[0x5040, 1, 'a']])];
  assert.deepEqual(
    linesIn(jitdump([...plain, jitLoad(long)]), 1).map(({ codeOffset }) => codeOffset),
    [0x40],
  );
});

test("V8's lines are none", () => {
  assert.deepEqual(linesIn(jitdump([jitLines(0x5000, [[0x5000, 1, 'a']]), jitLoad(code)], 0, 62, 0xdeadbeef)), []);
});

test('spoilt lines are refused with their place in the dump', () => {
  const good = jitLines(0x5000, [[0x5000, 1, 'a']]);
  fails(jitdump([jitLines(0x5000, [[0x5011, 1, 'a']]), jitLoad(code)]), 'E_JITDUMP');
  fails(jitdump([jitLines(0x5000, [[0x4fff, 1, 'a']]), jitLoad(code)]), 'E_JITDUMP');
  fails(jitdump([patch(good, 24, u64(2)), jitLoad(code)]), 'E_TRUNCATED');
  fails(jitdump([patch(good, 24, u64(-1)), jitLoad(code)]), 'E_TRUNCATED');
  const withoutEnd = jitRecord(2, 1, [u64(0x5000), u64(1), u64(0x5000), u32(1), u32(0), 'name']);
  fails(jitdump([withoutEnd, jitLoad(code)]), 'E_TRUNCATED');
  fails(jitdump([jitRecord(2, 1, [u64(0x5000), u64(1), bytes('short')]), jitLoad(code)]), 'E_TRUNCATED');
});
