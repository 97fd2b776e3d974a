/** Order of rows by a column of numbers. */

/**
 * Rows by their number, those of one number by themselves: both in one where that is exact, since sorting by a comparison takes ten
 * times as long.
 * @param column whole numbers
 */
export function orderByNumber(column: Float64Array): Uint32Array<ArrayBuffer> {
  const count = column.length;
  let lowest = 0;
  let highest = 0;
  for (let row = 0; row < count; row++) {
    const number = column[row]!;
    if (number > highest) highest = number;
    if (number < lowest) lowest = number;
  }
  const order = new Uint32Array(count);
  if (lowest < 0 || (highest + 1) * count > Number.MAX_SAFE_INTEGER) {
    for (let row = 0; row < count; row++) order[row] = row;
    return order.sort((a, b) => column[a]! - column[b]! || a - b);
  }
  const keys = new Float64Array(count);
  for (let row = 0; row < count; row++) keys[row] = column[row]! * count + row;
  keys.sort();
  for (let at = 0; at < count; at++) order[at] = keys[at]! % count;
  return order;
}

/** Sorts the rows of each run that has one number in the column. @param order by `orderByNumber` */
export function orderWithinRuns(
  order: Uint32Array,
  column: Float64Array,
  compare: (row: number, other: number) => number,
): void {
  for (let at = 0; at < order.length; ) {
    const number = column[order[at]!];
    let end = at + 1;
    while (end < order.length && column[order[end]!] === number) end++;
    if (end - at > 1) order.subarray(at, end).sort(compare);
    at = end;
  }
}
