/**
 * Runs tasks of one plan: the work itself, without threads. A worker holds one (worker.ts); `--in-process` and small runs use one
 * in the main thread.
 */
import { fileURLToPath } from 'node:url';
import type { Profile } from '../../profile/profile.js';
import { describeFailure, type ItemFailure } from '../contract/errors.js';
import { TaskFailed } from '../contract/executor.js';
import type { ItemInfo } from '../contract/plugin.js';
import {
  type EncodedItem,
  type ItemWindows,
  type Keep,
  nothingDone,
  type PartialBytes,
  type TaskResult,
  type WorkerSetup,
  type WorkTask,
} from '../contract/protocol.js';
import { FactsCollector, type MergeReports } from '../contract/telemetry.js';
import type { Trace } from '../contract/trace.js';
import { failureOf, Misstep } from '../plugins/attempt.js';
import { loadRegistry, type Registry } from '../plugins/registry.js';
import { reportMerger } from '../plugins/reports.js';
import { onLateErrors } from '../strangers/guards.js';
import { type Barrier, type BarrierResult, type KeptPartial, resultInfo } from './barrier.js';
import { decodeAndStage, decodeShare, encode, stageShares, throughStages } from './item-steps.js';
import { labelValues } from './label-values.js';
import { closePlugins, makePlugins, type PlanPlugins, type StageInUse } from './plan-plugins.js';
import { Work } from './work.js';

type ItemsTask = Extract<WorkTask, { kind: 'items' }>;
type MergeTask = Extract<WorkTask, { kind: 'merge' }>;
type ShareTask = Extract<WorkTask, { kind: 'share' }>;
type FinishTask = Extract<WorkTask, { kind: 'finish' }>;

/** A runner with a registry and binaries of its own. @throws what a plugin's `create` throws */
export async function createRunner(setup: WorkerSetup, signal: AbortSignal): Promise<TaskRunner> {
  const registry = await loadRegistry(setup.registryModule, setup.plan.pluginModules);
  return TaskRunner.create(setup, registry, signal);
}

export class TaskRunner {
  readonly #setup: WorkerSetup;
  readonly #plugins: PlanPlugins;
  readonly #mergeReports: MergeReports;
  /** Errors that third parties' plugins threw after their call was over: warnings of the next task. */
  readonly #late: string[] = [];
  /** The partial that the next task of its lane goes on with. */
  #kept: KeptPartial | undefined;

  private constructor(setup: WorkerSetup, plugins: PlanPlugins, mergeReports: MergeReports) {
    this.#setup = setup;
    this.#plugins = plugins;
    this.#mergeReports = mergeReports;
    if (setup.plan.pluginModules.length > 0) {
      onLateErrors(({ name, version, module }, error) => {
        const { message } = describeFailure(error, { uri: '', index: 0, stage: '' });
        this.#late.push(`${name} ${version} threw outside of its call: ${message} (${fileURLToPath(module!)})`);
      });
    }
  }

  /** Creates every plugin of the plan. @throws what a plugin's `create` throws: nothing has started then */
  static async create(setup: WorkerSetup, registry: Registry, signal: AbortSignal): Promise<TaskRunner> {
    const plugins = await makePlugins(setup.plan, registry, signal);
    return new TaskRunner(setup, plugins, reportMerger(setup.plan, registry));
  }

  /** Whether it goes on with what this runner keeps, if it goes on with anything. */
  canRun(task: WorkTask): boolean {
    return this.#kept !== undefined || task.kind === 'share' || task.onto !== 'kept';
  }

