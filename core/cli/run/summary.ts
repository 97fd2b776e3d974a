/** A run's summary for people, on stderr. */
import { relative } from 'node:path';
import type { RunSummary } from '../../engine/contract/telemetry.js';
import type { Output, Style } from '../output.js';
import { tableLines } from '../table.js';
import { formatValue, groupDigits } from '../units.js';

const statusStyle: Readonly<Record<RunSummary['status'], Style>> = {
  ok: 'green',
  'dead-lettered': 'yellow',
  stopped: 'red',
  interrupted: 'yellow',
};

/** More failures than that are counted, not listed: they are in the dead-letter folder and in `--json`. */
const LISTED_FAILURES = 20;

export interface SummaryOptions {
  /** Only what went wrong, and the line that says how the run ended. */
  readonly isBrief: boolean;
  /** Paths below it are shown relative to it. */
  readonly currentFolder: string;
}

export function printSummary(summary: RunSummary, err: Output, { isBrief, currentFolder }: SummaryOptions): void {
  const shorten = (path: string) => shortPath(path, currentFolder);
  if (!isBrief) {
    printReports(summary, err);
    printCounters(summary, err);
    printWork(summary, err);
  }
  for (const { code, message, items } of summary.warnings) {
    const count = items === 1 ? '' : ` (${items} inputs)`;
    err.line({ text: 'warning ', style: 'yellow' }, `${code}: ${message}${count}`);
  }
  printFailures(summary, err, shorten);
  if (!isBrief) {
    const rows = summary.outputs.map(({ destination, bytes }) => [
      `  ${shorten(destination)}`,
      formatValue(bytes, 'bytes'),
    ]);
    if (rows.length > 0) err.line({ text: 'outputs', style: 'bold' });
    printLimited(tableLines([{ name: '' }, { name: '', align: 'right' }], rows), err);
  }
  printStatus(summary, err);
}

function printStatus(summary: RunSummary, err: Output): void {
  const { pipeline, status, inputs, samples, timing, stopped } = summary;
  const inPart = summary.failures.filter(({ isDelivered }) => isDelivered === true).length;
  if (stopped !== undefined) err.line({ text: 'stopped ', style: 'red' }, `${stopped.code}: ${stopped.message}`);
  const parts = [
    `${groupDigits(inputs.delivered)} of ${plural(inputs.read, 'profile')} delivered`,
    ...(inPart === 0 ? [] : [`${groupDigits(inPart)} of them in part`]),
    ...(inputs.deadLettered === 0 ? [] : [`${groupDigits(inputs.deadLettered)} dead-lettered`]),
    plural(samples, 'sample'),
    `${(timing.wallMs / 1000).toFixed(2)} s`,
  ];
  err.line(`${pipeline}: `, { text: status, style: statusStyle[status] }, `, ${parts.join(', ')}`);
}

function printReports({ reports }: RunSummary, err: Output): void {
  for (const { table } of reports) {
    if (table === undefined) continue;
    err.line({ text: table.title, style: 'bold' });
    const indented = table.rows.map((row) => row.map((cell, index) => (index === 0 ? `  ${cell}` : cell)));
    const columns = table.columns.map(({ name, align }, index) => ({
      name: index === 0 ? `  ${name}` : name,
      ...(align === undefined ? {} : { align }),
    }));
    for (const line of tableLines(columns, indented)) err.line(line);
    for (const note of table.notes) err.line({ text: `  ${note}`, style: 'dim' });
  }
}

function printCounters({ counters }: RunSummary, err: Output): void {
  for (const [plugin, values] of Object.entries(counters)) {
    const text = Object.entries(values)
      .map(([counter, amount]) => `${counter} ${groupDigits(amount)}`)
      .join(', ');
    if (text !== '') err.line({ text: `${plugin}: `, style: 'dim' }, { text, style: 'dim' });
  }
}

function printWork({ plugins }: RunSummary, err: Output): void {
  const rows = plugins.map(({ stage, kind, plugin, ms, bytes }) => [
    `  ${kind} ${plugin}`,
    stage,
    formatValue(ms * 1e6, 'nanoseconds'),
    formatValue(bytes, 'bytes'),
  ]);
  const columns = [
    { name: '  plugin' },
    { name: 'at' },
    { name: 'time', align: 'right' },
    { name: 'gave', align: 'right' },
  ] as const;
  for (const line of tableLines(columns, rows)) err.line({ text: line, style: 'dim' });
}

function printFailures({ failures }: RunSummary, err: Output, shorten: (path: string) => string): void {
  for (const { uri, code, message, stage, deadLetter } of failures.slice(0, LISTED_FAILURES)) {
    const kept = deadLetter === undefined ? '' : ` -> ${shorten(deadLetter)}`;
    err.line({ text: 'bad input ', style: 'red' }, `${shorten(uri)}: ${code} (${stage}) ${message}${kept}`);
  }
  const more = failures.length - LISTED_FAILURES;
  if (more > 0) err.line(`… and ${groupDigits(more)} more`);
}

/** The outputs of a run over many profiles would fill the screen. */
function printLimited(lines: readonly string[], err: Output): void {
  for (const line of lines.slice(0, LISTED_FAILURES)) err.line(line);
  if (lines.length > LISTED_FAILURES) err.line(`  … and ${groupDigits(lines.length - LISTED_FAILURES)} more`);
}

function shortPath(path: string, currentFolder: string): string {
  if (!path.startsWith(`${currentFolder}/`)) return path;
  return relative(currentFolder, path);
}

const plural = (count: number, word: string) => `${groupDigits(count)} ${word}${count === 1 ? '' : 's'}`;
