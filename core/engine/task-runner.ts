/**
 * Runs tasks of one plan: the work itself, without threads. A worker holds one (worker.ts); `--in-process` and small runs use one
 * in the main thread. Everything that belongs to a plan is made once, here, and reused for all tasks.
 */

import { createBinaryStore } from '../binary/file-store.js';
import type { BinaryStore } from '../binary/store.js';
import { defaultOptions } from '../config/default-options.js';
import type { Plan, PluginUse } from '../config/plan.js';
import { openInput } from '../formats/compression/input.js';
import { Budget } from '../formats/limits.js';
import type { Profile } from '../profile/profile.js';
import { createContext } from './create-context.js';
import { decodeInput, type NamedCodec } from './decode-input.js';
import { creating, describeFailure, type ItemFailure } from './errors.js';
import { labelValues } from './label-values.js';
import { isInParts, mergeParts } from './parts.js';
import type {
  Aggregate,
  Codec,
  CreateContext,
  DecodeContext,
  GroupResult,
  ItemContext,
  ItemInfo,
  Stage,
} from './plugin.js';
import type { EncodedItem, NumberedItem, PartialBytes, TaskResult, WorkerSetup, WorkTask } from './protocol.js';
import { readItem } from './read-item.js';
import { loadRegistry, type Registry } from './registry.js';
import { withSourceLabels } from './source-labels.js';
import { FactsCollector, type MergeReports } from './telemetry.js';

interface StageInUse {
  readonly plugin: string;
  /** "segment.stage", the key of its reports. */
  readonly position: string;
  /** How failures name the place: the index in the YAML's `stages:` list. */
  readonly place: string;
  readonly stage: Stage<unknown>;
}

interface Encoder {
  readonly plugin: string;
  readonly codec: Codec;
  /** The first output that encodes alike: they share the bytes. */
  readonly sameAs: number;
}

interface SegmentInUse {
  readonly stages: readonly StageInUse[];
  readonly barrier?: Barrier;
}

interface Barrier {
  readonly plugin: string;
  readonly place: string;
  readonly aggregate: Aggregate<unknown>;
}

/** Thrown inside the runner to carry the place of a failure outwards. */
class Misstep extends Error {
  readonly stage: string;
  readonly plugin: string | undefined;

  constructor(stage: string, plugin: string | undefined, cause: unknown) {
    super('', { cause });
    this.stage = stage;
    this.plugin = plugin;
  }
}

/** A runner with a registry and binaries of its own. @throws what a plugin's `create` throws */
export async function createRunner(setup: WorkerSetup, signal: AbortSignal): Promise<TaskRunner> {
  const registry = await loadRegistry(setup.registryModule, setup.plan.pluginModules);
  return TaskRunner.create(setup, registry, createBinaryStore(setup.plan.limits, { signal }), signal);
}

export class TaskRunner {
  readonly #setup: WorkerSetup;
  readonly #codecs: readonly NamedCodec[];
  readonly #segments: readonly SegmentInUse[];
  readonly #encoders: readonly Encoder[];
  readonly #mergeReports: MergeReports;
  readonly #context: CreateContext;

  private constructor(
    setup: WorkerSetup,
    context: CreateContext,
    codecs: readonly NamedCodec[],
    segments: readonly SegmentInUse[],
    encoders: readonly Encoder[],
    mergeReports: MergeReports,
  ) {
    this.#setup = setup;
    this.#context = context;
    this.#codecs = codecs;
    this.#segments = segments;
    this.#encoders = encoders;
    this.#mergeReports = mergeReports;
  }

