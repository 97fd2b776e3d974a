/**
 * A run's log on stderr, for those who collect logs: one line an event, as it happens. As JSON it has pino's field names and levels, so
 * that what reads those (`pino-pretty`) reads it.
 */
import { type Finding, formatFinding } from '../../config/finding.js';
import type { RunEvent } from '../../engine/run-event.js';
import type { RunSummary } from '../../engine/telemetry.js';
import type { Output, Style } from '../output.js';

export const logFormats = ['text', 'json'] as const;
export type LogFormat = (typeof logFormats)[number];

const levels = { info: 30, warn: 40, error: 50 } as const;
export type Level = keyof typeof levels;

const levelStyle: Readonly<Record<Level, Style>> = { info: 'green', warn: 'yellow', error: 'red' };

export class Log {
  readonly #err: Output;
  readonly #isJson: boolean;
  readonly #least: Level;

  /** @param least what is below is left out */
  constructor(err: Output, format: LogFormat, least: Level = 'info') {
    this.#err = err;
    this.#isJson = format === 'json';
    this.#least = least;
  }

  /** @param fields for machines; people read the message */
  line(level: Level, event: string, message: string, fields: object = {}): void {
    if (levels[level] < levels[this.#least]) return;
    const time = Date.now();
    if (this.#isJson) this.#err.json({ level: levels[level], time, event, msg: message, ...fields });
    else {
      const style = levelStyle[level];
      this.#err.line(`${new Date(time).toISOString()} `, { text: level.padEnd(5), style }, ` ${message}`);
    }
    this.#err.flush();
  }

  event(event: RunEvent): void {
    switch (event.kind) {
      case 'started': {
        const { pipeline, inputs, workers } = event;
        const known = inputs === undefined ? '' : `, ${inputs} input${inputs === 1 ? '' : 's'}`;
        this.line('info', 'run_started', `${pipeline}: started${known}`, {
          pipeline,
          ...(inputs === undefined ? {} : { inputs }),
          workers,
        });
        break;
      }
      case 'written':
        this.line('info', 'output_written', `wrote ${event.output.destination}`, event.output);
        break;
      case 'failed': {
        const { message, ...fields } = event.failure;
        this.line('error', 'input_failed', `${fields.uri}: ${fields.code} (${fields.stage}) ${message}`, fields);
        break;
      }
      case 'warned':
        this.line('warn', 'warning', `${event.code}: ${event.message}`, { code: event.code });
        break;
    }
  }

  finding(finding: Finding): void {
    const { message: _, ...fields } = finding;
    this.line('error', 'finding', formatFinding(finding), fields);
  }

  ended({ pipeline, status, exitCode, inputs, samples, timing, stopped }: RunSummary): void {
    const level = status === 'ok' ? 'info' : status === 'stopped' ? 'error' : 'warn';
    const why = stopped === undefined ? '' : `, ${stopped.code}: ${stopped.message}`;
    const seconds = (timing.wallMs / 1000).toFixed(2);
    const message = `${pipeline}: ${status}, ${inputs.delivered} of ${inputs.read} delivered in ${seconds} s${why}`;
    this.line(level, 'run_ended', message, { pipeline, status, exitCode, inputs, samples, timing, stopped });
  }
}
