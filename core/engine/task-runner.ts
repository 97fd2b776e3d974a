/**
 * Runs tasks of one plan: the work itself, without threads. A worker holds one (worker.ts); `--in-process` and small runs use one
 * in the main thread. Everything that belongs to a plan is made once, here, and reused for all tasks.
 */

import { fileURLToPath } from 'node:url';
import { createBinaryStore } from '../binary/file-store.js';
import type { BinaryStore } from '../binary/store.js';
import { defaultOptions } from '../config/default-options.js';
import type { Plan } from '../config/plan.js';
import { openInput } from '../formats/compression/input.js';
import { Budget } from '../formats/limits.js';
import type { Profile } from '../profile/profile.js';
import { tableBytes } from '../profile/table-bytes.js';
import { attempt, attemptNow, failureOf, isStranger, Misstep, type Site } from './attempt.js';
import { createContext } from './create-context.js';
import { chooseCodec, decodeWith, type NamedCodec } from './decode-input.js';
import { describeFailure, type ItemFailure } from './errors.js';
import { TaskFailed } from './executor.js';
import { labelValues } from './label-values.js';
import { Maker } from './maker.js';
import { isInParts, mergeParts } from './parts.js';
import { DECODE_PLACE, ENGINE_PLACE, FIRST_STAGE_PLACE, type PluginRef, READ_PLACE } from './places.js';
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
import { readSpilled } from './spill.js';
import { callStrangerNow, onLateErrors } from './strangers/guards.js';
import { assertAtOnce, assertPieces, assertProfile, referencesHold } from './strangers/profile-shape.js';
import { FactsCollector, type MergeReports } from './telemetry.js';
import type { Trace } from './trace.js';

type FinishTask = Extract<WorkTask, { kind: 'finish' }>;

interface StageInUse {
  readonly site: Site & { readonly plugin: PluginRef };
  /** "segment.stage", the key of its reports. */
  readonly position: string;
  readonly stage: Stage<unknown>;
}

interface Encoder {
  readonly site: Site & { readonly plugin: PluginRef };
  readonly codec: Codec;
  /** The first output that encodes alike: they share the bytes. */
  readonly sameAs: number;
}

interface SegmentInUse {
  readonly stages: readonly StageInUse[];
  readonly barrier?: Barrier;
}

interface Barrier {
  readonly site: Site & { readonly plugin: PluginRef };
  readonly aggregate: Aggregate<unknown>;
}

