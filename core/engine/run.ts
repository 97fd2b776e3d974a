/** One run of a plan, from opening the source to the summary. The door of the engine for the CLI and for tests. */
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import type { Plan } from '../config/plan.js';
import { maskSecrets } from '../config/secrets.js';
import type { Site } from './attempt.js';
import { type Batch, batchItems } from './batches.js';
import { openBinaries } from './binaries.js';
import { createContext } from './create-context.js';
import { writeDeadLetter } from './dead-letter.js';
import { Delivery, type SinkStandIn } from './delivery.js';
import { describeFailure, type ItemFailure, maskFailure, RunStopped } from './errors.js';
import { type Executor, TaskFailed, TaskLost } from './executor.js';
import { inProcessExecutor } from './in-process.js';
import { guardedSource, within } from './main-thread.js';
import { Maker } from './maker.js';
import type { runFlow } from './pipeline.js';
import { ENGINE_PLACE, type Place, placesOf } from './places.js';
import type { CreateContext, Source, SourceItem, WindowRules } from './plugin.js';
import { roundMs, workByName, workOfPlaces } from './plugin-work.js';
import type { TaskResult, WorkerSetup } from './protocol.js';
import { loadRegistry, type Registry } from './registry.js';
import { reportMerger, showReports } from './reports.js';
import type { FailedItem, RunEvent } from './run-event.js';
import { Settlement } from './settlement.js';
import { sharesPerItem } from './shares.js';
import { openSpill, type Spill } from './spill.js';
import { FactsCollector, type RunSummary, type TaskFacts } from './telemetry.js';
import { mainThreadPlugins } from './used-plugins.js';

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
  readonly onEvent?: (event: RunEvent) => void;
  /** Called when all is done, before the workers are ended. */
  readonly beforeClose?: () => Promise<void>;
  /** What stands in for each sink of the plan: tests of pipelines write nothing. */
  readonly standIn?: SinkStandIn;
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
/** What a source or sink may take to close. */
const CLOSE_MS = 10_000;

/**
 * @throws UsageError when it cannot start: nothing was read or written then. Everything else is in the summary: bad items (20), what
 * stopped the run (21), an interruption (130, 143).
 */
export async function runPlan(plan: Plan, options: RunOptions): Promise<RunSummary> {
  const started = performance.now();
  const registry = await loadRegistry(options.registryModule, plan.pluginModules);
  const stop = new AbortController();
  const binaries = await openBinaries(mainThreadPlugins(plan, registry), plan.limits, stop.signal);
  const context = createContext(binaries, plan.limits, stop.signal);
  const made = await new Maker(registry, context).make('source', plan.source, `input.${plan.source.plugin}`);
  const sourceRef = registry.ref('source', plan.source.plugin);
  const source = sourceRef.module === undefined ? made : guardedSource(sourceRef, made);
  const delivery = await Delivery.open(plan, registry, context, source.names, options.standIn);
  if (source.isEndless === true) delivery.beginEndless(plan.segments[0]!.aggregate !== undefined);
  const setup: WorkerSetup = { plan, registryModule: options.registryModule, labelKeys: delivery.labelKeys };
  const executor = await chooseExecutor(plan, registry, source, setup, options);
  // While workers start: rxjs takes a while to load.
  const pipeline = import('./pipeline.js');
  const tell = options.onEvent ?? (() => {});
  delivery.onWritten((output) => tell({ kind: 'written', output }));
  const run = new Run(plan, registry, delivery, context, source, tell);
  const watch = setInterval(() => options.onProgress?.(progressOf(executor, source)), PROGRESS_MS);
  const release = stopOn(options, () => executor.close());
  try {
    await executor.ready();
    await delivery.prepare();
    const inputs = source.count === undefined ? {} : { inputs: source.count };
    tell({ kind: 'started', pipeline: plan.name, workers: executor.lanes, ...inputs });
    await run.flow(source, executor, (await pipeline).runFlow, options);
  } finally {
    release();
    clearInterval(watch);
    await options.beforeClose?.();
    await executor.close();
    await run.closing('source', () => source.close?.());
    await run.closing('sinks', () => delivery.close());
    context.binaries.close();
  }
  options.onProgress?.(progressOf(executor, source));
  return run.summary(performance.now() - started, executor.lanes, options);
}

function progressOf(executor: Executor, source: Source): RunProgress {
  return {
    ...executor.progress(),
    ...(source.count === undefined ? {} : { total: source.count }),
  };
}

