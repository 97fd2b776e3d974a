/** From encoded items to sinks: destinations checked before anything is read, no destination twice, every sink of an item written. */
import type { Plan } from '../../config/plan.js';
import { creating, describeFailure, type ItemFailure, UsageError } from '../contract/errors.js';
import type { PluginRef } from '../contract/places.js';
import type { CreateContext, Sink, SinkItem, Source } from '../contract/plugin.js';
import { roundMs } from '../contract/plugin-work.js';
import type { EncodedItem } from '../contract/protocol.js';
import type { OutputSummary, PluginWork } from '../contract/telemetry.js';
import { guardedSink } from '../plugins/main-thread.js';
import { Maker } from '../plugins/maker.js';
import type { Registry } from '../plugins/registry.js';
import { InputFiles, type KnownResults, knownDestinations, knownResults, refuseClashes } from './clashes.js';

/** Of a run without an end so many of the latest outputs, and of the latest destinations, are remembered. */
const RECENT_OUTPUTS = 1_000;
const RECENT_DESTINATIONS = 100_000;

/** @param sink as the plan has it, made and guarded @param output its place among the plan's outputs */
export type SinkStandIn = (sink: Sink, output: number) => Sink;

interface SinkInUse {
  readonly plugin: PluginRef;
  readonly sink: Sink;
  milliseconds: number;
  bytes: number;
}

/** A result of a barrier, and where it goes, by sink. */
export interface PlacedItem {
  readonly item: EncodedItem;
  readonly destinations: readonly string[];
}

export class Delivery {
  readonly #sinks: readonly SinkInUse[];
  readonly #known: KnownResults;
  readonly #inputs: InputFiles;
  readonly #outputs: OutputSummary[] = [];
  /** Destination → the input that was written there. */
  readonly #taken = new Map<string, string>();
  #isEndless = false;
  #tellWritten: (output: OutputSummary) => void = () => {};

  private constructor(sinks: readonly SinkInUse[], known: KnownResults, inputs: InputFiles) {
    this.#sinks = sinks;
    this.#known = known;
    this.#inputs = inputs;
  }

  /** Writes nothing yet. @throws UsageError when a sink refuses, two items would get one output, or one would replace an input */
  static async open(
    plan: Plan,
    registry: Registry,
    context: CreateContext,
    source: Pick<Source, 'names' | 'files'>,
    standIn: SinkStandIn = (sink) => sink,
  ): Promise<Delivery> {
    const sinks: SinkInUse[] = [];
    const maker = new Maker(registry, context);
    for (const [index, { sink: use }] of plan.outputs.entries()) {
      const plugin = registry.ref('sink', use.plugin);
      const made = await maker.make('sink', use, `output[${index}].${use.plugin}`);
      const sink = plugin.module === undefined ? made : guardedSink(plugin, made, plan.timeoutMs);
      sinks.push({ plugin, sink: standIn(sink, index), milliseconds: 0, bytes: 0 });
    }
    const known = knownResults(plan, registry, source);
    const inputs = new InputFiles(source);
    for (const [index, { plugin, sink }] of sinks.entries()) {
      if (plugin.module === undefined) refuseClashes(sink, known, inputs);
      else await creating(`output[${index}].${plugin.name}`, () => refuseClashes(sink, known, inputs));
    }
    return new Delivery(sinks, known, inputs);
  }

  /**
   * What is written is forgotten some time later.
   * @throws UsageError output-twice when items of different names would get one output; {index} does not help, since it begins at 0 in
   * each run
   */
  beginEndless(barrier: boolean): void {
    this.#isEndless = true;
    if (barrier) return;
    for (const { sink } of this.#sinks) {
      const labels = Object.fromEntries(sink.labelKeys.map((key) => [key, 'x']));
      const [destination, other] = ['a', 'b'].map((name) => sink.destination({ name, index: 0, labels }));
      if (destination === other) {
        const message = `inputs would be written to ${destination} one over the other, in this run or the next; put {name} in the path`;
        throw new UsageError('output-twice', message);
      }
    }
  }

  /** Who is told of each output. */
  onWritten(listener: (output: OutputSummary) => void): void {
    this.#tellWritten = listener;
  }

  /** Folders made and looked at, before anything is read. @throws UsageError when an output cannot be written */
  async prepare(): Promise<void> {
    for (const [index, { plugin, sink }] of this.#sinks.entries()) {
      if (plugin.module === undefined) await sink.prepare();
      else await creating(`output[${index}].${plugin.name}`, () => sink.prepare());
    }
  }

  /** By sink and result; undefined where that is not known before they are read. */
  destinations(): readonly (readonly string[] | undefined)[] {
    return this.#sinks.map(({ sink }) => knownDestinations(sink, this.#known));
  }