const readSite: Site = { place: READ_PLACE, stage: 'read' };
const decodeSite: Site = { place: DECODE_PLACE, stage: 'decode' };

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
  /** Errors that third parties' plugins threw after their call was over: warnings of the next task. */
  readonly #late: string[] = [];

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
    if (setup.plan.pluginModules.length > 0) {
      onLateErrors(({ name, version, module }, error) => {
        const { message } = describeFailure(error, { uri: '', index: 0, stage: '' });
        this.#late.push(`${name} ${version} threw outside of its call: ${message} (${fileURLToPath(module!)})`);
      });
    }
  }

  /** Creates every plugin of the plan. @throws what a plugin's `create` throws: nothing has started then */
  static async create(
    setup: WorkerSetup,
    registry: Registry,
    binaries: BinaryStore,
    signal: AbortSignal,
  ): Promise<TaskRunner> {
    const { plan } = setup;
    const codecs: NamedCodec[] = [];
    const context = createContext(binaries, plan.limits, signal, codecs);
    const make = new Maker(registry, context);
    for (const { decodes, name, schema, detect } of registry.codecs()) {
      if (!decodes || (plan.inputCodec !== undefined && plan.inputCodec.plugin !== name)) continue;
      const use = plan.inputCodec ?? { plugin: name, options: defaultOptions(schema) };
      const codec = await make.make('codec', use, `input.codec.${name}`);
      codecs.push({ plugin: registry.ref('codec', name), detect, codec });
    }

    const segments: SegmentInUse[] = [];
    let number = 0;
    const nextSite = (kind: 'stage' | 'aggregate', name: string) => {
      const stage = `stages[${number}]`;
      return { place: FIRST_STAGE_PLACE + number++, stage, plugin: registry.ref(kind, name) };
    };
    for (const { stages: uses, aggregate: barrier } of plan.segments) {
      const stages: StageInUse[] = [];
      for (const use of uses) {
        const site = nextSite('stage', use.plugin);
        const stage = await make.make('stage', use, `${site.stage}.${use.plugin}`);
        stages.push({ site, position: `${segments.length}.${stages.length}`, stage });
      }
      if (barrier === undefined) segments.push({ stages });
      else {
        const site = nextSite('aggregate', barrier.plugin);
        const aggregate = await make.make('aggregate', barrier, `${site.stage}.${barrier.plugin}`);
        segments.push({ stages, barrier: { site, aggregate } });
      }
    }

    const encoders: Encoder[] = [];
    const keys = plan.outputs.map(({ codec }) => JSON.stringify([codec.plugin, codec.options]));
    for (const [index, { sink, codec: use }] of plan.outputs.entries()) {
      const sameAs = keys.indexOf(keys[index]!);
      const codec =
        sameAs < index
          ? encoders[sameAs]!.codec
          : await make.make('codec', use, `output[${index}].${sink.plugin}.codec.${use.plugin}`);
      const plugin = registry.ref('codec', use.plugin);
      encoders.push({
        site: { place: FIRST_STAGE_PLACE + number + index, stage: `outputs[${index}]`, plugin },
        codec,
        sameAs,
      });
    }
    return new TaskRunner(setup, context, codecs, segments, encoders, reportMerger(plan, registry));
  }

  /** @throws TaskFailed when what fails belongs to no item */
  async run(task: WorkTask, trace: Trace): Promise<TaskResult> {
    try {
      switch (task.kind) {
        case 'items':
          return await this.#runItems(task.items, task.onto, trace);
        case 'merge':
          return this.#runMerge(task.partials, trace);
        case 'finish':
          return await this.#runFinish(task, trace);
      }
    } catch (error) {
      if (!(error instanceof Misstep)) throw error;
      const whole = { uri: this.#setup.plan.name, index: 0 };
      throw new TaskFailed(failureOf(error, task.kind === 'items' ? task.items[0]! : whole));
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

  async #runItems(items: readonly NumberedItem[], onto: PartialBytes | undefined, trace: Trace): Promise<TaskResult> {
    const facts = this.#collector();
    for (const message of this.#late.splice(0)) facts.warn('late_error', message);
    const failures: ItemFailure[] = [];
    const encoded: EncodedItem[] = [];
    const barrier = this.#segments[0]!.barrier;
    let partial =
      barrier === undefined
        ? undefined
        : onto === undefined
          ? attemptNow(barrier.site, trace, () => barrier.aggregate.empty())
          : attemptNow(barrier.site, trace, () => barrier.aggregate.decode(onto));
    let delivered = 0;
    for (const [index, item] of items.entries()) {
      let hasFailed = false;
      trace.begin(index);
      // An item's facts count only when the item is delivered.
      const itemFacts = this.#collector();
      try {
        const { info, staged, broken } = await this.#decodeAndStage(item, itemFacts, trace);
        if (barrier === undefined) encoded.push(await this.#encode(staged, info, itemFacts, trace));
        else
          partial = timed(itemFacts, barrier.site, () =>
            attemptNow(barrier.site, trace, () => {
              const sum = barrier.aggregate.add(partial, staged, info);
              if (isStranger(barrier.site)) assertAtOnce(sum, 'add');
              return sum;
            }),
          );
        facts.add(itemFacts);
        delivered += 1;
        if (broken !== undefined) failures.push({ ...failureOf(broken, item), isDelivered: true });
      } catch (error) {
        failures.push(failureOf(error, item));
        hasFailed = true;
      }
      trace.end(hasFailed);
    }
    return {
      encoded,
      ...(barrier === undefined ? {} : { partial: encodePartial(barrier, partial, trace) }),
      delivered,
      failures,
      facts: facts.plain(),
    };
  }

  #runMerge(partials: readonly PartialBytes[], trace: Trace): TaskResult {
    const barrier = this.#segments[0]!.barrier!;
    const facts = this.#collector();
    const partial = timed(facts, barrier.site, () => encodePartial(barrier, mergeAll(barrier, partials, trace), trace));
    return { encoded: [], partial, delivered: 0, failures: [], facts: facts.plain() };
  }

  /** Failures here are failures of the whole, or of a group: they bear the pipeline's name. */
  async #runFinish({ partials, spilled }: FinishTask, trace: Trace): Promise<TaskResult> {
    const facts = this.#collector();
    const encoded: EncodedItem[] = [];
    const failures: ItemFailure[] = [];
    const { name } = this.#setup.plan;
    /** Takes each result through the stages of a segment; one that fails costs its group only. */
    const forEachResult = async (
      barrier: Barrier,
      partial: unknown,
      stages: SegmentInUse | undefined,
      take: (profile: Profile, info: ItemInfo, group: GroupResult['group']) => void | Promise<void>,
    ) => {
      let index = 0;
      for (const { group, finish } of this.#results(barrier, partial, facts, trace)) {
        const info = resultInfo(name, index++, group);
        try {
          const profile = finish();
          const staged =
            stages === undefined ? profile : await this.#throughStages(stages, profile, info, facts, trace);
          await take(staged, info, group);
        } catch (error) {
          failures.push(failureOf(error, info));
        }
      }
    };
    try {
      let barrier = this.#segments[0]!.barrier!;
      let partial = timed(facts, barrier.site, () => mergeAll(barrier, [...partials, ...spilled], trace));
      const later = this.#segments.slice(1);
      for (const segment of later) {
        const next = segment.barrier;
        if (next === undefined) break;
        let onto = attemptNow(next.site, trace, () => next.aggregate.empty());
        await forEachResult(barrier, partial, segment, (profile, info) => {
          onto = attemptNow(next.site, trace, () => next.aggregate.add(onto, profile, info));
        });
        barrier = next;
        partial = onto;
      }
      const last = later.at(-1);
      const stages = last?.barrier === undefined ? last : undefined;
      await forEachResult(barrier, partial, stages, async (profile, info, group) => {
        const item = await this.#encode(profile, info, facts, trace);
        encoded.push(Object.keys(group).length === 0 ? item : { ...item, group });
      });
    } catch (error) {
      failures.push(failureOf(error, resultInfo(name, 0, {})));
    }
    return { encoded, delivered: 0, failures, facts: facts.plain() };
  }

  /** What a barrier gives, asked for one by one, with every call of the aggregate at its place. */
  *#results(
    { site, aggregate }: Barrier,
    partial: unknown,
    facts: FactsCollector,
    trace: Trace,
  ): Generator<{ readonly group: GroupResult['group']; finish(): Profile }> {
    const { item: _, ...context } = this.#itemContext(resultInfo('', 0, {}), site.plugin.name, facts);
    const atSite = <T>(work: () => T, sizeOf?: (given: T) => number): T =>
      timed(facts, site, () => attemptNow(site, trace, work), sizeOf);
    const whole: GroupResult = { group: {}, finish: () => aggregate.finish(partial, context) };
    const results = atSite(() => (aggregate.finishGroups?.(partial, context) ?? [whole])[Symbol.iterator]());
    for (;;) {
      const next = atSite(() => results.next());
      if (next.done === true) return;
      const { value: result } = next;
      const finish = () => {
        const profile = result.finish();
        if (isStranger(site)) assertProfile(profile);
        return profile;
      };
      yield { group: result.group, finish: () => atSite(finish, tableBytes) };
    }
  }

  /** @returns what the stages before the first barrier make of an item; `broken`: why it is not all of it */
  async #decodeAndStage(
    item: NumberedItem,
    facts: FactsCollector,
    trace: Trace,
  ): Promise<{ readonly info: ItemInfo; readonly staged: Profile; readonly broken?: unknown }> {
    const budget = new Budget(this.#context.limits);
    const bytes = await timedAsync(
      facts,
      readSite,
      () => attempt(readSite, trace, () => readItem(item, budget)),
      ({ size }) => size,
    );
    let broken: Misstep | undefined;
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
      const warn = (code: string, message: string) => facts.warn(code, message);
      const { plugin, codec } = await attempt(decodeSite, trace, () => chooseCodec(input, this.#codecs, warn));
      const site = { ...decodeSite, plugin };
      const context: DecodeContext = {
        ...this.#itemContext(info, plugin.name, facts),
        breaksOff: (error) => {
          broken ??= new Misstep(site, error);
        },
      };
      const decoded = await timedAsync(
        facts,
        site,
        () =>
          attempt(site, trace, async () => {
            const given = await decodeWith(codec, input, context);
            if (isStranger(site) && !isInParts(given)) assertProfile(given);
            return given;
          }),
        (given) => (isInParts(given) ? 0 : tableBytes(given)),
      );
      const staged = isInParts(decoded)
        ? await mergeParts(
            timedParts(decoded, site, facts, trace),
            (part) => this.#throughFirst(withSourceLabels(part, item.labels), info, facts, trace),
            warn,
          )
        : await this.#throughFirst(withSourceLabels(decoded, item.labels), info, facts, trace);
      for (const { code, message } of input.notes) facts.warn(code, message);
      // A barrier asks for it, when the file is closed.
      if (this.#segments[0]!.barrier !== undefined) digest ??= bytes.digest();
      if (broken === undefined) return { info, staged };
      return { info, staged, broken };
    } finally {
      await bytes.close();
    }
  }

  async #throughFirst(profile: Profile, info: ItemInfo, facts: FactsCollector, trace: Trace): Promise<Profile> {
    facts.samples += profile.samples.length;
    return this.#throughStages(this.#segments[0]!, profile, info, facts, trace);
  }

  async #throughStages(
    segment: SegmentInUse,
    profile: Profile,
    info: ItemInfo,
    facts: FactsCollector,
    trace: Trace,
  ): Promise<Profile> {
    let current = profile;
    for (const { site, position, stage } of segment.stages) {
      const input = current;
      const context = {
        ...this.#itemContext(info, site.plugin.name, facts),
        report: (value: unknown) => facts.report(position, isStranger(site) ? structuredClone(value) : value),
      };
      current = await timedAsync(
        facts,
        site,
        () =>
          attempt(site, trace, async () => {
            const output = await stage.process(input, context);
            if (isStranger(site) && !(output === input && referencesHold(output))) assertProfile(output);
            return output;
          }),
        tableBytes,
      );
    }
    return current;
  }

  async #encode(profile: Profile, info: ItemInfo, facts: FactsCollector, trace: Trace): Promise<EncodedItem> {
    const outputs: (readonly Uint8Array[])[] = [];
    for (const [index, { site, codec, sameAs }] of this.#encoders.entries()) {
      if (sameAs < index) {
        outputs.push(outputs[sameAs]!);
        continue;
      }
      const context = this.#itemContext(info, site.plugin.name, facts);
      outputs.push(
        await timedAsync(
          facts,
          site,
          () =>
            attempt(site, trace, async () => {
              const pieces = await codec.encode!(profile, context);
              if (isStranger(site)) assertPieces(pieces);
              return pieces;
            }),
          (pieces) => pieces.reduce((sum, { length }) => sum + length, 0),
        ),
      );
    }
    const labels = labelValues(profile, this.#setup.labelKeys);
    return { index: info.index, uri: info.uri, name: info.name, labels, outputs };
  }

  #collector(): FactsCollector {
    return new FactsCollector(this.#mergeReports);
  }

  #itemContext(item: ItemInfo, plugin: string, facts: FactsCollector): ItemContext {
    return {
      item,
      limits: this.#context.limits,
      signal: this.#context.signal,
      count: (counter, amount = 1) => facts.count(plugin, counter, amount),
      warn: (code, message) => facts.warn(String(code), String(message)),
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
    const site = { place: ENGINE_PLACE, stage: '', plugin: registry.ref('stage', use.plugin) };
    return isStranger(site) ? callStrangerNow(site.plugin, () => mergeReports(a, b)) : mergeReports(a, b);
  };
}

