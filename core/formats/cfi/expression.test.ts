import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sectionOf } from '../../../test/helpers/cfi.js';
import { assertFormatError } from '../../../test/helpers/format-error.js';
import { evaluateExpression } from './expression.js';

const registers = new Map([
  [7, 0x7fff_0000n],
  [16, 0x40102bn],
]);

function evaluate(operations: readonly number[], pushed: readonly bigint[] = []): bigint | undefined {
  return evaluateExpression(sectionOf(Uint8Array.of(operations.length, ...operations)), 0, pushed, {
    register: (number) => registers.get(number),
    read: (address, bytes) => (address === 0x7fff_0008n ? BigInt.asUintN(8 * bytes, 0x1122334455667788n) : undefined),
  });
}

const word = (value: bigint) => BigInt.asUintN(64, value);

test("the CFA of a linker's PLT: one word more behind the push", () => {
  const plt = [0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22];
  assert.equal(evaluate(plt), 0x7fff_0010n);
  registers.set(16, 0x401026n);
  assert.equal(evaluate(plt), 0x7fff_0008n);
});

test('constants, signed and not', () => {
  assert.equal(evaluate([0x4f]), 31n);
  assert.equal(evaluate([0x08, 0xff]), 255n);
  assert.equal(evaluate([0x09, 0xff]), word(-1n));
  assert.equal(evaluate([0x0a, 0xff, 0xff]), 65535n);
  assert.equal(evaluate([0x0b, 0xff, 0xff]), word(-1n));
  assert.equal(evaluate([0x0c, 0, 0, 0, 0x80]), 0x80000000n);
  assert.equal(evaluate([0x0d, 0, 0, 0, 0x80]), word(-0x80000000n));
  assert.equal(evaluate([0x0e, 1, 0, 0, 0, 0, 0, 0, 0x80]), 0x8000000000000001n);
  assert.equal(evaluate([0x10, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]), word(-1n));
  assert.equal(evaluate([0x11, 0x7f]), word(-1n));
});

test('the stack', () => {
  assert.equal(evaluate([0x31, 0x32, 0x14]), 1n); // over
  assert.equal(evaluate([0x31, 0x32, 0x16]), 1n); // swap
  assert.equal(evaluate([0x31, 0x32, 0x33, 0x15, 2]), 1n); // pick
  assert.equal(evaluate([0x31, 0x32, 0x33, 0x17]), 2n); // rot: 3 1 2
  assert.equal(evaluate([0x31, 0x32, 0x33, 0x17, 0x13, 0x13]), 3n);
  assert.equal(evaluate([0x31, 0x12, 0x22]), 2n); // dup
  assert.equal(evaluate([], [5n]), 5n);
});

test('arithmetic is modulo 2^64, division and comparison are signed', () => {
  const minusSix = [0x11, 0x7a];
  assert.equal(evaluate([...minusSix, 0x34, 0x1b]), word(-1n)); // div: towards 0
  assert.equal(evaluate([0x37, 0x33, 0x1d]), 1n); // mod
  assert.equal(evaluate([0x33, 0x37, 0x1c]), word(-4n)); // minus
  assert.equal(evaluate([...minusSix, 0x19]), 6n); // abs
  assert.equal(evaluate([0x31, 0x1f]), word(-1n)); // neg
  assert.equal(evaluate([0x30, 0x20]), word(-1n)); // not
  assert.equal(evaluate([0x33, 0x23, 0x81, 1]), 132n); // plus_uconst
  assert.equal(evaluate([0x35, 0x32, 0x24]), 20n); // shl
  assert.equal(evaluate([0x31, 0x08, 64, 0x24]), 0n);
  assert.equal(evaluate([...minusSix, 0x31, 0x25]), word(-6n) >> 1n); // shr
  assert.equal(evaluate([...minusSix, 0x31, 0x26]), word(-3n)); // shra
  assert.equal(evaluate([0x36, 0x35, 0x27]), 3n); // xor
  assert.equal(evaluate([0x36, 0x31, 0x21]), 7n); // or
  assert.equal(evaluate([0x36, 0x33, 0x1e]), 18n); // mul
  const compared = [0x29, 0x2a, 0x2b, 0x2c, 0x2d, 0x2e].map((operation) => evaluate([...minusSix, 0x31, operation]));
  assert.deepEqual(compared, [0n, 0n, 0n, 1n, 1n, 1n]);
});

test('memory and registers that are not known have no value', () => {
  assert.equal(evaluate([0x77, 8, 0x06]), 0x1122334455667788n);
  assert.equal(evaluate([0x77, 8, 0x94, 2]), 0x7788n);
  assert.equal(evaluate([0x92, 7, 8, 0x06]), 0x1122334455667788n);
  assert.equal(evaluate([0x77, 0, 0x06]), undefined);
  assert.equal(evaluate([0x73, 0]), undefined);
});

test('branches', () => {
  assert.equal(evaluate([0x31, 0x28, 1, 0, 0x35, 0x36]), 6n);
  assert.equal(evaluate([0x30, 0x28, 1, 0, 0x35, 0x96]), 5n);
  assert.equal(evaluate([0x2f, 1, 0, 0x35, 0x36]), 6n);
});

test('what cannot be evaluated is refused', () => {
  assertFormatError(() => evaluate([0x2f, 0xfd, 0xff]), 'E_LIMIT'); // skip to itself
  assertFormatError(() => evaluate([0x2f, 0x10, 0]), 'E_CFI_EXPRESSION', { got: 16 });
  assertFormatError(() => evaluate([0x22]), 'E_CFI_EXPRESSION');
  assertFormatError(() => evaluate([]), 'E_CFI_EXPRESSION');
  assertFormatError(() => evaluate([0x31, 0x30, 0x1b]), 'E_CFI_EXPRESSION');
  assertFormatError(() => evaluate([0x9c]), 'E_CFI_EXPRESSION', { got: '0x9c' });
  assertFormatError(() => evaluate([0x31, 0x94, 3]), 'E_CFI_EXPRESSION', { got: 3 });
  assertFormatError(() => evaluate([0x0e, 1]), 'E_TRUNCATED');
  assertFormatError(() => evaluate([0x31, 0x12, 0x2f, 0xfc, 0xff]), 'E_LIMIT'); // a stack without end
});
