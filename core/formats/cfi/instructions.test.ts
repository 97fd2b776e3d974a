import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CommonSpec, debugFrame, ehFrame } from '../../../test/helpers/cfi.js';
import { assertFormatError } from '../../../test/helpers/format-error.js';
import { EntryReader } from './entry.js';
import { InstructionRunner } from './instructions.js';
import { CFA_EXPRESSION, RegisterRule, type UnwindRow } from './row.js';
import type { CfiSection } from './section.js';

const names = 'rax rdx rcx rbx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15 ra'.split(' ');
const kinds = Object.keys(RegisterRule);

/** "10 rsp+16 rbp:offset-16 ra:offset-8", a row each. */
function drawn(section: CfiSection): string[] {
  const rows: string[] = [];
  const [entry] = [...new EntryReader(section).entries((fault) => assert.fail(fault.describe()))];
  new InstructionRunner(section).run(entry!, (pc, row) => rows.push(draw(pc, row)));
  return rows;
}

function draw(pc: number, row: UnwindRow): string {
  const signed = (value: number) => (value < 0 ? `${value}` : `+${value}`);
  const registers = [...row.rules.entries()]
    .filter(([, rule]) => rule !== RegisterRule.unspecified)
    .map(([number, rule]) => `${names[number]}:${kinds[rule]}${signed(row.values[number]!)}`);
  const cfa = row.cfaRegister === CFA_EXPRESSION ? 'expression' : `${names[row.cfaRegister]}${signed(row.cfaOffset)}`;
  return [pc.toString(16), cfa, ...registers].join(' ');
}

const run = (instructions: readonly number[], common: Partial<CommonSpec> = {}) =>
  drawn(ehFrame([{ start: 0x1000, size: 0x200, instructions }], common));

test('a function with a frame pointer (DWARF 5, appendix D.6, in the registers of x86-64)', () => {
  const rows = run([0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x02, 0xfa, 0x0c, 7, 8]);
  assert.deepEqual(rows, [
    '1000 rsp+8 ra:offset-8',
    '1001 rsp+16 rbp:offset-16 ra:offset-8',
    '1004 rbp+16 rbp:offset-16 ra:offset-8',
    '10fe rsp+8 rbp:offset-16 ra:offset-8',
  ]);
});

test('a function without instructions has the row of its CIE', () => {
  assert.deepEqual(run([]), ['1000 rsp+8 ra:offset-8']);
});

test('advances of one, two and four bytes count in units of the code alignment', () => {
  const rows = run([0x02, 1, 0x03, 0, 1, 0x04, 0, 0, 1, 0], { codeAlignment: 4 });
  assert.deepEqual(
    rows.map((row) => row.split(' ')[0]),
    ['1000', '1004', '1404', '41404'],
  );
});

test('a location is set as the CIE writes pointers', () => {
  const target = 0x1080;
  const common = { augmentationData: [0x03] };
  const section = ehFrame([{ start: 0, size: 0x200, instructions: [0x01, target & 0xff, target >> 8, 0, 0] }], common);
  const [entry] = [...new EntryReader(section).entries(() => {})];
  const pcs: number[] = [];
  new InstructionRunner(section).run({ ...entry!, start: 0x1000 }, (pc) => pcs.push(pc));
  assert.deepEqual(pcs, [0x1000, 0x1080]);
});

test('every rule of a register', () => {
  const instructions = [
    [0x83, 2], // offset rbx
    [0x05, 12, 3], // offset_extended r12
    [0x11, 13, 0x7c], // offset_extended_sf r13, −4
    [0x2f, 14, 5], // GNU_negative_offset_extended r14
    [0x14, 15, 1], // val_offset r15
    [0x15, 0, 0x7f], // val_offset_sf rax, −1
    [0x07, 1], // undefined rdx
    [0x08, 2], // same_value rcx
    [0x09, 4, 5], // register rsi in rdi
  ].flat();
  assert.deepEqual(run(instructions), [
    '1000 rsp+8 rax:valueOffset+8 rdx:undefined+0 rcx:sameValue+0 rbx:offset-16 rsi:register+5 ' +
      'r12:offset-24 r13:offset+32 r14:offset+40 r15:valueOffset-8 ra:offset-8',
  ]);
});

