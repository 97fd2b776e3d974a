/** One run of a plan, from opening the source to the summary. The door of the engine for the CLI and for tests. */
import { availableParallelism } from 'node:os';
import { createBinaryStore } from '../binary/file-store.js';
import type { Plan } from '../config/plan.js';
import { maskSecrets } from '../config/secrets.js';
import { type Batch, batchItems } from './batches.js';
import { createContext } from './create-context.js';
import { writeDeadLetter } from './dead-letter.js';
import { Delivery } from './delivery.js';
import { creating, type ItemFailure, maskFailure, RunStopped } from './errors.js';
import type { Executor } from './executor.js';
import { inProcessExecutor } from './in-process.js';
import { runFlow } from './pipeline.js';
import type { CreateContext, Source } from './plugin.js';
import { poolExecutor } from './pool.js';
import type { TaskResult, WorkerSetup } from './protocol.js';
import { loadRegistry, type Registry } from './registry.js';
import { Settlement } from './settlement.js';
import { reportMerger } from './task-runner.js';
import { FactsCollector, type RunSummary, type StageReport } from './telemetry.js';

export interface RunOptions {
  /** file: URL of the module that exports `builtins`. */
  readonly registryModule: string;
  /** Worker threads; default: one a core. Ignored by small runs and in-process ones. */
  readonly workers?: number;
  /** All in this thread. */
  readonly inProcess?: boolean;
  /** Aborted with the signal's name as reason: take no new input, finish what runs. */
  readonly drain?: AbortSignal;
  /** Aborted: stop now. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: RunProgress) => void;
}

export interface RunProgress {
  readonly done: number;
  readonly failed: number;
  /** Absent where the source does not know. */
  readonly total?: number;
}

/** A run this small is over before worker threads have started. */
const SMALL_RUN = { items: 8, bytes: 2 * 2 ** 20 } as const;
/** Most items of one task; behind a barrier a task costs one way of the partial into the worker and back. */
const BATCH_ITEMS = 128;
const PROGRESS_MS = 100;
const DRAIN_MS = 20_000;
/** Of a run without an end so many of the latest failures are told. */
const RECENT_FAILURES = 1_000;

/**
 * @throws UsageError when it cannot start: nothing was read or written then. Everything else is in the summary: bad items (20), what
 * stopped the run (21), an interruption (130, 143).
 */
export async function runPlan(plan: Plan, options: RunOptions): Promise<RunSummary> {
  const started = performance.now();
  const registry = await loadRegistry(options.registryModule, plan.pluginModules);
  const stop = new AbortController();
  const context = createContext(createBinaryStore(plan.limits, { signal: stop.signal }), plan.limits, stop.signal);
  const source = await creating(`input.${plan.source.plugin}`, () =>
    registry.get('source', plan.source.plugin).create(plan.source.options, context),
  );
  const delivery = await Delivery.open(plan, registry, context, source.names);
  if (source.isEndless === true) delivery.beginEndless(plan.segments[0]!.aggregate !== undefined);
  const progress = new Int32Array(new SharedArrayBuffer(8));
  const setup: WorkerSetup = { plan, registryModule: options.registryModule, labelKeys: delivery.labelKeys, progress };
  const executor = chooseExecutor(plan, source, setup, options);
  const run = new Run(plan, registry, delivery, context, source);
  const watch = setInterval(() => options.onProgress?.(progressOf(progress, source)), PROGRESS_MS);
  const release = stopOn(options, () => executor.close());
  try {
    await executor.ready();
    await run.flow(source, executor, options);
  } finally {
    release();
    clearInterval(watch);
    await executor.close();
    await source.close?.();
    await delivery.close();
    context.binaries.close();
  }
  options.onProgress?.(progressOf(progress, source));
  return run.summary(performance.now() - started, executor.lanes, options);
}

function progressOf(progress: Int32Array, source: Source): RunProgress {
  return {
    done: Atomics.load(progress, 0),
    failed: Atomics.load(progress, 1),
    ...(source.count === undefined ? {} : { total: source.count }),
  };
}

function chooseExecutor(plan: Plan, source: Source, setup: WorkerSetup, options: RunOptions): Executor {
  const { count = Number.POSITIVE_INFINITY, totalBytes = Number.POSITIVE_INFINITY } = source;
  // A stranger's plugin that hangs can only be ended with its thread.
  const small = count <= SMALL_RUN.items && totalBytes <= SMALL_RUN.bytes && plan.pluginModules.length === 0;
  if (options.inProcess === true || (small && options.workers === undefined)) return inProcessExecutor(setup);
  const wanted = options.workers ?? availableParallelism();
  // A barrier splits the inputs over the lanes; more lanes than inputs would only merge empty partials.
  const useful = Math.min(wanted, Math.max(1, count));
  return poolExecutor(setup, useful);
}

/** Ends the executor when the run must stop at once, or when a drain takes too long. @returns what undoes it */
function stopOn(options: RunOptions, close: () => Promise<void>): () => void {
  let timer: NodeJS.Timeout | undefined;
  const stop = () => void close();
  const drain = () => {
    timer = setTimeout(stop, DRAIN_MS);
    timer.unref();
  };
  options.signal?.addEventListener('abort', stop, { once: true });
  options.drain?.addEventListener('abort', drain, { once: true });
  return () => {
    options.signal?.removeEventListener('abort', stop);
    options.drain?.removeEventListener('abort', drain);
    clearTimeout(timer);
  };
}

/** What has happened so far. */
class Run {
  readonly #plan: Plan;
  readonly #registry: Registry;
  readonly #delivery: Delivery;
  readonly #context: CreateContext;
  readonly #source: Source;
  readonly #settlement = new Settlement();
  readonly #facts: FactsCollector;
  readonly #failures: (ItemFailure & { deadLetter?: string })[] = [];
  #delivered = 0;
  #deadLettered = 0;
  #stopped: RunStopped | undefined;

