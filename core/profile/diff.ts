/** What changed between two profiles, by function. */
import { FormatError } from '../formats/errors.js';
import type { Profile } from './profile.js';
import type { SampleType } from './sample-type.js';
import { byWeight, type TopRow, topFunctions } from './top.js';

export interface Diff {
  readonly sampleType: SampleType;
  /** Totals of the two profiles, as in `Top.total`. */
  readonly total: bigint;
  readonly baseTotal: bigint;
  /** `profile` − `base`; functions without a change are left out. Order as in `Top.rows`. */
  readonly rows: readonly TopRow[];
}

/**
 * `pprof -base`: the values of `base` are taken off those of `profile`, nothing is scaled.
 * @throws FormatError E_SAMPLE_TYPE; E_INCOMPATIBLE when the sample types or their units differ
 */
export function diffFunctions(profile: Profile, base: Profile, sampleTypeName?: string): Diff {
  const top = topFunctions(profile, sampleTypeName);
  const baseTop = topFunctions(base, sampleTypeName ?? top.sampleType.type);
  if (top.sampleType.unit !== baseTop.sampleType.unit) {
    const [one, other] = [top.sampleType, baseTop.sampleType].map(({ type, unit }) => `${type}/${unit}`);
    throw new FormatError('E_INCOMPATIBLE', `values differ in their unit: ${one} and ${other}`);
  }
  const baseRows = new Map(baseTop.rows.map((row) => [row.function, row]));
  const rows = top.rows.map((row) => {
    const before = baseRows.get(row.function);
    baseRows.delete(row.function);
    return { function: row.function, flat: row.flat - (before?.flat ?? 0n), cum: row.cum - (before?.cum ?? 0n) };
  });
  for (const gone of baseRows.values()) rows.push({ function: gone.function, flat: -gone.flat, cum: -gone.cum });
  return {
    sampleType: top.sampleType,
    total: top.total,
    baseTotal: baseTop.total,
    rows: rows.filter((row) => row.flat !== 0n || row.cum !== 0n).sort(byWeight),
  };
}
