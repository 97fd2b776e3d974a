import assert from 'node:assert/strict';
import { test } from 'node:test';
import { binaryOf } from '../../../test/helpers/binaries.js';
import { ehFrame, type FrameSpec } from '../../../test/helpers/cfi.js';
import { parcaText } from './parca-text.js';
import { registerFile } from './registers.js';
import { ruleText, tableRows, tableStats } from './table-rows.js';
import { NO_RULE, SPOILT_RULE, UnwindTable } from './unwind-table.js';

const amd64 = registerFile('amd64')!;
const pushRbp = [0x41, 0x0e, 16, 0x86, 2];
/** Two functions side by side, a gap, one that is spoilt, one with a PLT's expression. */
const functions: readonly FrameSpec[] = [
  { start: 0x1000, size: 16, instructions: [...pushRbp, 0x43, 0x0d, 6, 0x41, 0x41, 0x4a, 0x0c, 7, 8, 0xc6] },
  { start: 0x1010, size: 8, instructions: pushRbp },
  { start: 0x1100, size: 8, instructions: [...pushRbp, 0x3f] },
  { start: 0x1108, size: 8, instructions: [0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22] },
];
const open = () => new UnwindTable(ehFrame(functions), amd64);

function draw(table: UnwindTable, rule: number): string {
  if (rule < 0) return rule === NO_RULE ? 'none' : 'spoilt';
  const { cfa, registers } = ruleText(table.rules, rule, amd64);
  return [cfa, ...Object.entries(registers).map(([name, value]) => `${name}=${value}`)].join(' ');
}

test('rows in order, without repetitions, with an end before each gap', () => {
  const table = open();
  assert.deepEqual(
    [...tableRows(table)].map(({ pc, rule }) => `${pc.toString(16)} ${draw(table, rule)}`),
    [
      '1000 rsp+8 ra=c-8',
      '1001 rsp+16 rbp=c-16 ra=c-8',
      '1004 rbp+16 rbp=c-16 ra=c-8',
      '1010 rsp+8 ra=c-8',
      '1011 rsp+16 rbp=c-16 ra=c-8',
      '1018 none',
      '1100 spoilt',
      '1108 expression ra=c-8',
      '1110 none',
    ],
  );
});

test('the rule at a pc, in any order of asking', () => {
  const table = open();
  const at = (pc: number) => draw(table, table.find(pc));
  assert.equal(at(0x1012), 'rsp+16 rbp=c-16 ra=c-8');
  assert.equal(at(0x100f), 'rbp+16 rbp=c-16 ra=c-8');
  assert.equal(at(0x1000), 'rsp+8 ra=c-8');
  assert.equal(at(0x1010), 'rsp+8 ra=c-8');
  assert.equal(table.find(0xfff), NO_RULE);
  assert.equal(table.find(0x1018), NO_RULE);
  assert.equal(table.find(0x1101), SPOILT_RULE);
  assert.deepEqual(
    table.faults.first.map(({ code }) => code),
    ['E_CFI_INSTRUCTION'],
  );
});

test('figures of a table', () => {
  const { functions: made, spoilt, rows, rules, expressions, coveredBytes, codeBytes } = tableStats(open(), binaryOf());
  assert.deepEqual([made, spoilt, rows, rules, expressions, coveredBytes], [3, 1, 9, 4, 1, 40]);
  assert.equal(codeBytes, 0x4000);
});

