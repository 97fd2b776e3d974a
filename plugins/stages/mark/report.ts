/** What the stage tells about checks: an algebra of tallies, so that reports of many profiles add up. */
import type { CheckKind, CheckName } from '../../../core/index.js';

/** A sum over samples. */
export interface Tally {
  /** In the unit of the profile's default sample type. */
  readonly value: bigint;
  /** Sum of the values of type samples/count; rows of the profile where it has no such type. */
  readonly samples: bigint;
}

export interface CheckTally {
  /** Where the check's jump or load is, innermost frame. */
  readonly function: string;
  readonly file: string;
  readonly line: number;
  readonly kind: CheckKind;
  readonly check: CheckName;
  /** At the check's own instructions. */
  readonly at: Tally;
  /** At the instruction where execution goes on: part of it the check's time by skid, so an upper bound. */
  readonly after: Tally;
}

/** Profiles of one sample type. */
export interface TypeReport {
  readonly type: string;
  readonly unit: string;
  readonly total: Tally;
  readonly at: Tally;
  readonly after: Tally;
  /** Under runtime.asyncPreempt, at any instruction. */
  readonly preempted: Tally;
  /** Whether these counted at the instruction that was interrupted. */
  readonly countsPreempted: boolean;
  /** Hottest first. */
  readonly checks: readonly CheckTally[];
}

/** By type and unit, in their order. */
export type MarkReport = readonly TypeReport[];

export const noTally: Tally = { value: 0n, samples: 0n };

export const addTallies = (a: Tally, b: Tally): Tally => ({
  value: a.value + b.value,
  samples: a.samples + b.samples,
});

export function mergeReports(a: MarkReport, b: MarkReport): MarkReport {
  const byType = new Map<string, TypeReport>();
  for (const report of [...a, ...b]) {
    const key = JSON.stringify([report.type, report.unit]);
    const other = byType.get(key);
    byType.set(key, other === undefined ? report : mergeTypes(other, report));
  }
  return [...byType.entries()].sort(([x], [y]) => compare(x, y)).map(([, report]) => report);
}

function mergeTypes(a: TypeReport, b: TypeReport): TypeReport {
  return {
    ...a,
    total: addTallies(a.total, b.total),
    at: addTallies(a.at, b.at),
    after: addTallies(a.after, b.after),
    preempted: addTallies(a.preempted, b.preempted),
    checks: sumChecks([...a.checks, ...b.checks]),
  };
}

/** Adds up tallies of the same place and kind; hottest first, in an order that does not depend on theirs. */
export function sumChecks(tallies: readonly CheckTally[]): CheckTally[] {
  const byKey = new Map<string, CheckTally>();
  for (const tally of tallies) {
    const key = keyOf(tally);
    const other = byKey.get(key);
    byKey.set(
      key,
      other === undefined
        ? tally
        : { ...other, at: addTallies(other.at, tally.at), after: addTallies(other.after, tally.after) },
    );
  }
  return [...byKey.entries()]
    .sort(([x, a], [y, b]) => compare(b.at.value, a.at.value) || compare(b.after.value, a.after.value) || compare(x, y))
    .map(([, tally]) => tally);
}

const keyOf = (tally: CheckTally): string =>
  JSON.stringify([tally.function, tally.file, tally.line, tally.kind, tally.check]);

const compare = <T extends string | bigint>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);