/** What stands for the input behind a barrier. */
function resultInfo(name: string, index: number, group: GroupResult['group']): ItemInfo {
  const fields = Object.entries(group).map(([field, value]) => `${field}=${value}`);
  const digest = new Uint8Array(32);
  new DataView(digest.buffer).setUint32(28, index);
  return { index, name, uri: fields.length === 0 ? name : `${name} (${fields.join(', ')})`, digest };
}

/** One after the other, so that of those in files (paths) only one is in memory beside what they are together. */
function mergeAll({ site, aggregate }: Barrier, partials: readonly (PartialBytes | string)[], trace: Trace): unknown {
  const decode = (from: PartialBytes | string) => aggregate.decode(typeof from === 'string' ? readSpilled(from) : from);
  return attemptNow(site, trace, () => {
    const [first, ...others] = partials;
    let merged = first === undefined ? aggregate.empty() : decode(first);
    for (const other of others) merged = aggregate.merge(merged, decode(other));
    return merged;
  });
}

/** The parts, with the time that it takes to decode them, and with errors that name the place. */
async function* timedParts(
  parts: AsyncIterable<Profile>,
  site: Site,
  facts: FactsCollector,
  trace: Trace,
): AsyncGenerator<Profile> {
  const iterator = parts[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await timedAsync(
        facts,
        site,
        () => attempt(site, trace, () => iterator.next()),
        ({ done, value }) => (done === true ? 0 : tableBytes(value)),
      );
      if (next.done === true) return;
      if (isStranger(site)) attemptNow(site, trace, () => assertProfile(next.value));
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}

function encodePartial({ site, aggregate }: Barrier, partial: unknown, trace: Trace): PartialBytes {
  return attemptNow(site, trace, () => {
    const pieces = aggregate.encode(partial);
    if (isStranger(site)) assertPieces(pieces);
    return pieces;
  });
}

/** @param sizeOf bytes of what the work gave */
function timed<T>(facts: FactsCollector, site: Site, work: () => T, sizeOf: (given: T) => number = () => 0): T {
  const start = performance.now();
  const given = work();
  facts.spend(site, performance.now() - start, sizeOf(given));
  return given;
}

async function timedAsync<T>(
  facts: FactsCollector,
  site: Site,
  work: () => Promise<T>,
  sizeOf: (given: T) => number = () => 0,
): Promise<T> {
  const start = performance.now();
  const given = await work();
  facts.spend(site, performance.now() - start, sizeOf(given));
  return given;
}
