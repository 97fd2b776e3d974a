import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readPerfMap } from './perf-map.js';

const read = (text: string) => readPerfMap(Buffer.from(text));

test('ranges with their names, which may hold blanks; nothing in between', () => {
  const names = read('7f0010 10 LazyCompile:~f file.js:1:2\r\n0x7f0000 0x8 a\n');
  assert.deepEqual(names.find(0x7f0007n), { start: 0x7f0000n, end: 0x7f0008n, name: 'a' });
  assert.equal(names.find(0x7f0008n), undefined);
  assert.equal(names.find(0x7f0010n)?.name, 'LazyCompile:~f file.js:1:2');
  assert.equal(names.find(0x7f0020n), undefined);
});

test('of ranges that overlap the later of the file holds, at each address', () => {
  const range = fc.record({ start: fc.nat(60), size: fc.nat(30) });
  fc.assert(
    fc.property(fc.array(range, { maxLength: 12 }), (ranges) => {
      const hex = (value: number) => value.toString(16);
      const names = read(ranges.map(({ start, size }, row) => `${hex(start)} ${hex(size)} f${row}\n`).join(''));
      for (let address = 0; address < 95; address++) {
        const row = ranges.findLastIndex(({ start, size }) => address >= start && address < start + size);
        assert.equal(names.find(BigInt(address))?.name, row < 0 ? undefined : `f${row}`);
      }
    }),
    { numRuns: 500 },
  );
});

test('a line of another form is refused with its number; a last one without end is cut, and left out', () => {
  assert.throws(() => read('10 10 a\nhello\n'), { code: 'E_PERF_MAP', place: { section: 'line 2', got: '"hello"' } });
  assert.throws(() => read('10 10\n'), { code: 'E_PERF_MAP' });
  assert.equal(read('10 10 a\n20 10 broken_of').length, 1);
  assert.equal(read(`ffffffffffffff00 ${'f'.repeat(16)} wraps\n`).length, 0);
});
