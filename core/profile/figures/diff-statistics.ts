/** What changed between two sets of profiles of the same program, by function, and whether it is more than noise. */
import { FormatError } from '../../formats/errors.js';
import type { SampleType } from '../sample-type.js';
import { checkUnits } from './diff.js';
import { twoSidedQuantile, twoSidedTail } from './student-t.js';
import type { Top } from './top.js';

/** Of one side: the mean over its profiles and half the width of the mean's 95 % confidence interval. */
export interface Estimate {
  readonly mean: number;
  readonly margin: number;
}

/** Change of one value from the first side to the second. */
export interface Change {
  readonly before: Estimate;
  readonly after: Estimate;
  /** `after.mean − before.mean`, and the ends of its 95 % confidence interval. */
  readonly change: number;
  readonly low: number;
  readonly high: number;
  /** Probability of a change as large as this if nothing had changed (Welch's t-test). */
  readonly p: number;
}

export interface FunctionChange {
  readonly function: string;
  readonly flat: Change;
  readonly cum: Change;
  /** Whether the change of `flat`, or of `cum`, is more than noise: see `statisticalDiff`. */
  readonly isSignificant: { readonly flat: boolean; readonly cum: boolean };
}

export interface StatisticalDiff {
  readonly sampleType: SampleType;
  readonly total: Change;
  /** Significant ones first, then by the size of the change of flat, of cum, by name. */
  readonly rows: readonly FunctionChange[];
}

const CONFIDENCE = 0.95;
/** Share of false ones among the changes that are called significant. */
const FALSE_DISCOVERY_RATE = 0.05;

/**
 * With hundreds of functions some differ "significantly" by chance, so the p values are judged together: the changes called
 * significant hold at most 5 % false ones (Benjamini and Hochberg, 1995).
 * @param before, after functions of each profile; at least two a side
 * @throws FormatError E_INCOMPATIBLE when units differ, E_TOO_FEW for a side of less than two
 */
export function statisticalDiff(before: readonly Top[], after: readonly Top[]): StatisticalDiff {
  for (const side of [before, after]) {
    if (side.length < 2)
      throw new FormatError('E_TOO_FEW', 'statistics need two profiles a side', { got: side.length });
  }
  const { sampleType } = after[0]!;
  for (const top of [...before, ...after]) checkUnits(sampleType, top.sampleType);

  const names = new Set([...before, ...after].flatMap(({ rows }) => rows.map((row) => row.function)));
  const [left, right] = [before, after].map((side) => side.map(byFunction)) as [Values[], Values[]];
  const changes = Array.from(names, (name) => ({
    function: name,
    flat: compare(seriesOf(left, name, 'flat'), seriesOf(right, name, 'flat')),
    cum: compare(seriesOf(left, name, 'cum'), seriesOf(right, name, 'cum')),
  }));
  const flatLimit = significanceLimit(changes.map(({ flat }) => flat.p));
  const cumLimit = significanceLimit(changes.map(({ cum }) => cum.p));
  const rows = changes
    .filter(({ flat, cum }) => flat.change !== 0 || cum.change !== 0)
    .map((row) => ({ ...row, isSignificant: { flat: row.flat.p <= flatLimit, cum: row.cum.p <= cumLimit } }));
  const totals = (side: readonly Top[]) => side.map(({ total }) => Number(total));
  return { sampleType, total: compare(totals(before), totals(after)), rows: rows.sort(bySignificance) };
}

type Values = ReadonlyMap<string, { readonly flat: bigint; readonly cum: bigint }>;

function byFunction({ rows }: Top): Values {
  return new Map(rows.map((row) => [row.function, row]));
}

/** A profile that does not have the function has 0 of it. */
function seriesOf(side: readonly Values[], name: string, key: 'flat' | 'cum'): number[] {
  return side.map((values) => Number(values.get(name)?.[key] ?? 0n));
}

/** Welch's t-test: the sides may differ in spread and number. */
function compare(before: readonly number[], after: readonly number[]): Change {
  const [one, other] = [momentsOf(before), momentsOf(after)];
  const change = other.mean - one.mean;
  const error = Math.sqrt(one.squaredError + other.squaredError);
  const estimates = { before: estimate(one), after: estimate(other), change };
  if (error === 0) return { ...estimates, low: change, high: change, p: change === 0 ? 1 : 0 };
  const degrees = error ** 4 / (one.squaredError ** 2 / (one.count - 1) + other.squaredError ** 2 / (other.count - 1));
  const margin = twoSidedQuantile(CONFIDENCE, degrees) * error;
  const p = twoSidedTail(Math.abs(change) / error, degrees);
  return { ...estimates, low: change - margin, high: change + margin, p };
}

interface Moments {
  readonly count: number;
  readonly mean: number;
  /** Square of the mean's standard error. */
  readonly squaredError: number;
}

function momentsOf(values: readonly number[]): Moments {
  const count = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { count, mean, squaredError: squares / (count - 1) / count };
}

function estimate({ count, mean, squaredError }: Moments): Estimate {
  return { mean, margin: twoSidedQuantile(CONFIDENCE, count - 1) * Math.sqrt(squaredError) };
}

/** Benjamini and Hochberg: the largest p that is still significant; −1 when none is. */
function significanceLimit(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted.findLast((p, index) => p <= (FALSE_DISCOVERY_RATE * (index + 1)) / sorted.length) ?? -1;
}

function bySignificance(a: FunctionChange, b: FunctionChange): number {
  return (
    Number(isAny(b)) - Number(isAny(a)) ||
    Math.abs(b.flat.change) - Math.abs(a.flat.change) ||
    Math.abs(b.cum.change) - Math.abs(a.cum.change) ||
    (a.function < b.function ? -1 : 1)
  );
}

function isAny({ isSignificant: { flat, cum } }: FunctionChange): boolean {
  return flat || cum;
}
