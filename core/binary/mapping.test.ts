import assert from 'node:assert/strict';
import { test } from 'node:test';
import { binaryOf } from '../../test/helpers/binaries.js';
import { ProfileBuilder } from '../profile/edit/builder.js';
import { fitsCode, type Mapping, objectAddresses, programRows } from './mapping.js';

const mapping: Mapping = {
  memoryStart: 0x7f0000001000n,
  memoryLimit: 0x7f0000005000n,
  fileOffset: 0x1000n,
  filename: '/bin/app',
  buildId: '',
};
const fixed = binaryOf({ isPositionIndependent: false, imageBase: 0x400000n });

test('a position-independent binary is found through the file offset', () => {
  const toObject = objectAddresses(binaryOf(), mapping);
  assert.equal(toObject(0x7f0000001000n), 0x1000);
  assert.equal(toObject(0x7f0000004fffn), 0x4fff);
});

test('a mapping of data has the addresses of its segment, which differ from its file offsets', () => {
  const toObject = objectAddresses(binaryOf(), { ...mapping, memoryLimit: 0x7f0000002000n, fileOffset: 0x5000n });
  assert.equal(toObject(0x7f0000001010n), 0x6010);
  assert.equal(toObject(0x7f0000001800n), undefined, 'behind what the file backs');
});

test('addresses outside of the mapping are nobody’s', () => {
  for (const binary of [binaryOf(), fixed]) {
    const toObject = objectAddresses(binary, mapping);
    assert.equal(toObject(0x7f0000000fffn), undefined);
    assert.equal(toObject(0x7f0000005000n), undefined);
    assert.equal(toObject(0n), undefined);
  }
});

test('a binary with fixed addresses is where it says, whatever the offset of the mapping', () => {
  const toObject = objectAddresses(fixed, { ...mapping, memoryStart: 0x400000n, memoryLimit: 0x500000n });
  assert.equal(toObject(0x401010n), 0x1010);
  assert.equal(toObject(0x400900n), undefined, 'between segments');
});

test('code of fixed addresses that is mapped elsewhere once more is found through the file', () => {
  const toObject = objectAddresses(fixed, { ...mapping, fileOffset: 0x2000n });
  assert.equal(toObject(0x7f0000001010n), 0x2010);
  assert.equal(toObject(0x7f0000004f00n), undefined, 'behind what the file has');
});

test('without a range only a binary with fixed addresses can be used', () => {
  const nowhere = { ...mapping, memoryStart: 0n, memoryLimit: 0n, fileOffset: 0n };
  assert.equal(objectAddresses(fixed, nowhere)(0x401010n), 0x1010);
  assert.equal(objectAddresses(binaryOf(), nowhere)(0x1010n), undefined);
});

test('without mappings addresses are the file’s own', () => {
  assert.equal(objectAddresses(binaryOf({ imageBase: 0x1000n }), undefined)(0x2010n), 0x1010);
  assert.equal(objectAddresses(fixed, undefined)(0x10n), undefined);
});

test('where two segments share a page of the file, code wins', () => {
  const shared = binaryOf({
    segments: [
      { objectAddress: 0, memoryBytes: 0x1800, fileOffset: 0, fileBytes: 0x1800, executable: false },
      { objectAddress: 0x2700, memoryBytes: 0x900, fileOffset: 0x1700, fileBytes: 0x900, executable: true },
    ],
  });
  const toObject = objectAddresses(shared, { ...mapping, fileOffset: 0x1000n });
  assert.equal(toObject(0x7f0000001700n), 0x2700);
  assert.equal(toObject(0x7f00000016ffn), 0x16ff);
});

test('a mapping fits when it is the code rounded to pages, at the right place', () => {
  assert.ok(fitsCode(mapping, binaryOf()));
  assert.ok(fitsCode({ ...mapping, memoryStart: 0x401000n, memoryLimit: 0x405000n }, fixed));
  assert.ok(!fitsCode(mapping, fixed), 'fixed addresses elsewhere');
  assert.ok(!fitsCode({ ...mapping, memoryLimit: 0x7f0000004000n }, binaryOf()), 'smaller');
  assert.ok(!fitsCode({ ...mapping, memoryLimit: 0x7f0000105000n }, binaryOf()), 'much larger');
  assert.ok(!fitsCode({ ...mapping, fileOffset: 0x5000n }, binaryOf()), 'another part of the file');
});

test('the program is the first mapping of a file, with its other mappings', () => {
  const builder = new ProfileBuilder({ sampleTypes: [] });
  for (const filename of ['[vdso]', '//anon', '/bin/app', '/lib/libc.so.6', '/bin/app'])
    builder.addMapping({ filename });
  assert.deepEqual([...programRows(builder.finish())], [2, 4]);
});
