/** The report for a person and for a machine. */
import { jsonInteger, type ReportTable } from '../../../core/index.js';
import type { CheckTally, MarkReport, Tally, TypeReport } from './report.js';

/** Below this number a share says little: 30 samples have an error of ±18 % (one standard deviation). */
const FEW_SAMPLES = 30n;

export function renderReport(report: MarkReport, top: number): ReportTable {
  const rows = report.flatMap((type) =>
    type.checks
      .filter(({ at }) => at.samples !== 0n)
      .slice(0, top)
      .map((check) => rowOf(check, type)),
  );
  return {
    title: 'Hottest checks',
    columns: [
      { name: 'function' },
      { name: 'place' },
      { name: 'check' },
      { name: 'value', align: 'right' },
      { name: 'share', align: 'right' },
      { name: 'samples', align: 'right' },
      { name: 'instruction after', align: 'right' },
      { name: 'samples', align: 'right' },
    ],
    rows,
    notes: report.flatMap(notesOf),
  };
}

function rowOf(check: CheckTally, type: TypeReport): string[] {
  return [
    check.function,
    `${check.file}:${check.line}`,
    check.kind === 'nilcheck' ? check.kind : `${check.kind} ${check.check}`,
    formatValue(check.at.value, type.unit),
    shareOf(check.at, type.total),
    `${check.at.samples}`,
    formatValue(check.after.value, type.unit),
    `${check.after.samples}`,
  ];
}

function notesOf(report: TypeReport): string[] {
  const { total, at, after, preempted, unit } = report;
  const part = (tally: Tally) =>
    `${shareOf(tally, total)} (${formatValue(tally.value, unit)} in ${samplesText(tally.samples)})`;
  const notes = [
    `Of ${formatValue(total.value, unit)}${report.type === '' ? '' : ` of ${report.type}`} in ${samplesText(total.samples)}, ${part(at)} at checks and ${part(after)} at the instruction behind one.`,
    'The processor reports most samples an instruction late: the mark covers the compare and the jump only; what is behind them is an upper bound of what it misses.',
  ];
  if (at.samples > 0n && at.samples < FEW_SAMPLES) {
    notes.push(`${samplesText(at.samples)} are few: take the shares as a hint.`);
  }
  if (preempted.samples > 0n) {
    const counted = report.countsPreempted
      ? 'counted at the instruction that it interrupted'
      : 'not counted at the instruction that it interrupted (async_preempt: true does)';
    notes.push(`${part(preempted)} under runtime.asyncPreempt, ${counted}.`);
  }
  return notes;
}

const samplesText = (samples: bigint): string => `${samples} ${samples === 1n ? 'sample' : 'samples'}`;

const ratio = (part: Tally, total: Tally): number => {
  // Values may be all 0 where the default sample type is one that these samples do not have.
  const of = total.value === 0n ? [part.samples, total.samples] : [part.value, total.value];
  return of[1] === 0n ? 0 : Number(of[0]) / Number(of[1]);
};

const shareOf = (part: Tally, total: Tally): string => `${(100 * ratio(part, total)).toFixed(2)} %`;

/** Steps of a unit up to which a number stays short: 1234567 ns is 1.23 ms. */
const scales: { readonly [unit: string]: readonly (readonly [factor: number, unit: string])[] } = {
  nanoseconds: [
    [1e9, 's'],
    [1e6, 'ms'],
    [1e3, 'µs'],
    [1, 'ns'],
  ],
  bytes: [
    [2 ** 30, 'GiB'],
    [2 ** 20, 'MiB'],
    [2 ** 10, 'KiB'],
    [1, 'B'],
  ],
};

function formatValue(value: bigint, unit: string): string {
  const steps = scales[unit];
  if (steps === undefined) return unit === '' || unit === 'count' ? `${value}` : `${value} ${unit}`;
  const amount = Number(value);
  const [factor, name] = steps.find(([step]) => Math.abs(amount) >= step) ?? steps.at(-1)!;
  return `${Number((amount / factor).toPrecision(3))} ${name}`;
}

/** 64-bit numbers exact: as strings beyond 2^53. */
export function reportJson(report: MarkReport): unknown {
  return {
    version: 1,
    types: report.map((type) => ({
      type: type.type,
      unit: type.unit,
      total: tallyJson(type.total),
      at: shareJson(type.at, type.total),
      after: shareJson(type.after, type.total),
      asyncPreempt: { ...shareJson(type.preempted, type.total), counted: type.countsPreempted },
      checks: type.checks.map(({ at, after, ...check }) => ({
        ...check,
        at: shareJson(at, type.total),
        after: shareJson(after, type.total),
      })),
    })),
  };
}

const tallyJson = ({ value, samples }: Tally) => ({ value: jsonInteger(value), samples: jsonInteger(samples) });

const shareJson = (part: Tally, total: Tally) => ({ ...tallyJson(part), share: ratio(part, total) });
