/** One run of a plan, from opening the source to the summary. The door of the engine for the CLI and for tests. */
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import type { Plan } from '../config/plan.js';
import { RunStopped } from './contract/errors.js';
import { type Executor, stoppedAtWork, TaskFailed, TaskLost } from './contract/executor.js';
import type { Source, WindowRules } from './contract/plugin.js';
import type { TaskResult, WorkerSetup } from './contract/protocol.js';
import type { RunEvent } from './contract/run-event.js';
import type { RunSummary } from './contract/telemetry.js';
import { inProcessExecutor } from './executors/in-process.js';
import { batchItems } from './flow/batches.js';
import { withHeldStreams } from './flow/held-streams.js';
import { Ledger } from './flow/ledger.js';
import type { runFlow } from './flow/pipeline.js';
import { isOneInParts, sharesPerItem } from './flow/shares.js';
import { mainContext, makeSource } from './flow/source-of-plan.js';
import { Delivery, type SinkStandIn } from './outputs/delivery.js';
import { within } from './plugins/main-thread.js';
import { loadRegistry, type Registry } from './plugins/registry.js';
import { openSpill, type Spill } from './tasks/spill.js';

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
/** Most items of one task behind a barrier. */
const BATCH_ITEMS = 32;
const PROGRESS_MS = 100;
const DRAIN_MS = 20_000;
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
  const context = await mainContext(plan, registry, stop.signal);
  const source = await makeSource(plan, registry, context);
  const delivery = await Delivery.open(plan, registry, context, source, options.standIn);
  if (source.isEndless === true) delivery.beginEndless(plan.segments[0]!.aggregate !== undefined);
  const setup: WorkerSetup = { plan, registryModule: options.registryModule, labelKeys: delivery.labelKeys };
  const executor = await chooseExecutor(plan, registry, source, setup, options);
  // While workers start: rxjs takes a while to load.
  const pipeline = import('./flow/pipeline.js');
  const tell = options.onEvent ?? (() => {});
  delivery.onWritten((output) => tell({ kind: 'written', output }));
  const ledger = new Ledger(plan, registry, delivery, context, source, tell);
  const watch = setInterval(() => options.onProgress?.(progressOf(executor, source)), PROGRESS_MS);
  const release = stopOn(options, () => executor.close());
  try {
    if (await isReady(executor, ledger)) {
      await delivery.prepare();
      const inputs = source.count === undefined ? {} : { inputs: source.count };
      tell({ kind: 'started', pipeline: plan.name, workers: executor.lanes, ...inputs });
      await flow({ plan, registry, source, executor, ledger, options }, (await pipeline).runFlow);
    }
  } finally {
    release();
    clearInterval(watch);
    await options.beforeClose?.();
    await executor.close();
    await closing('source', () => source.close?.(), ledger);
    await closing('sinks', () => delivery.close(), ledger);
    context.binaries.close();
  }
  options.onProgress?.(progressOf(executor, source));
  const interruptedBy = interruption(source, options);
  return ledger.summary({
    wallMs: performance.now() - started,
    workers: executor.lanes,
    ...(interruptedBy === undefined ? {} : { interruptedBy }),
  });
}

/** Waits until plugins are made. @returns false when the run was stopped meanwhile @throws UsageError for what a plugin refuses */
async function isReady(executor: Executor, ledger: Ledger): Promise<boolean> {
  try {
    await executor.ready();
    return true;
  } catch (error) {
    if (!(error instanceof RunStopped)) throw error;
    ledger.stop(error);
    return false;
  }
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
  const areAsked = options.workers !== undefined;
  const isSmall = !areAsked && count <= SMALL_RUN.items && totalBytes <= SMALL_RUN.bytes;
  // A stranger's plugin that hangs can only be ended with its thread.
  const mayBeHere = plan.pluginModules.length === 0 && plan.isolation === 'thread';
  const isBestHere = mayBeHere && (isSmall || isOneInParts(plan, registry, source, areAsked));
  if (options.inProcess === true || isBestHere) return inProcessExecutor(setup);
  const wanted = options.workers ?? availableParallelism();
  // A barrier splits the inputs over the lanes; more lanes than inputs would only merge empty partials.
  const shares = sharesPerItem(plan, registry, source, wanted, areAsked);
  const useful = Math.min(wanted, Math.max(1, count) * shares);
  if (plan.isolation === 'process') return (await import('./executors/processes.js')).processExecutor(setup, useful);
  return (await import('./executors/pool.js')).poolExecutor(setup, useful);
}

/** What a flow goes through, and who keeps account of it. */
interface Running {
  readonly plan: Plan;
  readonly registry: Registry;
  readonly source: Source;
  readonly executor: Executor;
  readonly ledger: Ledger;
  readonly options: RunOptions;
}

