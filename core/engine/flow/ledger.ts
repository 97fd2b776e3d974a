/** What has happened in a run so far: what is written, what failed, what is settled; in the end, the summary. */
import type { Plan } from '../../config/plan.js';
import { maskSecrets } from '../../config/secrets.js';
import { describeFailure, type FailedItem, type ItemFailure, maskFailure, RunStopped } from '../contract/errors.js';
import { TaskFailed, type TaskLost } from '../contract/executor.js';
import { ENGINE_PLACE, type Place, placesOf, type Site } from '../contract/places.js';
import type { CreateContext, Source, SourceItem } from '../contract/plugin.js';
import { roundMs, workByName, workOfPlaces } from '../contract/plugin-work.js';
import type { TaskResult } from '../contract/protocol.js';
import type { RunEvent } from '../contract/run-event.js';
import { FactsCollector, type RunSummary, type TaskFacts } from '../contract/telemetry.js';
import type { Delivery } from '../outputs/delivery.js';
import type { Registry } from '../plugins/registry.js';
import { reportMerger, showReports } from '../plugins/reports.js';
import type { Batch } from './batches.js';
import { writeDeadLetter } from './dead-letter.js';
import { Settlement, type Settling } from './settlement.js';

/** Of a run without an end so many of the latest failures are told. */
const RECENT_FAILURES = 1_000;

export interface RunEnd {
  readonly wallMs: number;
  readonly workers: number;
  /** The signal that ended what had not come to its own end. */
  readonly interruptedBy?: string;
}

export class Ledger {
  readonly #plan: Plan;
  readonly #places: readonly Place[];
  readonly #registry: Registry;
  readonly #delivery: Delivery;
  readonly #context: CreateContext;
  readonly #source: Source;
  readonly #settlement = new Settlement();
  readonly #facts: FactsCollector;
  readonly #failures: FailedItem[] = [];
  readonly #tell: (event: RunEvent) => void;
  #delivered = 0;
  #deadLettered = 0;
  #stopped: RunStopped | undefined;

  constructor(
    plan: Plan,
    registry: Registry,
    delivery: Delivery,
    context: CreateContext,
    source: Source,
    tell: (event: RunEvent) => void,
  ) {
    this.#plan = plan;
    this.#places = placesOf(plan);
    this.#registry = registry;
    this.#delivery = delivery;
    this.#context = context;
    this.#source = source;
    this.#tell = tell;
    this.#facts = new FactsCollector(reportMerger(plan, registry));
  }

  /** Inputs that came through to an output or into the whole. */
  get delivered(): number {
    return this.#delivered;
  }

  /** Items in windows that end until then are about to be settled with what is written. */
  beginWindows(untilMs: number) {
    return this.#settlement.begin(untilMs);
  }

  forget(items: readonly SourceItem[]): void {
    this.#settlement.forget(items);
  }

  stop(reason: RunStopped): void {
    this.#stopped = reason;
  }

  warn(code: string, message: string): void {
    this.#facts.warn(code, message);
  }

  siteAt(place: number): Pick<Site, 'stage' | 'plugin'> {
    const { stage, use } = this.#places[place] ?? this.#places[ENGINE_PLACE]!;
    return use === undefined ? { stage } : { stage, plugin: this.#registry.ref(use.kind, use.name) };
  }

  async loseWhole(error: TaskLost | TaskFailed): Promise<void> {
    try {
      await this.failWhole(error);
    } catch (stopped) {
      if (!(stopped instanceof RunStopped)) throw stopped;
      this.#stopped = stopped;
    }
  }

  /** A merge or finish that did not end takes the whole with it: no output, and a failure that bears the pipeline's name. */
  async failWhole(error: TaskLost | TaskFailed): Promise<void> {
    const { name } = this.#plan;
    const place = { uri: name, index: 0, ...this.siteAt((error as TaskLost).whereabouts?.place ?? ENGINE_PLACE) };
    const failure =
      error instanceof TaskFailed
        ? { ...error.failure, uri: name, index: 0 }
        : { ...describeFailure(error, place), code: error.code, message: error.message };
    await this.#fail(failure, undefined);
  }

  /** Results of one batch: outputs written in order, failures dead-lettered, facts added up. */
  async commit(result: TaskResult, batch: Batch): Promise<void> {
    this.#addFacts(result.facts);
    for (const item of result.encoded) {
      // A profile without samples bears no labels.
      const given = batch.items.find(({ index }) => index === item.index)?.labels;
      const labels = { ...given, ...item.labels };
      const refused = await this.#delivery.write({ ...item, labels }, true);
      if (refused !== undefined) await this.#fail(refused, batch);
      else {
        this.#delivered += 1;
        await this.#settlement.delivered(batch, item.index);
      }
    }
    if (result.encoded.length === 0) this.#delivered += result.delivered;
    for (const failure of result.failures) await this.#fail(failure, batch);
    if (result.encoded.length === 0) this.#settlement.added(batch, result.windows);
  }

  /** What came out of the barrier, and the items that are settled with it. */
  async commitWhole(result: TaskResult, { ended, partly }: Settling): Promise<void> {
    this.#addFacts(result.facts);
    const placed = this.#delivery.place(result.encoded);
    if (placed.length > 0) {
      await this.#source.settling?.(
        ended,
        placed.flatMap(({ destinations }) => destinations),
        partly,
      );
    }
    const failures = [...result.failures];
    let isWritten = false;
    for (const { item } of placed) {
      const refused = await this.#delivery.write(item, false);
      if (refused === undefined) isWritten = true;
      else failures.push(refused);
    }
    // Where all failed the items must come again.
    if (isWritten || failures.length === 0) {
      for (const [item, written] of partly) await item.partlySettled?.(written);
      for (const item of ended) await item.settled?.('delivered');
    }
    for (const failure of failures) await this.#fail(failure, undefined);
  }