test("Parca's text keeps repeated rows and the order of the section", () => {
  const section = { ...ehFrame([functions[3]!, functions[0]!]), imageBase: 0x400000n };
  const text = [...parcaText(binaryOf({ frames: { sections: [section], faults: [] } }))];
  assert.equal(
    text.join(''),
    [
      '=> Function start: 401108, Function end: 401110',
      '\tpc: 401108 cfa_type: 3  rbp_type: 0  cfa_offset: 1    rbp_offset: 0   ',
      '=> Function start: 401000, Function end: 401010',
      '\tpc: 401000 cfa_type: 2  rbp_type: 0  cfa_offset: 8    rbp_offset: 0   ',
      '\tpc: 401001 cfa_type: 2  rbp_type: 1  cfa_offset: 16   rbp_offset: -16 ',
      '\tpc: 401004 cfa_type: 1  rbp_type: 1  cfa_offset: 16   rbp_offset: -16 ',
      '\tpc: 401005 cfa_type: 1  rbp_type: 1  cfa_offset: 16   rbp_offset: -16 ',
      '\tpc: 401006 cfa_type: 1  rbp_type: 1  cfa_offset: 16   rbp_offset: -16 ',
      '\tpc: 401010 cfa_type: 2  rbp_type: 0  cfa_offset: 8    rbp_offset: 0   ',
    ].join('\n'),
  );
  assert.equal([...parcaText(binaryOf())].join(''), 'failed with: failed to find .eh_frame section');
});

test('rows that are made at once are those that are made one by one', () => {
  const many = Array.from({ length: 256 }, () => 0x0a);
  const kinds: readonly (readonly number[])[] = [
    pushRbp,
    [0x02, 1, 0x0e, 16, 0x03, 1, 0, 0x0e, 24, 0x04, 1, 0, 0, 0, 0x0e, 32],
    [0x41, 0x0a, 0x0e, 16, 0x86, 2, 0x42, 0x0b, 0x42, 0x0d, 6],
    [0x41, 0x05, 3, 2, 0x11, 12, 0x7e, 0x2f, 13, 2, 0x14, 14, 1, 0x15, 15, 0x7f, 0x41, 0x06, 3, 0xcc],
    [0x41, 0x07, 3, 0x08, 12, 0x09, 13, 14, 0x12, 6, 0x7e, 0x41, 0x13, 0x7d, 0x2e, 8],
    [0x0f, 2, 0x77, 8, 0x41, 0x10, 6, 2, 0x77, 8, 0x16, 3, 2, 0x77, 16, 0x42, 0x0d, 7],
    // Registers that are not followed, rows of no length, numbers with more bytes than they need.
    [
      0x41, 0x05, 80, 1, 0x05, 0xff, 1, 1, 0x40, 0x0e, 0x90, 0x80, 0x80, 0, 0x41, 0x0e, 0x88, 0x80, 0x80, 0x80, 0x80,
      0x80, 0,
    ],
    // Beyond the function's end; a location by a pointer; states that are not there or too many; cut; beyond 32 bits; unknown.
    [0x41, 0x0e, 16, 0x7f, 0x0e, 24],
    [0x41, 0x0e, 16, 0x01, 0, 0, 0, 0],
    [0x41, 0x0b],
    [...many, 0x41, 0x0e, 16],
    [...many, 0x0a],
    [0x41, 0x0e],
    [0x41, 0x10, 6, 9, 0x77],
    [0x41, 0x0e, 0xff, 0xff, 0xff, 0xff, 0x7f],
    [0x41, 0x0c, 97, 8],
    [0x41, 0x3f],
  ];
  const specs = kinds.map((instructions, index) => ({ start: 0x1000 + 32 * index, size: 24, instructions }));
  for (const registers of [amd64, registerFile('arm64')!]) {
    const single = new UnwindTable(ehFrame(specs), registers);
    const whole = new UnwindTable(ehFrame(specs), registers);
    whole.makeAll();
    const text = (table: UnwindTable, pc: number) => {
      const rule = table.find(pc);
      return rule < 0 ? rule : ruleText(table.rules, rule, registers);
    };
    for (let pc = 0x0fff; pc <= 0x1000 + 32 * kinds.length; pc++) {
      assert.deepEqual(text(whole, pc), text(single, pc), `pc 0x${pc.toString(16)}`);
    }
    const told = ({ faults }: UnwindTable) => faults.first.map((fault) => fault.describe());
    assert.deepEqual(told(whole), told(single));
    assert.equal(whole.faults.count, single.faults.count);
  }
});
