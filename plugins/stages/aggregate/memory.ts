/** Amounts of memory in options. */

const FACTORS: Readonly<Record<string, number>> = { KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };

/** Bytes of "512MiB". */
export function parseBytes(text: string): number {
  return Number(text.slice(0, -3)) * FACTORS[text.slice(-3)]!;
}
