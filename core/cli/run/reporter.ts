/** What is said of a run while it goes on and when it is over, on stderr. */
import { type Finding, formatFinding } from '../../config/finding.js';
import type { RunSummary } from '../../engine/contract/telemetry.js';
import type { RunOptions } from '../../engine/run.js';
import { ExitCode } from '../exit-codes.js';
import type { Call } from '../verb.js';
import { Log, type LogFormat } from './log.js';

export interface Reporter {
  /** Nothing was started. */
  refused(findings: readonly Finding[]): void;
  warn(message: string): void;
  /** Between runs of `--watch`. */
  note(message: string): void;
  /** What the engine is to tell. @returns what ends it */
  begin(): Promise<Pick<RunOptions, 'onEvent' | 'onProgress'> & { end(): void }>;
  ended(summary: RunSummary): Promise<void>;
}

export async function reporterFor(call: Call): Promise<Reporter> {
  const format = call.text('log-format') as LogFormat | undefined;
  if (format === undefined) return new PeopleReporter(call);
  return new LogReporter(await Log.open(call.err, format, call.flag('quiet') ? 'warn' : 'info'));
}

/** A bar on a terminal, then the summary. */
class PeopleReporter implements Reporter {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  refused(findings: readonly Finding[]): void {
    for (const finding of findings) this.#call.err.line(formatFinding(finding));
  }

  warn(message: string): void {
    this.#call.err.line({ text: 'warning ', style: 'yellow' }, message);
  }

  note(message: string): void {
    if (this.#call.flag('quiet')) return;
    this.#call.err.line({ text: 'watch: ', style: 'cyan' }, message);
    this.#call.err.flush();
  }

  async begin(): ReturnType<Reporter['begin']> {
    const { showProgress } = await import('./progress.js');
    const { update, end } = await showProgress(this.#call.err.isTerminal && !this.#call.flag('quiet'));
    return { onProgress: update, end };
  }

  async ended(summary: RunSummary): Promise<void> {
    const isQuiet = this.#call.flag('quiet');
    if (isQuiet && summary.exitCode === ExitCode.ok) return;
    const { printSummary } = await import('./summary.js');
    const { currentFolder } = this.#call;
    printSummary(summary, this.#call.err, { isBrief: isQuiet || this.#call.flag('json'), currentFolder });
  }
}

class LogReporter implements Reporter {
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  refused(findings: readonly Finding[]): void {
    for (const finding of findings) this.#log.finding(finding);
  }

  warn(message: string): void {
    this.#log.line('warn', 'warning', message);
  }

  note(message: string): void {
    this.#log.line('info', 'watch', message);
  }

  async begin(): ReturnType<Reporter['begin']> {
    return { onEvent: (event) => this.#log.event(event), end: () => {} };
  }

  async ended(summary: RunSummary): Promise<void> {
    this.#log.ended(summary);
  }
}
