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
