/** What the stage tells of stacks: sums that add up over profiles. */
import { jsonInteger, type ReportTable } from '../../../core/index.js';
import { cutNote } from './cut-stacks.js';

export interface StackspaceReport {
  readonly goroutines: bigint;
  /** Goroutines that the profile has without a stack: they have not run yet. */
  readonly withoutStack: bigint;
  /** Bytes of the frames that the profile shows: exact. */
  readonly frameBytes: bigint;
  /** The rest of stacks of the smallest size that the runtime's rules allow: at least so much. */
  readonly freeBytes: bigint;
  /** Of freeBytes: words above the root's frame, which are in use. */
  readonly aboveRootBytes: bigint;
  /** At most so much more, if every stack that keeps twice its smallest size over collections has grown once. */
  readonly grownBytes: bigint;
  /** Goroutines times frames whose bytes are not known. */
  readonly unsizedFrames: bigint;
  /** Goroutines whose stack has as many frames as the runtime records at most, or may have, by that number: their callers are not known. */
  readonly cut: { readonly [frames: string]: bigint };
  /** Beyond the goroutines of the profiles; absent without stacks_bytes. */
  readonly process?: ProcessReport;
}

/** What stacks_bytes has beyond the goroutines that are in the profile. */
export interface ProcessReport {
  /** Estimates by the number of threads; 0 without it. */
  readonly signalBytes: bigint;
  readonly systemBytes: bigint;
  /** Stacks that grew, of the runtime's own goroutines, of dead ones, and free: known as a sum only. */
  readonly restBytes: bigint;
}

export function mergeReports(a: StackspaceReport, b: StackspaceReport): StackspaceReport {
  const cut: { [frames: string]: bigint } = { ...a.cut };
  for (const [frames, goroutines] of Object.entries(b.cut)) cut[frames] = (cut[frames] ?? 0n) + goroutines;
  const process = mergeProcesses(a.process, b.process);
  return {
    goroutines: a.goroutines + b.goroutines,
    withoutStack: a.withoutStack + b.withoutStack,
    frameBytes: a.frameBytes + b.frameBytes,
    freeBytes: a.freeBytes + b.freeBytes,
    aboveRootBytes: a.aboveRootBytes + b.aboveRootBytes,
    grownBytes: a.grownBytes + b.grownBytes,
    unsizedFrames: a.unsizedFrames + b.unsizedFrames,
    cut: Object.fromEntries(Object.entries(cut).sort(([x], [y]) => Number(x) - Number(y))),
    ...(process === undefined ? {} : { process }),
  };
}

function mergeProcesses(a: ProcessReport | undefined, b: ProcessReport | undefined): ProcessReport | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return {
    signalBytes: a.signalBytes + b.signalBytes,
    systemBytes: a.systemBytes + b.systemBytes,
    restBytes: a.restBytes + b.restBytes,
  };
}

export function renderReport(report: StackspaceReport): ReportTable {
  const { frameBytes, freeBytes, process } = report;
  const beyond = process === undefined ? 0n : process.signalBytes + process.systemBytes + process.restBytes;
  const total = frameBytes + freeBytes + beyond;
  const row = (part: string, bytes: bigint, how: string) => [part, bytesText(bytes), shareText(bytes, total), how];
  const rows = [
    row('frames', frameBytes, isWhole(report) ? 'exact' : 'lower bound'),
    row('free, inside of stacks', freeBytes, 'estimate: lower bound'),
  ];
  if (process !== undefined) {
    if (process.signalBytes > 0n) rows.push(row('signal stacks of threads', process.signalBytes, 'estimate'));
    if (process.systemBytes > 0n) rows.push(row('own stacks of threads', process.systemBytes, 'estimate'));
    rows.push(row('the rest', process.restBytes, 'what stacks_bytes has beyond the other rows'));
  }
  rows.push(row('total', total, process === undefined ? 'estimate: lower bound' : 'exact: stacks_bytes'));
  return {
    title: 'stack space',
    columns: [{ name: 'part' }, { name: 'bytes', align: 'right' }, { name: 'share', align: 'right' }, { name: '' }],
    rows,
    notes: notesOf(report),
  };
}

/** Whether all frames that were on the stacks are known, wrappers aside. */
const isWhole = ({ unsizedFrames, cut }: StackspaceReport): boolean =>
  unsizedFrames === 0n && Object.keys(cut).length === 0;

function notesOf(report: StackspaceReport): string[] {
  const { goroutines, process } = report;
  const notes = [
    `${count(goroutines, 'goroutine')}, ${report.withoutStack} of them without a stack in the profile; ${bytesText(report.aboveRootBytes)} of what is called free are words above the root frames. Frames of wrappers, which profiles leave out, count as free.`,
  ];
  const grown = bytesText(report.grownBytes);
  notes.push(
    process === undefined
      ? `A profile does not say the size of stacks: each has the smallest that the runtime allows. If all those that would keep twice of it had grown once, the total were ${grown} more; without a collection since, it may be more than that. stacks_bytes makes it exact.`
      : `Of the rest up to ${bytesText(least(report.grownBytes, process.restBytes))} may be stacks that have grown to twice the smallest size; the others are of the runtime's own goroutines, of dead ones, or free.`,
  );
  for (const [frames, cut] of Object.entries(report.cut)) notes.push(cutNote(count(cut, 'goroutine'), Number(frames)));
  if (report.unsizedFrames > 0n)
    notes.push(`${count(report.unsizedFrames, 'frame')} of code without a Go function table count 0 bytes.`);
  return notes;
}

/** 64-bit numbers exact: as strings beyond 2^53. */
export function reportJson({ cut, process, ...sums }: StackspaceReport): unknown {
  const integers = (values: { readonly [name: string]: bigint }) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, jsonInteger(value)]));
  return {
    version: 1,
    ...integers(sums),
    cut: integers(cut),
    ...(process === undefined ? {} : { process: integers({ ...process }) }),
  };
}

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);

const count = (amount: bigint, word: string): string => `${amount} ${word}${amount === 1n ? '' : 's'}`;

function bytesText(bytes: bigint): string {
  const amount = Number(bytes);
  for (const [step, unit] of [
    [2 ** 30, 'GiB'],
    [2 ** 20, 'MiB'],
    [2 ** 10, 'KiB'],
  ] as const) {
    if (Math.abs(amount) >= step) return `${(amount / step).toFixed(2)} ${unit}`;
  }
  return `${bytes} B`;
}

function shareText(part: bigint, total: bigint): string {
  return total === 0n ? '–' : `${((100 * Number(part)) / Number(total)).toFixed(1)} %`;
}