  /** Creates every plugin of the plan. @throws what a plugin's `create` throws: nothing has started then */
  static async create(
    setup: WorkerSetup,
    registry: Registry,
    binaries: BinaryStore,
    signal: AbortSignal,
  ): Promise<TaskRunner> {
    const { plan } = setup;
    const context = createContext(binaries, plan.limits, signal);
    const createCodec = async (use: PluginUse): Promise<Codec> =>
      registry.get('codec', use.plugin).create(use.options, context);

    const codecs: NamedCodec[] = [];
    for (const plugin of registry.codecs()) {
      if (!plugin.decodes || (plan.inputCodec !== undefined && plan.inputCodec.plugin !== plugin.name)) continue;
      const options = plan.inputCodec?.options ?? defaultOptions(plugin.schema);
      codecs.push({ name: plugin.name, detect: plugin.detect, codec: await plugin.create(options, context) });
    }

    const segments: SegmentInUse[] = [];
    let number = 0;
    for (const segment of plan.segments) {
      const stages: StageInUse[] = [];
      for (const use of segment.stages) {
        const place = `stages[${number++}]`;
        const stage = await creating(`${place}.${use.plugin}`, () =>
          registry.get('stage', use.plugin).create(use.options, context),
        );
        stages.push({ plugin: use.plugin, position: `${segments.length}.${stages.length}`, place, stage });
      }
      const use = segment.aggregate;
      if (use === undefined) segments.push({ stages });
      else {
        const place = `stages[${number++}]`;
        const aggregate = await creating(`${place}.${use.plugin}`, () =>
          registry.get('aggregate', use.plugin).create(use.options, context),
        );
        segments.push({ stages, barrier: { plugin: use.plugin, place, aggregate } });
      }
    }

    const encoders: Encoder[] = [];
    const keys = plan.outputs.map(({ codec }) => JSON.stringify([codec.plugin, codec.options]));
    for (const [index, { codec: use }] of plan.outputs.entries()) {
      const sameAs = keys.indexOf(keys[index]!);
      const codec = sameAs < index ? encoders[sameAs]!.codec : await createCodec(use);
      encoders.push({ plugin: use.plugin, codec, sameAs });
    }
    return new TaskRunner(setup, context, codecs, segments, encoders, reportMerger(plan, registry));
  }

  async run(task: WorkTask): Promise<TaskResult> {
    switch (task.kind) {
      case 'items':
        return this.#runItems(task.items, task.onto);
      case 'merge':
        return this.#runMerge(task.partials);
      case 'finish':
        return this.#runFinish(task.partials);
    }
  }

