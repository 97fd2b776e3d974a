/** Values by function as a table: of `profile top` and `profile diff`. */
import type { Top } from '../profile/figures/top.js';
import type { Output } from './output.js';
import { formatShare, formatValue, groupDigits } from './units.js';

const DEFAULT_ROWS = 20;

export const typeOption = {
  kind: 'text',

  describe: "which values, such as cpu or alloc_space; default: the profile's own choice",
} as const;

export async function printTop(
  { sampleType, total, rows }: Top,
  limit: number | undefined,
  out: Output,
): Promise<void> {
  const { tableLines } = await import('./table.js');
  const { type, unit } = sampleType;
  out.line(`${type}: ${formatValue(total, unit)} in all`);
  const cells = rows
    .slice(0, limit ?? DEFAULT_ROWS)
    .map(({ function: name, flat, cum }) => [
      formatValue(flat, unit),
      formatShare(flat, total),
      formatValue(cum, unit),
      formatShare(cum, total),
      name,
    ]);
  const right = (name: string) => ({ name, align: 'right' as const });
  for (const line of tableLines(
    [right('flat'), right('flat%'), right('cum'), right('cum%'), { name: 'function' }],
    cells,
  )) {
    out.line(line);
  }
  if (rows.length === 0) out.line('no functions');
  if (cells.length < rows.length) out.line(`${groupDigits(rows.length - cells.length)} more; --limit N shows more`);
}
