/** The row that is being read, and what is wrong with it. */
import { fail } from './imports';

let message: i32 = 0;
let row: u32 = 0;

/** What goes wrong from now on is in this row. */
export function enterRow(newMessage: i32, newRow: u32): void {
  message = newMessage;
  row = newRow;
}

export function failHere(problem: i32, field: u32, address: usize, got: u64 = 0, limit: u64 = 0): void {
  fail(problem, message, row, field, address, got, limit);
}
