/** The rows of functions: a column of pcs in order, and the rule from each on. */
import { allocate, release } from '../memory';
import { Row } from './row';
import { intern } from './rules';

const FIRST_ROOM: u32 = 1024;

/** u32s. */
export let pcs: usize = 0;
export let rulesOfRows: usize = 0;
export let rowCount: u32 = 0;
let room: u32 = 0;
/** Of the function whose rows are made: its first row, and the object address behind its last byte. */
let first: u32 = 0;
let end: f64 = 0;

export function beginRows(behindCode: u32): void {
  first = rowCount;
  end = behindCode;
}

/** The function has no rows after all. */
export function forgetRows(): void {
  rowCount = first;
}

/** Rows that repeat the rule before are left out, and those of no length. */
export function addRow(pc: f64, row: Row, isSignalFrame: bool): void {
  if (pc >= end) return;
  const rule = intern(row, isSignalFrame);
  const at = u32(pc);
  if (rowCount > first && load<u32>(pcs + 4 * (rowCount - 1)) === at) rowCount--;
  if (rowCount > first && load<u32>(rulesOfRows + 4 * (rowCount - 1)) === rule) return;
  if (rowCount === room) enlarge();
  store<u32>(pcs + 4 * rowCount, at);
  store<u32>(rulesOfRows + 4 * rowCount, rule);
  rowCount++;
}

function enlarge(): void {
  const larger = max<u32>(FIRST_ROOM, 2 * room);
  pcs = enlarged(pcs, larger);
  rulesOfRows = enlarged(rulesOfRows, larger);
  room = larger;
}

function enlarged(column: usize, larger: u32): usize {
  const rows = allocate(4 * larger);
  memory.copy(rows, column, 4 * rowCount);
  if (column !== 0) release(column, 4 * room);
  return rows;
}
