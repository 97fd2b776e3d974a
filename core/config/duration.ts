/** Durations in YAML: `250ms`, `10s`, `1m`, `2h`. */

const MILLISECONDS: { readonly [unit: string]: number } = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** @returns milliseconds. @throws RangeError for what is none: the schema of an option has its pattern */
export function parseDuration(text: string): number {
  const [, digits, unit = ''] = /^(\d{1,9})(ms|s|m|h)$/.exec(text) ?? [];
  if (digits === undefined) throw new RangeError(`"${text}" is no duration: 250ms, 10s, 1m, 2h`);
  return Number(digits) * MILLISECONDS[unit]!;
}