  /** @throws TaskFailed when what fails belongs to no item; what it went on with is gone */
  async run(task: WorkTask, trace: Trace): Promise<TaskResult> {
    try {
      switch (task.kind) {
        case 'items':
          return await this.#runItems(task, trace);
        case 'share':
          return await this.#runShare(task, trace);
        case 'merge':
          return this.#runMerge(task, trace);
        case 'finish':
          return await this.#runFinish(task, trace);
      }
    } catch (error) {
      if (!(error instanceof Misstep)) throw error;
      const whole = { uri: this.#setup.plan.name, index: 0 };
      throw new TaskFailed(failureOf(error, task.kind === 'items' ? task.items[0]! : whole));
    }
  }

  close(): Promise<void> {
    return closePlugins(this.#plugins);
  }

  async #runItems({ items, onto, keep, shares, windows: times }: ItemsTask, trace: Trace): Promise<TaskResult> {
    const work = this.#work(trace);
    for (const message of this.#late.splice(0)) work.facts.warn('late_error', message);
    const failures: ItemFailure[] = [];
    const encoded: EncodedItem[] = [];
    const { barrier } = this.#plugins.segments[0]!;
    let partial = barrier && this.#begin(barrier, onto, work);
    let delivered = 0;
    const windows: ItemWindows[] = [];
    for (const [index, item] of items.entries()) {
      let hasFailed = false;
      trace.begin(index);
      // An item's facts count only when the item is delivered.
      const itemWork = this.#work(trace);
      try {
        const { info, value, broken } =
          shares === undefined
            ? await decodeAndStage(item, this.#plugins, itemWork, times?.arrivalMs)
            : await stageShares(item, shares, this.#plugins, itemWork, times?.arrivalMs);
        if (barrier === undefined) encoded.push(await this.#encode(value as Profile, info, itemWork));
        else {
          const pieces = 'header' in value ? value : undefined;
          const profile = pieces?.header ?? (value as Profile);
          const window = times && barrier.windowsOf(profile, info, times.closedMs, itemWork);
          partial =
            pieces === undefined
              ? barrier.add(partial, profile, info, itemWork)
              : barrier.join(partial, pieces, info, itemWork);
          if (window !== undefined) windows.push(window);
        }
        work.facts.add(itemWork.facts);
        delivered += 1;
        const failure = broken === undefined ? shares?.find((share) => share.broken)?.broken : failureOf(broken, item);
        if (failure !== undefined) failures.push({ ...failure, isDelivered: true });
      } catch (error) {
        failures.push(failureOf(error, item));
        hasFailed = true;
      }
      trace.end(hasFailed);
    }
    const sum = barrier === undefined ? {} : this.#end(barrier, partial, keep, work);
    const whereTo = times === undefined ? {} : { windows };
    return { encoded, ...sum, ...whereTo, delivered, failures, facts: work.facts.plain() };
  }

  /** The item is not done before its shares are put together. */
  async #runShare({ item, share }: ShareTask, trace: Trace): Promise<TaskResult> {
    trace.begin(0);
    try {
      const decoded = await decodeShare(item, share, this.#plugins, this.#work(trace));
      return decoded === undefined ? nothingDone : { ...nothingDone, share: decoded };
    } catch (error) {
      return { ...nothingDone, failures: [failureOf(error, item)] };
    }
  }

  #runMerge({ partials, onto }: MergeTask, trace: Trace): TaskResult {
    const work = this.#work(trace);
    const barrier = this.#plugins.segments[0]!.barrier!;
    const merged = barrier.merge(this.#takeKept(onto), partials, work);
    return { ...nothingDone, partial: barrier.encode(merged, work), facts: work.facts.plain() };
  }

  #begin(barrier: Barrier, onto: ItemsTask['onto'], work: Work): unknown {
    if (onto === undefined) return barrier.empty(work);
    return onto === 'kept' ? this.#takeKept(onto)!.partial : barrier.decode(onto.splice(0), work);
  }

  /** What was kept for a task is kept no longer. */
  #takeKept(onto: 'kept' | undefined): KeptPartial | undefined {
    if (onto === undefined) return undefined;
    const kept = this.#kept;
    this.#kept = undefined;
    return kept;
  }

  /** What becomes of the partial that a task ended with. */
  #end(barrier: Barrier, partial: unknown, keep: Keep | undefined, work: Work): Pick<TaskResult, 'partial' | 'isKept'> {
    if (keep === undefined || barrier.sizeOf(partial, work) > keep.mostBytes) {
      return { partial: barrier.encode(partial, work) };
    }
    if (!keep.copy) {
      this.#kept = { partial };
      return { isKept: true };
    }
    const copy = barrier.encode(partial, work);
    this.#kept = { partial: barrier.decode(copy, work) };
    return { isKept: true, partial: copy };
  }

  /** Failures here are failures of the whole, or of a group: they bear the pipeline's name. */
  async #runFinish({ partials, onto, spilled, untilMs }: FinishTask, trace: Trace): Promise<TaskResult> {
    const work = this.#work(trace);
    let open: PartialBytes | undefined;
    const encoded: EncodedItem[] = [];
    const failures: ItemFailure[] = [];
    const { name } = this.#setup.plan;
    /** A result that fails costs its group only. */
    const forEach = async (
      results: Iterable<BarrierResult>,
      take: (profile: Profile, result: BarrierResult) => void | Promise<void>,
    ) => {
      for (const result of results) {
        try {
          await take(result.finish(), result);
        } catch (error) {
          failures.push(failureOf(error, result.info));
        }
      }
    };
    try {
      const [first, ...later] = this.#plugins.segments;
      let barrier = first!.barrier!;
      let partial = barrier.merge(this.#takeKept(onto), [...partials.splice(0), ...spilled], work);
      if (untilMs !== undefined) {
        const all = partial;
        partial = barrier.takeEnded(all, untilMs, work);
        open = barrier.encode(all, work);
      }
      let lastStages: readonly StageInUse[] = [];
      for (const { stages, barrier: next } of later) {
        if (next === undefined) {
          lastStages = stages;
          break;
        }
        let onto = next.empty(work);
        await forEach(barrier.results(partial, name, work), async (profile, { info }) => {
          onto = next.add(onto, await throughStages(stages, profile, info, work), info, work);
        });
        barrier = next;
        partial = onto;
      }
      await forEach(barrier.results(partial, name, work), async (profile, { info, group }) => {
        const item = await this.#encode(await throughStages(lastStages, profile, info, work), info, work);
        encoded.push(Object.keys(group).length === 0 ? item : { ...item, group });
      });
    } catch (error) {
      failures.push(failureOf(error, resultInfo(name, 0, {})));
    }
    const rest = open === undefined ? {} : { partial: open };
    return { encoded, ...rest, delivered: 0, failures, facts: work.facts.plain() };
  }

  async #encode(profile: Profile, info: ItemInfo, work: Work): Promise<EncodedItem> {
    const outputs = await encode(this.#plugins.encoders, profile, info, work);
    const labels = labelValues(profile, this.#setup.labelKeys);
    return { index: info.index, uri: info.uri, name: info.name, labels, outputs };
  }

  #work(trace: Trace): Work {
    return new Work(this.#plugins.context, new FactsCollector(this.#mergeReports), trace);
  }
}