/** From the first item to the last output. What stops it is in the ledger. */
async function flow(
  { plan, registry, source, executor, ledger, options }: Running,
  through: typeof runFlow,
): Promise<void> {
  const barrier = plan.segments[0]!.aggregate !== undefined;
  const drain = options.drain ?? new AbortController().signal;
  const size =
    barrier && source.count !== undefined ? Math.min(BATCH_ITEMS, Math.ceil(source.count / executor.lanes)) : 1;
  const spill = await spillOf(plan, registry, executor.lanes);
  const isStopped = () => options.signal?.aborted === true || drain.aborted;
  const whole = {
    spill,
    windows: windowsOf(plan, registry),
    isEndless: source.isEndless === true,
    beginWindows: (untilMs: number) => {
      const { open, ...settling } = ledger.beginWindows(untilMs);
      return {
        commit: (result: TaskResult) => ledger.commitWhole(result, settling),
        lose: async (error: TaskLost | TaskFailed) => {
          if (isStopped()) throw error;
          ledger.forget(open);
          await ledger.failWhole(error);
        },
      };
    },
  };
  try {
    const { partials, worker, ...onto } = (await through({
      batches: batchItems(
        executor.isHere ? source.items() : withHeldStreams(source.items(), plan.limits),
        Math.max(1, size),
      ),
      executor,
      sharesPerItem: sharesPerItem(plan, registry, source, executor.lanes, options.workers !== undefined),
      whole: barrier ? whole : undefined,
      siteAt: (place) => ledger.siteAt(place),
      // What is written before the end needs the partials in the main thread.
      keepBytes: source.isEndless === true ? undefined : (spill?.partialBytes ?? Number.POSITIVE_INFINITY),
      drain,
      retires: options.beforeClose === undefined,
      commit: (result, batch) => ledger.commit(result, batch),
    })) ?? { partials: [] };
    // Half of the inputs under a final name would look like all of them. A source without an end has no half.
    const spilled = spill?.take() ?? [];
    const isThere = onto.onto !== undefined || partials.length + spilled.length > 0;
    if (isThere && ledger.delivered > 0 && (!drain.aborted || source.isEndless === true)) {
      const settling = ledger.beginWindows(Number.POSITIVE_INFINITY);
      const result = await executor.run({ kind: 'finish', partials, ...onto, spilled }, worker);
      // They are asked nothing any more.
      const workersEnd = options.beforeClose === undefined ? executor.close() : undefined;
      await Promise.all([ledger.commitWhole(result, settling), workersEnd]);
    }
  } catch (error) {
    if (isStopped()) ledger.stop(stoppedAtWork());
    else if (error instanceof RunStopped) ledger.stop(error);
    else if (error instanceof TaskLost || error instanceof TaskFailed) await ledger.loseWhole(error);
    else throw error;
  } finally {
    await spill?.close();
  }
}

/** Beside the outputs: there is room for what is made of the partials. */
async function spillOf(plan: Plan, registry: Registry, lanes: number): Promise<Spill | undefined> {
  const use = plan.segments[0]!.aggregate;
  const memory = use && registry.get('aggregate', use.plugin).memoryLimit?.(use.options);
  return memory === undefined ? undefined : openSpill(dirname(plan.deadLetter), memory, lanes);
}

function windowsOf(plan: Plan, registry: Registry): WindowRules | undefined {
  const use = plan.segments[0]!.aggregate;
  return use && registry.get('aggregate', use.plugin).windowRules?.(use.options);
}

/** Ends the executor when the run must stop at once, or when a drain takes too long. @returns what undoes it */
function stopOn({ signal, drain }: RunOptions, close: () => Promise<void>): () => void {
  let timer: NodeJS.Timeout | undefined;
  const stop = () => void close();
  const onDrain = () => {
    timer = setTimeout(stop, DRAIN_MS);
    timer.unref();
  };
  signal?.addEventListener('abort', stop, { once: true });
  drain?.addEventListener('abort', onDrain, { once: true });
  // They may have come while the source was opened: of that there is no event any more.
  if (drain?.aborted === true) onDrain();
  if (signal?.aborted === true) stop();
  return () => {
    signal?.removeEventListener('abort', stop);
    drain?.removeEventListener('abort', onDrain);
    clearTimeout(timer);
  };
}

/** What was made is written by now: a plugin that cannot close itself is a warning. */
async function closing(what: string, close: () => void | Promise<void> | undefined, ledger: Ledger): Promise<void> {
  try {
    await within(CLOSE_MS, Promise.resolve(close()));
  } catch (error) {
    ledger.warn('close_failed', `${what}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** @returns the signal that ended the run before its time; a source without an end is ended by one as a matter of course */
function interruption({ isEndless }: Source, { drain, signal }: RunOptions): string | undefined {
  const isCut = (drain?.aborted === true && isEndless !== true) || signal?.aborted === true;
  return isCut ? String(drain?.reason ?? 'SIGINT') : undefined;
}
