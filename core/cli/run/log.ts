/**
 * A run's log on stderr, for those who collect logs: one line an event, as it happens. As JSON it is pino's, so that what reads those
 * (`pino-pretty`) reads it.
 */
import { type Finding, formatFinding } from '../../config/finding.js';
import type { RunEvent } from '../../engine/contract/run-event.js';
import type { RunSummary } from '../../engine/contract/telemetry.js';
import type { Output, Style } from '../output.js';

export const logFormats = ['text', 'json'] as const;
export type LogFormat = (typeof logFormats)[number];

const levelStyle = { info: 'green', warn: 'yellow', error: 'red' } as const satisfies Record<string, Style>;
export type Level = keyof typeof levelStyle;

/** @param fields for machines; people read the message */
type WriteLine = (level: Level, message: string, fields: { readonly event: string }) => void;

export class Log {
  readonly #write: WriteLine;

  private constructor(write: WriteLine) {
    this.#write = write;
  }

  /** @param least what is below is left out */
  static async open(err: Output, format: LogFormat, least: Level = 'info'): Promise<Log> {
    return new Log(format === 'json' ? await jsonLines(err, least) : textLines(err, least));
  }

  line(level: Level, event: string, message: string, fields: object = {}): void {
    this.#write(level, message, { event, ...fields });
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

function textLines(err: Output, least: Level): WriteLine {
  const levels = Object.keys(levelStyle);
  return (level, message) => {
    if (levels.indexOf(level) < levels.indexOf(least)) return;
    err.line(`${new Date().toISOString()} `, { text: level.padEnd(5), style: levelStyle[level] }, ` ${message}`);
    err.flush();
  };
}

async function jsonLines(err: Output, least: Level): Promise<WriteLine> {
  const { pino } = await import('pino');
  const destination = {
    // As values again: in the text of JSON a secret may be written with escapes, and would not be masked.
    write(line: string) {
      err.json(JSON.parse(line));
      err.flush();
    },
  };
  const logger = pino({ base: null, level: least }, destination);
  return (level, message, fields) => logger[level](fields, message);
}
