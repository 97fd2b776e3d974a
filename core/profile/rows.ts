/** @throws RangeError for what is no row of a table of `length` rows; `what` names the table's entry in the message */
export function requireRow(what: string, row: number, length: number): void {
  if (!(Number.isInteger(row) && row >= 0 && row < length)) throw new RangeError(`${what} ${row} of ${length}`);
}