  get labelKeys(): readonly string[] {
    return [...new Set(this.#sinks.flatMap(({ sink }) => sink.labelKeys))];
  }

  get outputs(): readonly OutputSummary[] {
    return this.#outputs;
  }

  get work(): readonly PluginWork[] {
    return this.#sinks.map(({ plugin, milliseconds, bytes }, output) => ({
      stage: `outputs[${output}]`,
      kind: 'sink',
      plugin: plugin.name,
      ms: roundMs(milliseconds),
      bytes,
    }));
  }

  /**
   * Where the results of a barrier go. In a run without an end a destination that is taken, also by a run before, is left as it is: what
   * comes for it is its next part.
   */
  place(items: readonly EncodedItem[]): readonly PlacedItem[] {
    const reserved = new Set<string>();
    return items.map((item) => {
      const placed = this.#isEndless ? this.#nextPart(item, reserved) : { item, destinations: this.#placesOf(item) };
      for (const destination of placed.destinations) reserved.add(destination);
      return placed;
    });
  }

  #nextPart(item: EncodedItem, reserved: ReadonlySet<string>): PlacedItem {
    const isFree = ({ sink }: SinkInUse, destination: string) =>
      !(this.#taken.has(destination) || reserved.has(destination) || sink.isThere?.(destination) === true);
    let last: readonly string[] = [];
    for (let part = 1; ; part++) {
      const placed = part === 1 ? item : { ...item, part };
      const destinations = this.#placesOf(placed);
      // A sink that does not know of parts has one destination for all, and `write` refuses the second.
      const isAlike = destinations.some((destination, sink) => destination === last[sink]);
      if (isAlike || destinations.length === 0) return { item, destinations };
      if (destinations.every((destination, sink) => isFree(this.#sinks[sink]!, destination))) {
        return { item: placed, destinations };
      }
      last = destinations;
    }
  }

  /** By sink; [] where one cannot say: then `write` gives the failure. */
  #placesOf(item: EncodedItem): readonly string[] {
    try {
      return this.#sinks.map(({ sink }) => sink.destination(sinkItemOf(item)));
    } catch {
      return [];
    }
  }

  /**
   * Writes one item to every sink. @returns a failure of the item (a label that its path needs is missing, its destination is
   * taken, a third party's sink throws); @throws RunStopped when a sink cannot write
   */
  async write(item: EncodedItem, perInput: boolean): Promise<ItemFailure | undefined> {
    const { index, uri, labels } = item;
    const placed = sinkItemOf(item);
    const destinations: string[] = [];
    for (const [output, { plugin, sink }] of this.#sinks.entries()) {
      const fail = (code: string, message: string): ItemFailure => ({
        code,
        message,
        uri,
        index,
        stage: `outputs[${output}]`,
      });
      const missing = sink.labelKeys.find((key) => labels[key] === undefined);
      if (missing !== undefined)
        return fail(
          'E_NO_LABEL',
          `the path needs label "${missing}", of which the profile has none, or several values`,
        );
      let destination: string;
      try {
        destination = sink.destination(placed);
      } catch (error) {
        return describeFailure(error, { uri, index, stage: `outputs[${output}]`, plugin });
      }
      const other = this.#taken.get(destination);
      if (other !== undefined) return fail('E_DUPLICATE_OUTPUT', `${destination} was written for ${other} already`);
      if (this.#inputs.has(destination)) return fail('E_OUTPUT_IS_INPUT', this.#inputs.refusal(destination));
      destinations.push(destination);
    }
    for (const [output, inUse] of this.#sinks.entries()) {
      const { plugin, sink } = inUse;
      const sinkItem: SinkItem = { ...placed, bytes: item.outputs[output]! };
      this.#taken.set(destinations[output]!, uri);
      const start = performance.now();
      try {
        const { destination, bytes } = await sink.write(sinkItem);
        inUse.milliseconds += performance.now() - start;
        inUse.bytes += bytes;
        const written = { destination, bytes, ...(perInput ? { input: uri } : {}) };
        this.#outputs.push(written);
        this.#tellWritten(written);
      } catch (error) {
        // Told by name: a third party's plugin may bring a copy of this package of its own.
        if (plugin.module === undefined || (error as Error | undefined)?.name === 'RunStopped') throw error;
        return describeFailure(error, { uri, index, stage: `outputs[${output}]`, plugin });
      }
      if (this.#isEndless) this.#forgetOldest();
    }
    return undefined;
  }

  #forgetOldest(): void {
    if (this.#outputs.length > RECENT_OUTPUTS) this.#outputs.shift();
    const [oldest] = this.#taken.keys();
    if (oldest !== undefined && this.#taken.size > RECENT_DESTINATIONS) this.#taken.delete(oldest);
  }

  async close(): Promise<void> {
    for (const { sink } of this.#sinks) await sink.close?.();
  }
}

function sinkItemOf({ name, index, labels, group, part }: EncodedItem): Omit<SinkItem, 'bytes'> {
  return { name, index, labels, ...(group === undefined ? {} : { group }), ...(part === undefined ? {} : { part }) };
}
