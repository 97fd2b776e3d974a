/** Rows in columns, for people. */
import Table from 'cli-table3';
import { escapeText } from './escape.js';

export interface Column {
  readonly name: string;
  readonly align?: 'left' | 'right';
}

const noFrame = Object.fromEntries(
  ['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right', 'left', 'left-mid']
    .concat(['mid', 'mid-mid', 'right', 'right-mid'])
    .map((part) => [part, '']),
);

/** Lines without their ends and without spaces there; a head when a column has a name. Nothing without rows. */
export function tableLines(columns: readonly Column[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [];
  const table = new Table({
    chars: { ...noFrame, middle: '  ' },
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
    colAligns: columns.map(({ align }) => align ?? 'left'),
    ...(columns.some(({ name }) => name !== '') ? { head: columns.map(({ name }) => name) } : {}),
  });
  // Escaped before the layout: what takes no room on a terminal would shift the columns.
  for (const row of rows) table.push(row.map(escapeText));
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd());
}
