/**
 * Units of numeric labels, as pprof compares them: within one family a value is converted, across families it never matches.
 * Source of the names and factors: google/pprof internal/measurement.
 */

interface Family {
  /** What a value becomes that is asked for in a unit of another family. */
  readonly fallback: Unit;
  readonly units: readonly (Unit & { readonly names: readonly string[] })[];
}

interface Unit {
  readonly symbol: string;
  readonly factor: number;
}

const bytes: Family = {
  fallback: { symbol: 'B', factor: 1 },
  units: [
    { symbol: 'B', factor: 1, names: ['b', 'byte'] },
    { symbol: 'kB', factor: 2 ** 10, names: ['kb', 'kbyte', 'kilobyte'] },
    { symbol: 'MB', factor: 2 ** 20, names: ['mb', 'mbyte', 'megabyte'] },
    { symbol: 'GB', factor: 2 ** 30, names: ['gb', 'gbyte', 'gigabyte'] },
    { symbol: 'TB', factor: 2 ** 40, names: ['tb', 'tbyte', 'terabyte'] },
    { symbol: 'PB', factor: 2 ** 50, names: ['pb', 'pbyte', 'petabyte'] },
  ],
};

const time: Family = {
  fallback: { symbol: 's', factor: 1e9 },
  units: [
    { symbol: 'ns', factor: 1, names: ['ns', 'nanosecond'] },
    { symbol: 'us', factor: 1e3, names: ['μs', 'us', 'microsecond'] },
    { symbol: 'ms', factor: 1e6, names: ['ms', 'millisecond'] },
    { symbol: 's', factor: 1e9, names: ['s', 'sec', 'second'] },
    { symbol: 'hrs', factor: 3600e9, names: ['hour', 'hr'] },
  ],
};

const families = [bytes, time];

/**
 * A value in another unit, and the symbol of the unit that it is in: not the one asked for when that is of another family.
 * A unit that no family knows keeps its value, and has the name asked for.
 */
export function convert(value: number, from: string, to: string): { readonly value: number; readonly unit: string } {
  for (const family of families) {
    const source = findUnit(family, from);
    if (source === undefined) continue;
    const target = findUnit(family, to) ?? family.fallback;
    return { value: (value * source.factor) / target.factor, unit: target.symbol };
  }
  return { value, unit: ['count', 'sample', 'unit', 'minimum', 'auto'].includes(to) ? '' : to };
}

/** By any of its names, in the singular or plural, in upper or lower case. */
function findUnit(family: Family, name: string): Unit | undefined {
  const lower = name.toLowerCase();
  const singular = [...lower].length > 2 && lower.endsWith('s') ? lower.slice(0, -1) : lower;
  return family.units.find(({ names }) => names.includes(singular));
}
