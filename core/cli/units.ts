/** Values of a profile for people: in the unit that makes them short. JSON output has them exact. */

const scales: Readonly<Record<string, readonly (readonly [unit: string, size: number])[]>> = {
  nanoseconds: [
    ['s', 1e9],
    ['ms', 1e6],
    ['µs', 1e3],
    ['ns', 1],
  ],
  bytes: [
    ['GiB', 2 ** 30],
    ['MiB', 2 ** 20],
    ['KiB', 2 ** 10],
    ['B', 1],
  ],
};

/** `1.23s`, `-4.5MiB`, `12,345`; the last with its unit where that is none of the usual ones. */
export function formatValue(value: bigint | number, unit: string): string {
  const scale = scales[unit];
  if (scale === undefined) return `${groupDigits(value)}${unit === 'count' || unit === '' ? '' : ` ${unit}`}`;
  const amount = Number(value);
  if (amount === 0) return '0';
  const [name, size] = scale.find(([, least]) => Math.abs(amount) >= least) ?? scale.at(-1)!;
  const scaled = amount / size;
  return `${Number(scaled.toFixed(2))}${name}`;
}

export function groupDigits(value: bigint | number): string {
  return value.toString().replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}

/** `12.3%`; nothing when there is no whole. */
export function formatShare(part: bigint, whole: bigint): string {
  return whole === 0n ? '' : `${((Number(part) / Number(whole)) * 100).toFixed(1)}%`;
}
