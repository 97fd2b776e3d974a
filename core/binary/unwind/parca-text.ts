/**
 * Unwind rows as Parca's agent dumps its compact tables, byte for byte: for comparing with it, and for what reads its text. The order
 * is that of the FDEs in .eh_frame. Kept as they are there: offsets are 16 bits wide and wrap; on arm64 the step behind the
 * instruction that switches the signing of return addresses is lost (it is read as an operand), so that later rows lie too low.
 * Source: parca-dev/testdata, tables/amd64 and arm64/compact.
 */
import { EntryReader } from '../../formats/cfi/entry.js';
import { InstructionRunner } from '../../formats/cfi/instructions.js';
import { CFA_EXPRESSION, RegisterRule, type UnwindRow } from '../../formats/cfi/row.js';
import type { CfiSection } from '../../formats/cfi/section.js';
import type { Binary } from '../binary.js';
import { needRegisterFile, type RegisterFile } from './registers.js';

const CfaType = { other: 0, framePointer: 1, stackPointer: 2, expression: 3 } as const;
const RbpType = { unchanged: 0, offset: 1, register: 2, expression: 3, undefinedReturnAddress: 4 } as const;

/** Expressions that have a number: the two that linkers write for the PLT, by what they compare `rip & 15` with. */
const PLT_EXPRESSIONS: readonly (readonly [id: number, bytes: readonly number[]])[] = [
  [1, [0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22]],
  [2, [0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3a, 0x2a, 0x33, 0x24, 0x22]],
];

/** What there is instead of a table where the binary has none. */
const NO_TABLE = 'failed with: failed to find .eh_frame section';

/** The text in pieces, a function each; there is no newline behind the last row. @throws FormatError for a spoilt section */
export function parcaText(binary: Binary): Iterable<string> {
  const registers = needRegisterFile(binary);
  const section = binary.frames.sections.find(({ isEhFrame }) => isEhFrame);
  return section === undefined ? [NO_TABLE] : functionTexts(section, registers);
}

function* functionTexts(section: CfiSection, registers: RegisterFile): Generator<string> {
  const runner = new InstructionRunner(section);
  const absolute = (objectAddress: number) => (BigInt(objectAddress) + section.imageBase).toString(16);
  let separator = '';
  const onFault = (fault: Error): never => {
    throw fault;
  };
  for (const entry of new EntryReader(section).entries(onFault)) {
    let text = `${separator}=> Function start: ${absolute(entry.start)}, Function end: ${absolute(entry.start + entry.size)}`;
    let isSigned = false;
    let switchedAt: number | undefined;
    let lostBytes = 0;
    const append = (pc: number, row: UnwindRow) => {
      text += `\n\tpc: ${absolute(pc - lostBytes)} ${rowText(row, section, registers, entry.common.returnAddressRegister)}`;
    };
    runner.run(entry, (pc, row, isLast) => {
      if (switchedAt !== undefined) lostBytes += pc - switchedAt;
      const isSwitched = row.isReturnAddressSigned !== isSigned;
      isSigned = row.isReturnAddressSigned;
      switchedAt = isSwitched ? pc : undefined;
      if (!isSwitched || isLast) append(pc, row);
    });
    yield text;
    separator = '\n';
  }
}

function rowText(row: UnwindRow, section: CfiSection, registers: RegisterFile, returnAddress: number): string {
  const [cfaType, cfaOffset] = cfaOf(row, section, registers);
  const [rbpType, rbpOffset] = rbpOf(row, registers, returnAddress);
  const text = `cfa_type: ${pad(cfaType, 2)} rbp_type: ${pad(rbpType, 2)} cfa_offset: ${pad(cfaOffset, 4)} rbp_offset: ${pad(rbpOffset, 4)}`;
  if (registers.architecture !== 'arm64') return text;
  const isSaved = row.rules[returnAddress] === RegisterRule.offset;
  return `${text}lr_offset: ${pad(isSaved ? wrap(row.values[returnAddress]!) : 0, 4)}`;
}

function cfaOf(row: UnwindRow, section: CfiSection, registers: RegisterFile): readonly [type: number, offset: number] {
  const { cfaRegister, cfaOffset } = row;
  switch (cfaRegister) {
    case CFA_EXPRESSION:
      return [CfaType.expression, expressionId(section, cfaOffset)];
    case registers.framePointer:
      return [CfaType.framePointer, wrap(cfaOffset)];
    case registers.stackPointer:
      return [CfaType.stackPointer, wrap(cfaOffset)];
    default:
      return [CfaType.other, wrap(cfaOffset)];
  }
}

function rbpOf(
  row: UnwindRow,
  { framePointer }: RegisterFile,
  returnAddress: number,
): readonly [type: number, offset: number] {
  if (row.rules[returnAddress] === RegisterRule.undefined) return [RbpType.undefinedReturnAddress, 0];
  switch (row.rules[framePointer]) {
    case RegisterRule.offset:
      return [RbpType.offset, wrap(row.values[framePointer]!)];
    case RegisterRule.register:
      return [RbpType.register, 0];
    case RegisterRule.expression:
    case RegisterRule.valueExpression:
      return [RbpType.expression, 0];
    default:
      return [RbpType.unchanged, 0];
  }
}

function expressionId({ bytes }: CfiSection, offset: number): number {
  const known = PLT_EXPRESSIONS.find(
    ([, body]) => bytes[offset] === body.length && body.every((byte, at) => bytes[offset + 1 + at] === byte),
  );
  return known?.[0] ?? 0;
}

const wrap = (offset: number): number => (offset << 16) >> 16;
const pad = (value: number, width: number): string => String(value).padEnd(width);