  constructor(plan: Plan, registry: Registry, delivery: Delivery, context: CreateContext, source: Source) {
    this.#plan = plan;
    this.#registry = registry;
    this.#delivery = delivery;
    this.#context = context;
    this.#source = source;
    this.#facts = new FactsCollector(reportMerger(plan, registry));
  }

  async flow(source: Source, executor: Executor, options: RunOptions): Promise<void> {
    const barrier = this.#plan.segments[0]!.aggregate !== undefined;
    const drain = options.drain ?? new AbortController().signal;
    const size =
      barrier && source.count !== undefined ? Math.min(BATCH_ITEMS, Math.ceil(source.count / executor.lanes)) : 1;
    try {
      const partials = await runFlow({
        batches: batchItems(source, Math.max(1, size)),
        executor,
        barrier,
        drain,
        commit: (result, batch) => this.#commit(result, batch),
      });
      // Half of the inputs under a final name would look like all of them. A source without an end has no half.
      if (partials.length > 0 && this.#delivered > 0 && (!drain.aborted || source.isEndless === true)) {
        await this.#commit(await executor.run({ kind: 'finish', partials }), undefined);
      }
    } catch (error) {
      if (options.signal?.aborted === true || drain.aborted)
        this.#stopped = new RunStopped('E_INTERRUPTED', 'stopped before the running items were done');
      else if (error instanceof RunStopped) this.#stopped = error;
      else throw error;
    }
  }

  /** Results of one task: outputs written in order, failures dead-lettered, facts added up. */
  async #commit(result: TaskResult, batch: Batch | undefined): Promise<void> {
    this.#facts.add(result.facts);
    let isWhole = result.failures.length === 0;
    for (const item of result.encoded) {
      // A profile without samples bears no labels.
      const given = batch?.items.find(({ index }) => index === item.index)?.labels;
      const labels = { ...given, ...item.labels };
      const refused = await this.#delivery.write({ ...item, labels }, batch !== undefined);
      if (refused !== undefined) {
        isWhole = false;
        await this.#fail(refused, batch);
      } else if (batch !== undefined) {
        this.#delivered += 1;
        await this.#settlement.delivered(batch, item.index);
      }
    }
    if (result.encoded.length === 0) this.#delivered += result.delivered;
    for (const failure of result.failures) await this.#fail(failure, batch);
    if (batch === undefined) {
      // Of a group that failed nothing is kept: its items must come again.
      if (isWhole) await this.#settlement.wholeDelivered();
    } else if (result.encoded.length === 0) this.#settlement.added(batch);
  }

  async #fail(unmasked: ItemFailure, batch: Batch | undefined): Promise<void> {
    const failure = maskFailure(unmasked, this.#plan.secrets);
    if (this.#plan.onError === 'stop') {
      this.#failures.push(failure);
      throw new RunStopped('E_ITEM', `${failure.uri}: ${failure.message} (on_error: stop)`);
    }
    if (failure.isDelivered === true) {
      this.#failures.push(failure);
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
    this.#failures.push({ ...failure, deadLetter });
    if (this.#source.isEndless === true && this.#failures.length > RECENT_FAILURES) this.#failures.shift();
    this.#deadLettered += 1;
    if (batch !== undefined) await this.#settlement.deadLettered(batch, failure.index);
  }

  summary(wallMs: number, workers: number, options: RunOptions): RunSummary {
    const drained = options.drain?.aborted === true && this.#source.isEndless !== true;
    const interrupted = drained || options.signal?.aborted === true;
    this.#addSourceFacts();
    const signal = options.drain?.reason === 'SIGTERM' ? 143 : 130;
    const [status, exitCode] = interrupted
      ? (['interrupted', signal] as const)
      : this.#stopped !== undefined
        ? (['stopped', 21] as const)
        : this.#failures.length > 0
          ? (['dead-lettered', 20] as const)
          : (['ok', 0] as const);
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
      warnings: Object.entries(this.#facts.warnings).map(([key, items]) => {
        const [code = '', message = ''] = key.split('\0');
        return { code, message: maskSecrets(message, this.#plan.secrets), items };
      }),
      failures: this.#failures,
      ...(this.#stopped === undefined ? {} : { stopped: { code: this.#stopped.code, message: this.#stopped.message } }),
      reports: this.#reports(),
      timing: {
        wallMs: round(wallMs),
        workMs: Object.fromEntries(Object.entries(this.#facts.timing).map(([what, ms]) => [what, round(ms)])),
      },
      workers,
      peakRssBytes: process.resourceUsage().maxRSS * 1024,
    };
  }

  #addSourceFacts(): void {
    const { counters, warnings } = this.#source.facts?.() ?? { counters: {}, warnings: [] };
    for (const [counter, amount] of Object.entries(counters))
      this.#facts.count(this.#plan.source.plugin, counter, amount);
    for (const { code, message, times } of warnings) this.#facts.warn(code, message, times);
  }

  #reports(): StageReport[] {
    return Object.entries(this.#facts.reports)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([position, report]) => {
        const [segment, index] = position.split('.').map(Number);
        const { plugin, options } = this.#plan.segments[segment!]!.stages[index!]!;
        const stage = this.#registry.get('stage', plugin);
        const table = stage.renderReport?.(report, options);
        return {
          position,
          plugin,
          ...(table === undefined ? {} : { table }),
          json: stage.reportJson?.(report, options) ?? report,
        };
      });
  }
}

const round = (milliseconds: number): number => Math.round(milliseconds * 10) / 10;
