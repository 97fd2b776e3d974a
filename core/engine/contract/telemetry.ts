/** What a run says of itself: collected per task in the workers, merged in the main thread, shown by the CLI. */

import type { FailedItem } from './errors.js';
import type { Site } from './places.js';
import type { PluginKind, ReportTable } from './plugin.js';

/** What one plugin did at one place of the plan. */
export interface WorkDone {
  readonly milliseconds: number;
  /** Of what it gave: an input, a profile's columns, an output. */
  readonly bytes: number;
}

/** Facts of one task, plain data. Only of items that were delivered. */
export interface TaskFacts {
  /** By plugin, then by counter. */
  readonly counters: Record<string, Record<string, number>>;
  /** By "code\0message": number of items. */
  readonly warnings: Record<string, number>;
  /** By plan position "segment.stage": the merged report of the task's items. */
  readonly reports: Record<string, unknown>;
  /** By "place\0plugin"; the plugin is empty where none is known. */
  readonly work: Record<string, WorkDone>;
  /** Samples decoded. */
  readonly samples: number;
}

/** Merges two reports of the stage at a plan position. */
export type MergeReports = (position: string, a: unknown, b: unknown) => unknown;

/** Adds up facts. One item's are collected apart, and dropped when the item fails. */
export class FactsCollector implements TaskFacts {
  readonly counters: Record<string, Record<string, number>> = Object.create(null);
  readonly warnings: Record<string, number> = Object.create(null);
  readonly reports: Record<string, unknown> = Object.create(null);
  readonly work: Record<string, WorkDone> = Object.create(null);
  samples = 0;
  readonly #mergeReports: MergeReports;

  constructor(mergeReports: MergeReports) {
    this.#mergeReports = mergeReports;
  }

  count(plugin: string, counter: string, amount: number): void {
    if (!Number.isFinite(amount)) throw new TypeError(`count("${counter}", ${amount}): a finite number is wanted`);
    this.counters[plugin] ??= Object.create(null) as Record<string, number>;
    const counters = this.counters[plugin];
    counters[counter] = (counters[counter] ?? 0) + amount;
  }

  /** Said again of one item it is still one. */
  warn(code: string, message: string, items = 1): void {
    this.#warnOfSame(`${code}\0${message}`, items);
  }

  spend({ place, plugin }: Pick<Site, 'place' | 'plugin'>, milliseconds: number, bytes: number): void {
    this.#addWork(`${place}\0${plugin?.name ?? ''}`, { milliseconds, bytes });
  }

  report(position: string, value: unknown): void {
    if (!(position in this.reports)) {
      this.reports[position] = value;
      return;
    }
    try {
      this.reports[position] = this.#mergeReports(position, this.reports[position], value);
    } catch (error) {
      this.warn('report_lost', `a report of the stage at ${position} could not be merged: ${error}`);
    }
  }

  /** Facts of other items. */
  add(facts: TaskFacts): void {
    for (const [key, items] of Object.entries(facts.warnings)) this.warnings[key] = (this.warnings[key] ?? 0) + items;
    this.#addCounted(facts);
  }

  /** Facts of the same item: a warning of both is one item's. */
  addShare(facts: TaskFacts): void {
    for (const [key, items] of Object.entries(facts.warnings)) this.#warnOfSame(key, items);
    this.#addCounted(facts);
  }

  #addCounted(facts: TaskFacts): void {
    for (const [plugin, counters] of Object.entries(facts.counters)) {
      for (const [counter, amount] of Object.entries(counters)) this.count(plugin, counter, amount);
    }
    for (const [key, work] of Object.entries(facts.work)) this.#addWork(key, work);
    for (const [position, value] of Object.entries(facts.reports)) this.report(position, value);
    this.samples += facts.samples;
  }

  /** As plain data that can cross a thread. */
  plain(): TaskFacts {
    const { counters, warnings, reports, work, samples } = this;
    return {
      counters: { ...counters },
      warnings: { ...warnings },
      reports: { ...reports },
      work: { ...work },
      samples,
    };
  }

  #warnOfSame(key: string, items: number): void {
    this.warnings[key] = Math.max(this.warnings[key] ?? 0, items);
  }

  #addWork(key: string, { milliseconds, bytes }: WorkDone): void {
    const before = this.work[key] ?? { milliseconds: 0, bytes: 0 };
    this.work[key] = { milliseconds: before.milliseconds + milliseconds, bytes: before.bytes + bytes };
  }
}

export interface OutputSummary {
  readonly destination: string;
  readonly bytes: number;
  /** The input it was made of; absent behind a barrier. */
  readonly input?: string;
}

export interface StageReport {
  /** Plan position: "0.1" is the second stage of the first segment. */
  readonly position: string;
  readonly plugin: string;
  readonly table?: ReportTable;
  readonly json: unknown;
}

export interface PluginWork {
  /** "read", "decode", "stages[1]", "outputs[0]" */
  readonly stage: string;
  readonly kind: PluginKind;
  readonly plugin: string;
  /** Summed over the workers. */
  readonly ms: number;
  /** See `WorkDone.bytes`. */
  readonly bytes: number;
}

/** The whole run. `pipe run --json` prints exactly this; schema: schemas/run-summary.schema.json. */
export interface RunSummary {
  readonly version: 1;
  readonly pipeline: string;
  readonly status: 'ok' | 'dead-lettered' | 'stopped' | 'interrupted';
  readonly exitCode: number;
  readonly inputs: { readonly read: number; readonly delivered: number; readonly deadLettered: number };
  readonly outputs: readonly OutputSummary[];
  readonly samples: number;
  readonly counters: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly warnings: readonly { readonly code: string; readonly message: string; readonly items: number }[];
  readonly failures: readonly FailedItem[];
  /** Why the run stopped before its end. */
  readonly stopped?: { readonly code: string; readonly message: string };
  readonly reports: readonly StageReport[];
  /** In the order of the pipeline. */
  readonly plugins: readonly PluginWork[];
  readonly timing: { readonly wallMs: number; readonly workMs: Readonly<Record<string, number>> };
  readonly workers: number;
  readonly peakRssBytes: number;
}
