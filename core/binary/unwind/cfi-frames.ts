/** Stack frames of functions by call frame information: for code that Go's table does not know. */
import type { Architecture, Binary } from '../binary.js';
import type { FunctionFrame } from '../function-frame.js';
import { type RegisterFile, registerFile } from './registers.js';
import { type RuleSet, RuleWord } from './rule-set.js';
import { SPOILT_RULE, UnwindTable } from './unwind-table.js';

/** What the call itself pushed lies between the CFA and the frame. */
const RETURN_ADDRESS_BYTES: { readonly [architecture in Architecture]?: number } = { amd64: 8, arm64: 0 };

/**
 * Functions of all sections in order of address, each once: those of the first section that has them. Functions whose instructions
 * are spoilt are left out.
 * @throws FormatError E_LIMIT
 */
export function cfiFrames(binary: Binary): FunctionFrame[] {
  const registers = registerFile(binary.architecture);
  if (registers === undefined) return [];
  const frames = new Map<number, FunctionFrame>();
  for (const section of binary.frames.sections) {
    const table = new UnwindTable(section, registers);
    table.makeAll();
    for (let index = 0; index < table.length; index++) {
      const start = table.start(index);
      if (frames.has(start) || (binary.go?.find(start) ?? -1) >= 0) continue;
      const frame = frameOf(table, index, binary, registers);
      if (frame !== undefined) frames.set(start, frame);
    }
  }
  return [...frames].sort(([a], [b]) => a - b).map(([, frame]) => frame);
}

function frameOf(
  table: UnwindTable,
  index: number,
  binary: Binary,
  registers: RegisterFile,
): FunctionFrame | undefined {
  const start = table.start(index);
  let most: number | undefined = 0;
  const first = table.firstRow(index);
  if (first === SPOILT_RULE) return undefined;
  for (let row = first; row < table.endRow(index) && most !== undefined; row++) {
    const bytes = bytesOf(table.rules, table.ruleAt(row), registers);
    most = bytes === undefined ? undefined : Math.max(most, bytes);
  }
  return {
    function: nameAt(binary, start),
    entry: binary.imageBase + BigInt(start),
    size: table.end(index) - start,
    frameBytes: most,
    method: 'cfi',
  };
}

/** From the stack pointer to the return address; undefined where the rule counts from another register. */
function bytesOf(rules: RuleSet, rule: number, registers: RegisterFile): number | undefined {
  const { words } = rules;
  const start = rules.start(rule);
  if (words[start + RuleWord.cfaRegister] !== registers.stackPointer) return undefined;
  return words[start + RuleWord.cfaOffset]! - (RETURN_ADDRESS_BYTES[registers.architecture] ?? 0);
}

/** "" where no symbol table has the address. */
function nameAt(binary: Binary, objectAddress: number): string {
  for (const table of binary.symbolTables) {
    const symbol = table.find(objectAddress);
    if (symbol !== undefined) return symbol.name;
  }
  return '';
}
