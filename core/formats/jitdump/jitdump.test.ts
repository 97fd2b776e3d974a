import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytes, patch, u32, u64 } from '../../../test/helpers/assemble.js';
import { jitdump, jitLoad, jitMove, jitRecord, jitUnwinding } from '../../../test/helpers/assemble-jitdump.js';
import { bytesSource } from '../bytes-source.js';
import { FormatError } from '../errors.js';
import { Budget } from '../limits.js';
import { JitSymbols } from './jit-symbols.js';
import { isJitdump, readJitdump } from './jitdump.js';

const read = (content: Uint8Array) => readJitdump(bytesSource(content, 'dump'), new Budget());
const first = { time: 10, address: 0x7f0000001000, size: 16, name: 'first', number: 1 };

function failure(content: Uint8Array): FormatError {
  try {
    read(content);
  } catch (error) {
    assert.ok(error instanceof FormatError, String(error));
    return error;
  }
  assert.fail('it was read');
}

test('functions are made, moved and made again; other records are passed over', () => {
  const second = { time: 30, address: 0x7f0000001000, size: 8, name: 'second at "ß":1', number: 2 };
  const content = jitdump([
    jitRecord(5, 5, ['of no kind that is known']),
    jitLoad(first),
    jitMove(20, first.address, 0x7f0000002000, 1),
    jitMove(21, 0, 0x7f0000003000, 99),
    jitRecord(3, 25, []),
    jitLoad(second),
  ]);
  assert.ok(isJitdump(content));
  const { machine, hasProcessorTime, codes, placements, isCut } = read(content);
  assert.deepEqual([machine, hasProcessorTime, isCut], [62, false, false]);
  assert.deepEqual(
    placements.map(({ time, pid, address, code }) => `${time} ${pid} ${address.toString(16)} ${code.name}`),
    ['10 7 7f0000001000 first', '20 7 7f0000002000 first', '30 7 7f0000001000 second at "ß":1'],
  );
  for (const { fileOffset, size } of codes) {
    assert.ok(content.subarray(fileOffset, fileOffset + size).every((byte) => byte === 0xc3));
  }
  const symbols = new JitSymbols(codes);
  const [{ fileOffset }] = codes as [(typeof codes)[0]];
  assert.deepEqual(
    [-1, 0, 15, 16].map((into) => symbols.find(fileOffset + into)?.name),
    [undefined, 'first', 'first', undefined],
  );
});

test('call frame information is that of the next code, without its index', () => {
  const content = jitdump([
    jitUnwinding(bytes('frame of the first')),
    jitLoad(first),
    jitUnwinding(bytes()),
    jitLoad({ ...first, number: 2 }),
    jitLoad({ ...first, number: 3 }),
  ]);
  assert.deepEqual(
    read(content).codes.map(({ ehFrame }) => {
      if (ehFrame === undefined) return undefined;
      return Buffer.from(content).toString('latin1', ehFrame.fileOffset, ehFrame.fileOffset + ehFrame.size);
    }),
    ['frame of the first', undefined, undefined],
  );
});

test('a dump that is still being written ends with its last whole record', () => {
  const content = jitdump([jitLoad(first), jitLoad({ ...first, number: 2 })]);
  for (const cut of [1, 20, 70]) {
    const { codes, isCut } = read(content.subarray(0, content.length - cut));
    assert.deepEqual([codes.length, isCut], [1, true]);
  }
});

test('what is no dump, or lies about its sizes and places, is refused', () => {
  const good = jitdump([jitLoad(first)]);
  assert.equal(failure(bytes('nothing')).code, 'E_JITDUMP');
  assert.equal(failure(bytes('JiTD', good.subarray(4))).code, 'E_JITDUMP_BYTE_ORDER');
  assert.equal(failure(patch(good, 4, u32(2))).code, 'E_JITDUMP_VERSION');
  assert.equal(failure(patch(good, 8, u32(39))).code, 'E_JITDUMP');
  assert.equal(failure(good.subarray(0, 39)).code, 'E_TRUNCATED');
  assert.equal(failure(jitdump([patch(jitLoad(first), 4, u32(15))])).code, 'E_JITDUMP');
  assert.equal(failure(jitdump([jitLoad({ ...first, lie: 23 })])).place.got, 23);
  assert.equal(failure(jitdump([jitLoad({ ...first, lie: 2n ** 60n })])).code, 'E_RANGE');
  assert.equal(failure(jitdump([jitLoad({ ...first, address: 2n ** 63n })])).code, 'E_JITDUMP');
  assert.equal(failure(jitdump([jitRecord(0, 1, [u32(7)])])).code, 'E_TRUNCATED');
  const unwinding = jitUnwinding(bytes('frames'));
  assert.equal(failure(jitdump([patch(unwinding, 16, u64(27))])).place.got, 27);
  assert.equal(failure(jitdump([patch(unwinding, 24, u64(27))])).place.got, 27);
  assert.equal(failure(jitdump([patch(unwinding, 16, u64(2n ** 60n))])).code, 'E_RANGE');
  assert.equal(failure(jitdump([jitRecord(4, 1, [u64(0)])])).code, 'E_TRUNCATED');
  assert.equal(failure(jitdump([jitRecord(2, 1, [u64(0), u64(1)])])).code, 'E_TRUNCATED');
});