  async close(): Promise<void> {
    for (const { codec } of this.#codecs) await codec.close?.();
    for (const segment of this.#segments) {
      for (const { stage } of segment.stages) await stage.close?.();
      await segment.barrier?.aggregate.close?.();
    }
    for (const { codec } of this.#encoders) await codec.close?.();
    this.#context.binaries.close();
  }

  async #runItems(items: readonly NumberedItem[], onto: PartialBytes | undefined): Promise<TaskResult> {
    const facts = new FactsCollector(this.#mergeReports);
    const failures: ItemFailure[] = [];
    const encoded: EncodedItem[] = [];
    const barrier = this.#segments[0]!.barrier;
    let partial =
      barrier === undefined
        ? undefined
        : onto === undefined
          ? barrier.aggregate.empty()
          : barrier.aggregate.decode(onto);
    let delivered = 0;
    for (const item of items) {
      // An item's facts count only when the item is delivered.
      const itemFacts = new FactsCollector(this.#mergeReports);
      try {
        const { info, staged, broken } = await this.#decodeAndStage(item, itemFacts);
        if (barrier === undefined) encoded.push(await this.#encode(staged, info, itemFacts));
        else
          partial = timed(itemFacts, barrier.plugin, () =>
            attempt(barrier.place, barrier.plugin, () => barrier.aggregate.add(partial, staged, info)),
          );
        facts.add(itemFacts);
        delivered += 1;
        if (broken !== undefined) failures.push({ ...failureOf(broken, item), isDelivered: true });
      } catch (error) {
        failures.push(failureOf(error, item));
        Atomics.add(this.#setup.progress, 1, 1);
      }
      Atomics.add(this.#setup.progress, 0, 1);
    }
    return {
      encoded,
      ...(barrier === undefined ? {} : { partial: barrier.aggregate.encode(partial) }),
      delivered,
      failures,
      facts: facts.plain(),
    };
  }

  #runMerge(partials: readonly PartialBytes[]): TaskResult {
    const { aggregate, plugin } = this.#segments[0]!.barrier!;
    const facts = new FactsCollector(this.#mergeReports);
    const partial = timed(facts, plugin, () => aggregate.encode(mergeAll(aggregate, partials)));
    return { encoded: [], partial, delivered: 0, failures: [], facts: facts.plain() };
  }

  /** Failures here are failures of the whole, or of a group: they bear the pipeline's name. */
  async #runFinish(partials: readonly PartialBytes[]): Promise<TaskResult> {
    const facts = new FactsCollector(this.#mergeReports);
    const encoded: EncodedItem[] = [];
    const failures: ItemFailure[] = [];
    const { name } = this.#setup.plan;
    /** Takes each result through the stages of a segment; one that fails costs its group only. */
    const forEachResult = async (
      results: Iterable<GroupResult>,
      { plugin, place }: Barrier,
      stages: SegmentInUse | undefined,
      take: (profile: Profile, info: ItemInfo, group: GroupResult['group']) => void | Promise<void>,
    ) => {
      let index = 0;
      for (const { group, finish } of results) {
        const info = resultInfo(name, index++, group);
        try {
          const profile = timed(facts, plugin, () => attempt(place, plugin, finish));
          const staged = stages === undefined ? profile : await this.#throughStages(stages, profile, info, facts);
          await take(staged, info, group);
        } catch (error) {
          failures.push(failureOf(error, info));
        }
      }
    };
    try {
      let barrier = this.#segments[0]!.barrier!;
      const { aggregate, plugin, place } = barrier;
      let partial = timed(facts, plugin, () => attempt(place, plugin, () => mergeAll(aggregate, partials)));
      const later = this.#segments.slice(1);
      for (const segment of later) {
        const next = segment.barrier;
        if (next === undefined) break;
        let onto = next.aggregate.empty();
        await forEachResult(this.#results(barrier, partial, facts), barrier, segment, (profile, info) => {
          onto = attempt(next.place, next.plugin, () => next.aggregate.add(onto, profile, info));
        });
        barrier = next;
        partial = onto;
      }
      const last = later.at(-1);
      const stages = last?.barrier === undefined ? last : undefined;
      await forEachResult(this.#results(barrier, partial, facts), barrier, stages, async (profile, info, group) => {
        const item = await this.#encode(profile, info, facts);
        encoded.push(Object.keys(group).length === 0 ? item : { ...item, group });
      });
    } catch (error) {
      failures.push(failureOf(error, resultInfo(name, 0, {})));
    }
    return { encoded, delivered: 0, failures, facts: facts.plain() };
  }

  #results({ aggregate, plugin }: Barrier, partial: unknown, facts: FactsCollector): Iterable<GroupResult> {
    const { item: _, ...context } = this.#itemContext(resultInfo('', 0, {}), plugin, facts);
    return (
      aggregate.finishGroups?.(partial, context) ?? [{ group: {}, finish: () => aggregate.finish(partial, context) }]
    );
  }

  /** @returns what the stages before the first barrier make of an item; `broken`: why it is not all of it */
  async #decodeAndStage(
    item: NumberedItem,
    facts: FactsCollector,
  ): Promise<{ readonly info: ItemInfo; readonly staged: Profile; readonly broken?: unknown }> {
    const budget = new Budget(this.#context.limits);
    const bytes = await timedAsync(facts, 'read', () => attemptAsync('read', undefined, () => readItem(item, budget)));
    let broken: { readonly plugin: string; readonly error: unknown } | undefined;
    try {
      let digest: Uint8Array | undefined;
      const info: ItemInfo = {
        index: item.index,
        name: item.name,
        uri: item.uri,
        get digest() {
          digest ??= bytes.digest();
          return digest;
        },
      };
      const input = openInput(bytes.source, budget, bytes.readAt);
      const contextFor = (plugin: string): DecodeContext => ({
        ...this.#itemContext(info, plugin, facts),
        breaksOff: (error) => {
          broken ??= { plugin, error };
        },
      });
      const decoded = await timedAsync(facts, 'decode', () =>
        attemptAsync('decode', undefined, () => decodeInput(input, this.#codecs, contextFor)),
      );
      const staged = isInParts(decoded)
        ? await mergeParts(
            timedParts(decoded, facts),
            (part) => this.#throughFirst(withSourceLabels(part, item.labels), info, facts),
            (code, message) => facts.warn(code, message),
          )
        : await this.#throughFirst(withSourceLabels(decoded, item.labels), info, facts);
      for (const { code, message } of input.notes) facts.warn(code, message);
      if (broken === undefined) return { info, staged };
      return { info, staged, broken: new Misstep('decode', broken.plugin, broken.error) };
    } finally {
      await bytes.close();
    }
  }

  async #throughFirst(profile: Profile, info: ItemInfo, facts: FactsCollector): Promise<Profile> {
    facts.samples += profile.samples.length;
    return this.#throughStages(this.#segments[0]!, profile, info, facts);
  }

  async #throughStages(
    segment: SegmentInUse,
    profile: Profile,
    info: ItemInfo,
    facts: FactsCollector,
  ): Promise<Profile> {
    let current = profile;
    for (const { plugin, position, place, stage } of segment.stages) {
      const context = {
        ...this.#itemContext(info, plugin, facts),
        report: (value: unknown) => facts.report(position, value),
      };
      const input = current;
      current = await timedAsync(facts, plugin, () =>
        attemptAsync(place, plugin, async () => stage.process(input, context)),
      );
    }
    return current;
  }

  async #encode(profile: Profile, info: ItemInfo, facts: FactsCollector): Promise<EncodedItem> {
    const outputs: (readonly Uint8Array[])[] = [];
    for (const [index, { plugin, codec, sameAs }] of this.#encoders.entries()) {
      if (sameAs < index) {
        outputs.push(outputs[sameAs]!);
        continue;
      }
      const context = this.#itemContext(info, plugin, facts);
      outputs.push(
        await timedAsync(facts, 'encode', () =>
          attemptAsync(`outputs[${index}]`, plugin, async () => codec.encode!(profile, context)),
        ),
      );
    }
    const labels = labelValues(profile, this.#setup.labelKeys);
    return { index: info.index, uri: info.uri, name: info.name, labels, outputs };
  }

  #itemContext(item: ItemInfo, plugin: string, facts: FactsCollector): ItemContext {
    return {
      item,
      limits: this.#context.limits,
      signal: this.#context.signal,
      count: (counter, amount = 1) => facts.count(plugin, counter, amount),
      warn: (code, message) => facts.warn(code, message),
    };
  }
}

/** How reports at a plan position are merged: by the stage's own rule. */
export function reportMerger(plan: Plan, registry: Registry): MergeReports {
  return (position, a, b) => {
    const [segment, index] = position.split('.').map(Number);
    const use = plan.segments[segment!]!.stages[index!]!;
    const { mergeReports } = registry.get('stage', use.plugin);
    if (mergeReports === undefined) throw new Error(`stage "${use.plugin}" reports but has no mergeReports`);
    return mergeReports(a, b);
  };
}

/** What stands for the input behind a barrier. */
function resultInfo(name: string, index: number, group: GroupResult['group']): ItemInfo {
  const fields = Object.entries(group).map(([field, value]) => `${field}=${value}`);
  const digest = new Uint8Array(32);
  new DataView(digest.buffer).setUint32(28, index);
  return { index, name, uri: fields.length === 0 ? name : `${name} (${fields.join(', ')})`, digest };
}

function mergeAll(aggregate: Aggregate<unknown>, partials: readonly PartialBytes[]): unknown {
  return partials.map((bytes) => aggregate.decode(bytes)).reduce((a, b) => aggregate.merge(a, b));
}

/** The parts, with the time that it takes to decode them, and with errors that name the place. */
async function* timedParts(parts: AsyncIterable<Profile>, facts: FactsCollector): AsyncGenerator<Profile> {
  const iterator = parts[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await timedAsync(facts, 'decode', () => attemptAsync('decode', undefined, () => iterator.next()));
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}

function failureOf(error: unknown, item: { readonly uri: string; readonly index: number }): ItemFailure {
  const { uri, index } = item;
  if (!(error instanceof Misstep)) return describeFailure(error, { uri, index, stage: 'engine' });
  return describeFailure(error.cause, {
    uri,
    index,
    stage: error.stage,
    ...(error.plugin === undefined ? {} : { plugin: error.plugin }),
  });
}

function attempt<T>(stage: string, plugin: string | undefined, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new Misstep(stage, plugin, error);
  }
}

async function attemptAsync<T>(stage: string, plugin: string | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof Misstep ? error : new Misstep(stage, plugin, error);
  }
}

function timed<T>(facts: FactsCollector, what: string, work: () => T): T {
  const start = performance.now();
  const result = work();
  facts.spend(what, performance.now() - start);
  return result;
}

async function timedAsync<T>(facts: FactsCollector, what: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now();
  const result = await work();
  facts.spend(what, performance.now() - start);
  return result;
}
