/** Control flow of one function, backwards: which instructions may run right before another one. */
import { addressOf, Flow, type InstructionTable, rowAt } from '../../formats/instructions.js';

export interface ControlFlow {
  readonly table: InstructionTable;
  /** Rows with a direct jump to row r: `sources[sourceStart[r], sourceStart[r + 1])`. Computed jumps (switch tables) are not known. */
  readonly sourceStart: Uint32Array;
  readonly sources: Uint32Array;
}

export function controlFlowOf(table: InstructionTable): ControlFlow {
  const targetRow = new Int32Array(table.length);
  const sourceStart = new Uint32Array(table.length + 1);
  for (let row = 0; row < table.length; row++) {
    targetRow[row] = jumps(table.flow[row]!) ? rowAt(table, table.target[row]!) : -1;
    if (targetRow[row]! >= 0) sourceStart[targetRow[row]! + 1]!++;
  }
  for (let row = 0; row < table.length; row++) sourceStart[row + 1]! += sourceStart[row]!;
  const sources = new Uint32Array(sourceStart[table.length]!);
  const filled = sourceStart.slice();
  for (let row = 0; row < table.length; row++) {
    if (targetRow[row]! >= 0) sources[filled[targetRow[row]!]!++] = row;
  }
  return { table, sourceStart, sources };
}

/** Rows that may run right before a row; a call counts as returning. */
export function* predecessors({ table, sourceStart, sources }: ControlFlow, row: number): Generator<number> {
  if (row > 0 && fallsThrough(table.flow[row - 1]!)) yield row - 1;
  for (let at = sourceStart[row]!; at < sourceStart[row + 1]!; at++) yield sources[at]!;
}

/** Whether a conditional jump leads to a row by being taken. */
export const isTakenTo = (table: InstructionTable, jumpRow: number, row: number): boolean =>
  table.target[jumpRow] === addressOf(table, row);

export const isConditional = (flow: number): boolean => flow === Flow.branch || flow === Flow.testBranch;

const jumps = (flow: number): boolean => flow === Flow.jump || isConditional(flow);

const fallsThrough = (flow: number): boolean => flow !== Flow.jump && flow !== Flow.end;
