import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readKallsyms } from './kallsyms.js';

const read = (...lines: string[]) => readKallsyms(Buffer.from(lines.join('\n')));
const nameAt = (names: ReturnType<typeof read>, address: bigint) => names.find(address)?.name;

test('a function goes to the next symbol, whatever that is', () => {
  const names = read(
    '0000000000000000 A fixed_percpu_data',
    'ffffffff81000030 T last\t[module]',
    'ffffffff81000000 T first',
    'ffffffff81000010 t second',
    'ffffffff81000020 D data',
    '',
  );
  assert.equal(nameAt(names, 0xffffffff80ffffffn), undefined);
  assert.equal(nameAt(names, 0xffffffff81000000n), 'first');
  assert.equal(nameAt(names, 0xffffffff8100001fn), 'second');
  assert.equal(nameAt(names, 0xffffffff81000020n), undefined);
  assert.equal(nameAt(names, 0xffffffff81000030n), 'last');
  assert.equal(nameAt(names, 0xffffffff81001030n), undefined);
});

test('of aliases the one that perf shows', () => {
  const names = read(
    'ffffffff81000000 W weak_and_long_name',
    'ffffffff81000000 t local_and_long',
    'ffffffff81000000 T _stext',
    'ffffffff81000000 T one',
    'ffffffff81000000 T three',
    'ffffffff81000000 T other',
  );
  assert.equal(names.length, 1);
  assert.equal(nameAt(names, 0xffffffff81000000n), 'three');
});

test('what is no such list is refused with its line; a cut last line is left out', () => {
  assert.throws(() => read('ffffffff81000000 T good', 'rubbish', ''), {
    code: 'E_KALLSYMS',
    message: 'not a line "ADDRESS TYPE NAME"',
    place: { section: 'line 2', got: '"rubbish"' },
  });
  assert.throws(() => read('0000000000000000 T _text', '0000000000000000 t f', ''), { code: 'E_KALLSYMS_HIDDEN' });
  assert.equal(read('ffffffff81000000 T good', 'ffffffff8100').length, 1);
  assert.equal(read('').length, 0);
});