  async #fail(unmasked: ItemFailure, batch: Batch | undefined): Promise<void> {
    const failure = maskFailure(unmasked, this.#plan.secrets);
    if (this.#plan.onError === 'stop') {
      this.#record(failure);
      throw new RunStopped('E_ITEM', `${failure.uri}: ${failure.message} (on_error: stop)`);
    }
    if (failure.isDelivered === true) {
      this.#record(failure);
      return;
    }
    const item = batch?.items.find(({ index }) => index === failure.index);
    const deadLetter = await writeDeadLetter(
      this.#plan.deadLetter,
      this.#plan.name,
      failure,
      item,
      this.#context.limits,
    );
    this.#record({ ...failure, deadLetter });
    if (this.#source.isEndless === true && this.#failures.length > RECENT_FAILURES) this.#failures.shift();
    this.#deadLettered += 1;
    if (batch !== undefined) await this.#settlement.deadLettered(batch, failure.index);
  }

  #record(failure: FailedItem): void {
    this.#failures.push(failure);
    this.#tell({ kind: 'failed', failure });
  }

  #addFacts(facts: TaskFacts): void {
    for (const key of Object.keys(facts.warnings)) {
      if (!(key in this.#facts.warnings)) this.#tell({ kind: 'warned', ...this.#warning(key) });
    }
    this.#facts.add(facts);
  }

  #warning(key: string): { readonly code: string; readonly message: string } {
    const [code = '', message = ''] = key.split('\0');
    return { code, message: maskSecrets(message, this.#plan.secrets) };
  }

  summary(end: RunEnd): RunSummary {
    this.#addSourceFacts();
    const [status, exitCode] =
      end.interruptedBy !== undefined
        ? (['interrupted', end.interruptedBy === 'SIGTERM' ? 143 : 130] as const)
        : this.#stopped !== undefined
          ? (['stopped', 21] as const)
          : this.#failures.length > 0
            ? (['dead-lettered', 20] as const)
            : (['ok', 0] as const);
    const reports = showReports(this.#plan, this.#registry, this.#facts);
    const plugins = [...workOfPlaces(this.#plan, this.#facts.work), ...this.#delivery.work];
    return {
      version: 1,
      pipeline: this.#plan.name,
      status,
      exitCode,
      inputs: {
        read: this.#delivered + this.#deadLettered,
        delivered: this.#delivered,
        deadLettered: this.#deadLettered,
      },
      outputs: this.#delivery.outputs,
      samples: this.#facts.samples,
      counters: Object.fromEntries(
        Object.entries(this.#facts.counters).map(([plugin, counters]) => [plugin, { ...counters }]),
      ),
      warnings: Object.entries(this.#facts.warnings).map(([key, items]) => ({ ...this.#warning(key), items })),
      failures: this.#failures,
      ...(this.#stopped === undefined ? {} : { stopped: { code: this.#stopped.code, message: this.#stopped.message } }),
      reports,
      plugins,
      timing: { wallMs: roundMs(end.wallMs), workMs: workByName(plugins) },
      workers: end.workers,
      peakRssBytes: process.resourceUsage().maxRSS * 1024,
    };
  }

  #addSourceFacts(): void {
    const { counters, warnings } = this.#source.facts?.() ?? { counters: {}, warnings: [] };
    for (const [counter, amount] of Object.entries(counters))
      this.#facts.count(this.#plan.source.plugin, counter, amount);
    for (const { code, message, times } of warnings) this.#facts.warn(code, message, times);
  }
}
