/** What changed between two profiles, by function. */
import { FormatError } from '../../formats/errors.js';
import { normalizeTo } from '../edit/scale.js';
import type { Profile } from '../profile.js';
import type { SampleType } from '../sample-type.js';
import { byWeight, type TopRow, topFunctions } from './top.js';

export interface DiffRow extends TopRow {
  /** What the base has; `flat` and `cum` of the row itself are the change. */
  readonly base: { readonly flat: bigint; readonly cum: bigint };
}

export interface Diff {
  readonly sampleType: SampleType;
  /** Totals of the two profiles, as in `Top.total`; the first after normalizing. */
  readonly total: bigint;
  readonly baseTotal: bigint;
  /** `profile` − `base`; functions without a change are left out. Order as in `Top.rows`. */
  readonly rows: readonly DiffRow[];
}

export interface DiffOptions {
  /** Default: the profile's own choice. */
  readonly sampleType?: string | undefined;
  /** Scales `profile` first, so that its values add up to what those of `base` do (`pprof -normalize`). */
  readonly normalize?: boolean;
}

const nothing = { flat: 0n, cum: 0n };

/**
 * `pprof -base`: the values of `base` are taken off those of `profile`.
 * @throws FormatError E_SAMPLE_TYPE; E_INCOMPATIBLE when the sample types or their units differ
 */
export function diffFunctions(profile: Profile, base: Profile, options: DiffOptions = {}): Diff {
  const top = topFunctions(profile, options.sampleType);
  const baseTop = topFunctions(base, options.sampleType ?? top.sampleType.type);
  checkUnits(top.sampleType, baseTop.sampleType);
  if (options.normalize === true) {
    checkTypeCounts(profile, base);
    return difference(topFunctions(normalizeTo(profile, base), options.sampleType), baseTop);
  }
  return difference(top, baseTop);
}

function difference(top: ReturnType<typeof topFunctions>, baseTop: ReturnType<typeof topFunctions>): Diff {
  const baseRows = new Map(baseTop.rows.map((row) => [row.function, row]));
  const rows: DiffRow[] = top.rows.map(({ function: name, flat, cum }) => {
    const base = baseRows.get(name) ?? nothing;
    baseRows.delete(name);
    return { function: name, flat: flat - base.flat, cum: cum - base.cum, base: { flat: base.flat, cum: base.cum } };
  });
  for (const { function: name, flat, cum } of baseRows.values()) {
    rows.push({ function: name, flat: -flat, cum: -cum, base: { flat, cum } });
  }
  return {
    sampleType: top.sampleType,
    total: top.total,
    baseTotal: baseTop.total,
    rows: rows.filter((row) => row.flat !== 0n || row.cum !== 0n).sort(byWeight),
  };
}

/** @throws FormatError E_INCOMPATIBLE */
export function checkUnits(one: SampleType, other: SampleType): void {
  if (one.unit === other.unit) return;
  const [left, right] = [one, other].map(({ type, unit }) => `${type}/${unit}`);
  throw new FormatError('E_INCOMPATIBLE', `values differ in their unit: ${left} and ${right}`);
}

function checkTypeCounts(profile: Profile, base: Profile): void {
  const [count, baseCount] = [profile.sampleTypes.length, base.sampleTypes.length];
  if (count === baseCount) return;
  throw new FormatError('E_INCOMPATIBLE', `cannot normalize ${count} sample types to ${baseCount}`);
}
