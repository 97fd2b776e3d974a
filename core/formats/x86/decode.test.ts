import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressOf, Flow, rowAt, Trait } from '../instructions.js';
import { decodeX86 } from './decode.js';

const BASE = 0x2000;
const decode = (hex: string) => decodeX86(Uint8Array.from(Buffer.from(hex.replaceAll(/\s/g, ''), 'hex')), BASE);

test('flow of jumps, calls, returns and traps, with their targets', () => {
  const rows: readonly (readonly [hex: string, flow: number, target: number])[] = [
    ['eb fe', Flow.jump, BASE],
    ['e9 00 01 00 00', Flow.jump, BASE + 0x105],
    ['72 10', Flow.branch, BASE + 0x12],
    ['0f 86 fb ff ff ff', Flow.branch, BASE + 1],
    ['e3 05', Flow.testBranch, BASE + 7],
    ['e8 00 00 00 00', Flow.call, BASE + 5],
    ['ff d0', Flow.call, -1],
    ['ff e0', Flow.end, -1],
    ['c3', Flow.end, -1],
    ['0f 0b', Flow.end, -1],
    ['cc', Flow.end, -1],
    ['90', Flow.next, -1],
  ];
  for (const [hex, flow, target] of rows) {
    const table = decode(hex);
    assert.deepEqual([table.length, table.flow[0], table.target[0]], [1, flow, target], hex);
  }
});

test('traits of compares, moves, sums and zeroing', () => {
  const { setsFlags, compares, moves } = Trait;
  const rows: readonly (readonly [hex: string, traits: number])[] = [
    ['48 39 c8', setsFlags | compares],
    ['48 3b 48 08', setsFlags | compares],
    ['48 85 c9', setsFlags | compares],
    ['48 29 c8', setsFlags],
    ['48 ff c0', setsFlags],
    ['31 c0', setsFlags | moves],
    ['31 c8', setsFlags],
    ['48 89 c8', moves],
    ['48 8d 4b 01', moves],
    ['0f b6 00', moves],
    ['0f 1f 40 00', moves],
    ['f3 48 ab', 0],
  ];
  for (const [hex, traits] of rows) assert.equal(decode(hex).traits[0], traits, hex);
});

test('bytes that are no instruction end the flow, and decoding goes on behind them', () => {
  const table = decode('06 90 90 48 39 c8');
  assert.equal(table.flow[0], Flow.end);
  assert.equal(addressOf(table, table.length - 1), BASE + 3);
  assert.equal(table.traits[table.length - 1], Trait.setsFlags | Trait.compares);
});

test('an instruction cut off by the end of the function is a row of its own', () => {
  const table = decode('90 48 39');
  assert.equal(table.flow[1], Flow.end);
  assert.equal(table.start[table.length], 3);
});

test('rows are found by their first byte only', () => {
  const table = decode('90 48 39 c8 c3');
  assert.deepEqual(
    [0, 1, 2, 4, 5].map((offset) => rowAt(table, BASE + offset)),
    [0, 1, -1, 2, -1],
  );
});

test('every 32,000 random bytes decode to rows that cover them', () => {
  let state = 42;
  const bytes = Uint8Array.from({ length: 32_000 }, () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return state >>> 16;
  });
  const table = decodeX86(bytes, BASE);
  for (let row = 0; row < table.length; row++) {
    const size = table.start[row + 1]! - table.start[row]!;
    assert.ok(size >= 1 && size <= 15, `row ${row} has ${size} bytes`);
  }
  assert.equal(table.start[table.length], bytes.length);
});