test('expressions are kept by their place in the section', () => {
  const section = ehFrame([{ start: 0x1000, size: 1, instructions: [0x0f, 1, 0x97, 0x10, 6, 1, 0x96, 0x16, 7, 0] }]);
  const [entry] = [...new EntryReader(section).entries(() => {})];
  const at = entry!.instructionsStart;
  assert.deepEqual(drawn(section), [
    `1000 expression rbp:expression+${at + 5} rsp:valueExpression+${at + 9} ra:offset-8`,
  ]);
});

test('a restored register has the rule of the CIE, a restored state all that was remembered', () => {
  assert.deepEqual(run([0x86, 2, 0x0a, 0x41, 0xc6, 0xd0, 0x0e, 64, 0x41, 0x0b, 0x41, 0x06, 6]), [
    '1000 rsp+8 rbp:offset-16 ra:offset-8',
    '1001 rsp+64 ra:offset-8',
    '1002 rsp+8 rbp:offset-16 ra:offset-8',
    '1003 rsp+8 ra:offset-8',
  ]);
});

test('offsets of the CFA may be signed and factored', () => {
  assert.deepEqual(run([0x12, 6, 0x7e, 0x41, 0x13, 0x7d]), ['1000 rbp+16 ra:offset-8', '1001 rbp+24 ra:offset-8']);
});

test('the sizes of arguments say nothing of the frame', () => {
  assert.deepEqual(run([0x2e, 0x80, 1]), ['1000 rsp+8 ra:offset-8']);
});

test('return addresses are signed from one negation to the next', () => {
  const section = ehFrame([{ start: 0, size: 12, instructions: [0x44, 0x2d, 0x44, 0x2d] }]);
  const [entry] = [...new EntryReader(section).entries(() => {})];
  const signed: boolean[] = [];
  new InstructionRunner(section).run(entry!, (_pc, row) => signed.push(row.isReturnAddressSigned));
  assert.deepEqual(signed, [false, true, false]);
});

test('rules of registers beyond those that are followed are read and dropped', () => {
  assert.deepEqual(run([0x05, 0x80, 2, 1, 0x06, 0x80, 2]), ['1000 rsp+8 ra:offset-8']);
});

test('.debug_frame: entries count from the image, also in kernels, beyond 2^53', () => {
  const kernel = 0xffffffff81000000n;
  const section = debugFrame([{ start: 0x1000, size: 16, instructions: [0x41, 0x0e, 16] }], kernel);
  assert.deepEqual(drawn(section), ['1000 rsp+8 ra:offset-8', '1001 rsp+16 ra:offset-8']);
});

test('instructions that cannot be run are refused by their own code', () => {
  assertFormatError(() => run([0x3f]), 'E_CFI_INSTRUCTION', { section: '.eh_frame', got: '0x3f' });
  assertFormatError(() => run([0x0b]), 'E_CFI_STATE');
  assertFormatError(() => run([0x0d, 0xff, 1]), 'E_CFI_STATE', { got: 255 });
  assertFormatError(() => run([0x01, 0, 0, 0, 0x80]), 'E_CFI_STATE');
  assertFormatError(() => run([0x0e, 0x80, 0x80, 0x80, 0x80, 8]), 'E_CFI_RANGE', { got: 2 ** 31 });
  assertFormatError(() => run([0x0e, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]), 'E_LEB128');
  assertFormatError(() => run([0, 0, 0, 0x04]), 'E_TRUNCATED');
});

test('a flood of remembered rows ends at a limit', () => {
  assertFormatError(() => run(new Array<number>(300).fill(0x0a)), 'E_LIMIT');
});
