/** What `profile diff` prints for people. */
import type { Diff } from '../profile/figures/diff.js';
import type { Change, FunctionChange, StatisticalDiff } from '../profile/figures/diff-statistics.js';
import type { Output } from './output.js';
import { formatShare, formatValue, groupDigits } from './units.js';

const DEFAULT_ROWS = 20;

const right = (name: string) => ({ name, align: 'right' as const });

/** Shares are of the older profile's total, as with `pprof -diff_base`. */
export async function printDiff(diff: Diff, limit: number | undefined, out: Output): Promise<void> {
  const { sampleType, total, baseTotal, rows } = diff;
  const { type, unit } = sampleType;
  const inAll = `${type}: ${formatValue(baseTotal, unit)} before, ${formatValue(total, unit)} after`;
  out.line(
    baseTotal === 0n ? inAll : `${inAll}, ${signed(total - baseTotal, formatShare(total - baseTotal, baseTotal))}`,
  );
  const change = (value: bigint) => [
    signed(value, formatValue(value, unit)),
    signed(value, formatShare(value, baseTotal)),
  ];
  const cells = rows
    .slice(0, limit ?? DEFAULT_ROWS)
    .map(({ function: name, flat, cum, base }) => [
      ...change(flat),
      formatValue(base.flat, unit),
      ...change(cum),
      name,
    ]);
  const columns = [right('flat'), right('flat%'), right('from'), right('cum'), right('cum%'), { name: 'function' }];
  await printRows(columns, cells, rows.length, 'no change', out);
}

/** A change that may be noise is shown as "~". */
export async function printStatisticalDiff(
  { sampleType, total, rows }: StatisticalDiff,
  counts: { readonly before: number; readonly after: number },
  limit: number | undefined,
  out: Output,
): Promise<void> {
  const { type, unit } = sampleType;
  const value = (amount: number) => formatValue(isWhole(unit) ? Math.round(amount) : amount, unit);
  const mean = ({ mean: middle, margin }: Change['before']) => `${value(middle)} ±${percent(margin, middle)}`;
  out.line(
    `${type}: ${mean(total.before)} before (${counts.before} profiles), ${mean(total.after)} after (${counts.after})`,
  );
  const isCertain = ({ isSignificant: { flat, cum } }: FunctionChange) => flat || cum;
  const certain = rows.filter(isCertain);
  const change = ({ change: middle, low, high }: Change, isSignificant: boolean) =>
    isSignificant
      ? [signed(middle, value(middle)), `${signed(low, value(low))} … ${signed(high, value(high))}`]
      : ['~', ''];
  const cells = certain
    .slice(0, limit ?? DEFAULT_ROWS)
    .map(({ function: name, flat, cum, isSignificant }) => [
      mean(flat.before),
      ...change(flat, isSignificant.flat),
      ...change(cum, isSignificant.cum),
      name,
    ]);
  const columns = [
    right('flat before'),
    right('change'),
    right('95 % interval'),
    right('cum change'),
    right('95 % interval'),
    { name: 'function' },
  ];
  await printRows(columns, cells, certain.length, 'no change that is more than noise', out);
  const noise = rows.length - certain.length;
  if (noise > 0) out.line(`${groupDigits(noise)} other functions changed no more than noise does`);
}

async function printRows(
  columns: readonly { readonly name: string; readonly align?: 'right' }[],
  cells: readonly (readonly string[])[],
  inAll: number,
  whenNone: string,
  out: Output,
): Promise<void> {
  const { tableLines } = await import('./table.js');
  for (const line of tableLines(columns, cells)) out.line(line);
  if (inAll === 0) out.line(whenNone);
  if (cells.length < inAll) out.line(`${groupDigits(inAll - cells.length)} more; --limit N shows more`);
}

function signed(value: bigint | number, text: string): string {
  return value > 0 && text !== '' ? `+${text}` : text;
}

function percent(part: number, whole: number): string {
  return whole === 0 ? '0%' : `${((part / Math.abs(whole)) * 100).toFixed(1)}%`;
}

/** Units whose parts have no meaning. */
function isWhole(unit: string): boolean {
  return unit !== 'nanoseconds' && unit !== 'bytes';
}
