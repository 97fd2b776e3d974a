/** Whatever the bytes, the reader of call frame information gives entries, rows and values that lie within them, or throws FormatError. */
import { registerFile } from '../../core/binary/unwind/registers.js';
import { tableRows } from '../../core/binary/unwind/table-rows.js';
import { UnwindTable } from '../../core/binary/unwind/unwind-table.js';
import { readEhFrameAddress } from '../../core/formats/cfi/eh-frame-header.js';
import { EntryReader } from '../../core/formats/cfi/entry.js';
import { evaluateExpression } from '../../core/formats/cfi/expression.js';
import { InstructionRunner } from '../../core/formats/cfi/instructions.js';
import { CFA_EXPRESSION, RegisterRule, type UnwindRow } from '../../core/formats/cfi/row.js';
import type { CfiSection } from '../../core/formats/cfi/section.js';
import { FormatError } from '../../core/formats/errors.js';
import { debugFrame, ehFrame } from '../helpers/cfi.js';
import { fuzz } from './mutate.js';

const memory = { register: (number: number) => BigInt(number) << 4n, read: (address: bigint) => address ^ 0x55n };

function readAll(bytes: Uint8Array): void {
  for (const isEhFrame of [true, false]) {
    const section = { name: 'frames', isEhFrame, bytes, objectAddress: 0x8000, imageBase: 0n, textBase: 0x1000 };
    runAll(section);
    const table = new UnwindTable(section, registerFile('amd64')!);
    let last = -1;
    for (const { pc } of tableRows(table)) {
      if (pc < last) throw new Error(`row at ${pc} behind one at ${last}`);
      last = pc;
      table.find(pc);
    }
  }
  if (bytes[0] === 1) readEhFrameAddress(bytes, 0, 0n);
}

function runAll(section: CfiSection): void {
  const runner = new InstructionRunner(section);
  const evaluate = (row: UnwindRow): void => {
    if (row.cfaRegister === CFA_EXPRESSION) evaluateExpression(section, row.cfaOffset, [], memory);
    for (const [number, rule] of row.rules.entries()) {
      if (rule >= RegisterRule.expression) evaluateExpression(section, row.values[number]!, [0x7fff0000n], memory);
    }
  };
  for (const entry of new EntryReader(section).entries(() => {})) {
    try {
      runner.run(entry, (_pc, row) => evaluate(row));
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
    }
  }
}

const frames = [
  { start: 0x1000, size: 64, instructions: [0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x0a, 0x72, 0x0c, 7, 8, 0x0b] },
  { start: 0x1040, size: 32, instructions: [0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22] },
  { start: 0x1080, size: 32, instructions: [0x10, 6, 3, 0x77, 8, 0x06, 0x16, 7, 5, 0x31, 0x28, 0xfc, 0xff, 0x96] },
  { start: 0x2000, size: 300, instructions: [0x02, 1, 0x03, 4, 0, 0x09, 4, 5, 0x2e, 8, 0x14, 3, 1, 0x01, 0, 0, 0, 0] },
];

await fuzz({
  name: 'cfi',
  seeds: [
    { bytes: ehFrame(frames).bytes },
    { bytes: ehFrame(frames, { augmentation: 'zPLRS', augmentationData: [0x9b, 0, 0, 0, 0, 0x1b, 0x1b] }).bytes },
    { bytes: debugFrame(frames).bytes },
    { bytes: Uint8Array.of(1, 0x1b, 0x03, 0x3b, 0x10, 0, 0, 0, 1, 0, 0, 0) },
  ],
  run: readAll,
  isAllowed: (error) => error instanceof FormatError,
  maxMs: 1_000,
});
