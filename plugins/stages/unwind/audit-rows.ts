/** What an audit of unwinding found. */

/** How often one means found another caller than the one that was taken, in one file. */
export interface AuditRow {
  readonly file: string;
  /** "go", "frame_pointer", or the section of the table. */
  readonly taken: string;
  readonly other: string;
  readonly same: number;
  readonly different: number;
  /** Runtime addresses of the first frames that differ, in order. */
  readonly places: readonly number[];
}

const MAX_PLACES = 5;

/** Rows in order, those of one key added up. */
export function mergeAuditRows(rows: readonly AuditRow[]): AuditRow[] {
  const merged = new Map<string, AuditRow>();
  for (const row of rows) {
    const known = merged.get(keyOf(row));
    merged.set(keyOf(row), known === undefined ? row : addRows(known, row));
  }
  return [...merged].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, row]) => row);
}

export const keyOf = ({ file, taken, other }: AuditRow): string => `${file}\0${taken}\0${other}`;

/** The lowest places are kept, so that the order in which rows are merged does not show. */
export function addRows(a: AuditRow, b: AuditRow): AuditRow {
  const places = [...new Set([...a.places, ...b.places])].sort((x, y) => x - y).slice(0, MAX_PLACES);
  return { ...a, same: a.same + b.same, different: a.different + b.different, places };
}