async function chooseExecutor(
  plan: Plan,
  registry: Registry,
  source: Source,
  setup: WorkerSetup,
  options: RunOptions,
): Promise<Executor> {
  const { count = Number.POSITIVE_INFINITY, totalBytes = Number.POSITIVE_INFINITY } = source;
  // A stranger's plugin that hangs can only be ended with its thread.
  const small =
    count <= SMALL_RUN.items &&
    totalBytes <= SMALL_RUN.bytes &&
    plan.pluginModules.length === 0 &&
    plan.isolation === 'thread';
  if (options.inProcess === true || (small && options.workers === undefined)) return inProcessExecutor(setup);
  const wanted = options.workers ?? availableParallelism();
  // A barrier splits the inputs over the lanes; more lanes than inputs would only merge empty partials.
  const shares = sharesPerItem(plan, registry, source, wanted, options.workers !== undefined);
  const useful = Math.min(wanted, Math.max(1, count) * shares);
  if (plan.isolation === 'process') return (await import('./processes.js')).processExecutor(setup, useful);
  return (await import('./pool.js')).poolExecutor(setup, useful);
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
    this.#tell = tell;
    this.#plan = plan;
    this.#places = placesOf(plan);
    this.#registry = registry;
    this.#delivery = delivery;
    this.#context = context;
    this.#source = source;
    this.#facts = new FactsCollector(reportMerger(plan, registry));
  }

  async flow(source: Source, executor: Executor, through: typeof runFlow, options: RunOptions): Promise<void> {
    const barrier = this.#plan.segments[0]!.aggregate !== undefined;
    const drain = options.drain ?? new AbortController().signal;
    const size =
      barrier && source.count !== undefined ? Math.min(BATCH_ITEMS, Math.ceil(source.count / executor.lanes)) : 1;
    const spill = await this.#openSpill(executor.lanes);
    const isStopped = () => options.signal?.aborted === true || drain.aborted;
    const whole = {
      spill,
      windows: this.#windowRules(),
      isEndless: source.isEndless === true,
      beginWindows: (untilMs: number) => {
        const { ended, open } = this.#settlement.begin(untilMs);
        return {
          commit: (result: TaskResult) => this.#commitWhole(result, ended),
          lose: async (error: TaskLost | TaskFailed) => {
            if (isStopped()) throw error;
            this.#settlement.forget(open);
            await this.#failWhole(error);
          },
        };
      },
    };
    try {
      const partials = await through({
        batches: batchItems(source, Math.max(1, size)),
        executor,
        sharesPerItem: sharesPerItem(this.#plan, this.#registry, source, executor.lanes, options.workers !== undefined),
        whole: barrier ? whole : undefined,
        siteAt: (place) => this.#siteAt(place),
        drain,
        commit: (result, batch) => this.#commit(result, batch),
      });
      // Half of the inputs under a final name would look like all of them. A source without an end has no half.
      const spilled = spill?.take() ?? [];
      if (
        partials.length + spilled.length > 0 &&
        this.#delivered > 0 &&
        (!drain.aborted || source.isEndless === true)
      ) {
        const { ended } = this.#settlement.begin(Number.POSITIVE_INFINITY);
        await this.#commitWhole(await executor.run({ kind: 'finish', partials, spilled }), ended);
      }
    } catch (error) {
      if (isStopped()) this.#stopped = new RunStopped('E_INTERRUPTED', 'stopped before the running items were done');
      else if (error instanceof RunStopped) this.#stopped = error;
      else if (error instanceof TaskLost || error instanceof TaskFailed) await this.#loseWhole(error);
      else throw error;
    } finally {
      await spill?.close();
    }
  }

  /** What was made is written by now: a plugin that cannot close itself is a warning. */
  async closing(what: string, close: () => void | Promise<void> | undefined): Promise<void> {
    try {
      await within(CLOSE_MS, Promise.resolve(close()));
    } catch (error) {
      this.#facts.warn('close_failed', `${what}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  async #loseWhole(error: TaskLost | TaskFailed): Promise<void> {
    try {
      await this.#failWhole(error);
    } catch (stopped) {
      if (!(stopped instanceof RunStopped)) throw stopped;
      this.#stopped = stopped;
    }
  }

  /** A merge or finish that did not end takes the whole with it: no output, and a failure that bears the pipeline's name. */
  async #failWhole(error: TaskLost | TaskFailed): Promise<void> {
    const { name } = this.#plan;
    const place = { uri: name, index: 0, ...this.#siteAt((error as TaskLost).whereabouts?.place ?? ENGINE_PLACE) };
    const failure =
      error instanceof TaskFailed
        ? { ...error.failure, uri: name, index: 0 }
        : { ...describeFailure(error, place), code: error.code, message: error.message };
    await this.#fail(failure, undefined);
  }

  #siteAt(place: number): Pick<Site, 'stage' | 'plugin'> {
    const { stage, use } = this.#places[place] ?? this.#places[ENGINE_PLACE]!;
    return use === undefined ? { stage } : { stage, plugin: this.#registry.ref(use.kind, use.name) };
  }

  /** Beside the outputs: there is room for what is made of the partials. */
  async #openSpill(lanes: number): Promise<Spill | undefined> {
    const use = this.#plan.segments[0]!.aggregate;
    const memory = use && this.#registry.get('aggregate', use.plugin).memoryLimit?.(use.options);
    return memory === undefined ? undefined : openSpill(dirname(this.#plan.deadLetter), memory, lanes);
  }

  #windowRules(): WindowRules | undefined {
    const use = this.#plan.segments[0]!.aggregate;
    return use && this.#registry.get('aggregate', use.plugin).windowRules?.(use.options);
  }

  /** Results of one batch: outputs written in order, failures dead-lettered, facts added up. */
  async #commit(result: TaskResult, batch: Batch): Promise<void> {
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
  async #commitWhole(result: TaskResult, settling: readonly SourceItem[]): Promise<void> {
    this.#addFacts(result.facts);
    const placed = this.#delivery.place(result.encoded);
    if (placed.length > 0) {
      await this.#source.settling?.(
        settling,
        placed.flatMap(({ destinations }) => destinations),
      );
    }
    const failures = [...result.failures];
    for (const { item } of placed) {
      const refused = await this.#delivery.write(item, false);
      if (refused !== undefined) failures.push(refused);
    }
    // Where all failed the items must come again.
    if (failures.length < placed.length || failures.length === 0) {
      for (const item of settling) await item.settled?.('delivered');
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
      timing: { wallMs: roundMs(wallMs), workMs: workByName(plugins) },
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
}
