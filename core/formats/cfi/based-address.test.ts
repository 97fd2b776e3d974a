import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sectionOf } from '../../../test/helpers/cfi.js';
import { assertFormatError } from '../../../test/helpers/format-error.js';
import { findBasedAddress } from './based-address.js';

const find = (...operations: readonly number[]) =>
  findBasedAddress(sectionOf(Uint8Array.of(operations.length, ...operations)), 0);

test("the registers of a signal's frame, as libc's __restore_rt has them", () => {
  assert.deepEqual(find(0x77, 0xa8, 1), { register: 7, offset: 168, isRead: false });
  assert.deepEqual(find(0x77, 0xa0, 1, 0x06), { register: 7, offset: 160, isRead: true });
  assert.deepEqual(find(0x76, 0x70), { register: 6, offset: -16, isRead: false });
});

test('whatever does more is none', () => {
  assert.equal(find(), undefined);
  assert.equal(find(0x30), undefined); // lit0
  assert.equal(find(0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22), undefined); // a PLT's
  assert.equal(find(0x77, 8, 0x06, 0x06), undefined); // two reads
  assert.equal(find(0x77, 8, 0x23, 8), undefined); // plus_uconst
  assert.equal(find(0x77, 0x80, 0x80, 0x80, 0x80, 0x10), undefined); // 2^32
});

test('an expression that ends within its number', () => {
  assertFormatError(() => find(0x77, 0x80), 'E_TRUNCATED');
});
