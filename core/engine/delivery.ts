/** From encoded items to sinks: destinations checked before anything is read, no destination twice, every sink of an item written. */
import type { Plan } from '../config/plan.js';
import { creating, type ItemFailure, UsageError } from './errors.js';
import type { CreateContext, Sink, SinkItem } from './plugin.js';
import type { EncodedItem } from './protocol.js';
import type { Registry } from './registry.js';
import type { OutputSummary } from './telemetry.js';

export class Delivery {
  readonly #sinks: readonly Sink[];
  readonly #outputs: OutputSummary[] = [];
  /** Destination → the input that was written there. */
  readonly #taken = new Map<string, string>();

  private constructor(sinks: readonly Sink[]) {
    this.#sinks = sinks;
  }

  /** @throws UsageError when an output cannot be written, or two items would get one */
  static async open(
    plan: Plan,
    registry: Registry,
    context: CreateContext,
    names: readonly string[] | undefined,
  ): Promise<Delivery> {
    const sinks: Sink[] = [];
    for (const [index, { sink }] of plan.outputs.entries()) {
      const create = () => registry.get('sink', sink.plugin).create(sink.options, context);
      sinks.push(await creating(`output[${index}].${sink.plugin}`, create));
    }
    const barrier = plan.segments[0]!.aggregate !== undefined;
    for (const sink of sinks) {
      if (!barrier && names !== undefined && sink.labelKeys.length === 0) refuseClashes(sink, names);
    }
    for (const sink of sinks) await sink.prepare();
    return new Delivery(sinks);
  }

  get labelKeys(): readonly string[] {
    return [...new Set(this.#sinks.flatMap((sink) => sink.labelKeys))];
  }

  get outputs(): readonly OutputSummary[] {
    return this.#outputs;
  }

  /**
   * Writes one item to every sink. @returns a failure of the item (a label that its path needs is missing, its destination is
   * taken); @throws RunStopped when a sink cannot write
   */
  async write(item: EncodedItem, perInput: boolean): Promise<ItemFailure | undefined> {
    const { index, uri, name, labels, group } = item;
    const placed = { name, index, labels, ...(group === undefined ? {} : { group }) };
    const destinations: string[] = [];
    for (const [output, sink] of this.#sinks.entries()) {
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
      const destination = sink.destination(placed);
      const other = this.#taken.get(destination);
      if (other !== undefined) return fail('E_DUPLICATE_OUTPUT', `${destination} was written for ${other} already`);
      destinations.push(destination);
    }
    for (const [output, sink] of this.#sinks.entries()) {
      const sinkItem: SinkItem = { ...placed, bytes: item.outputs[output]! };
      const { destination, bytes } = await sink.write(sinkItem);
      this.#taken.set(destinations[output]!, uri);
      this.#outputs.push({ destination, bytes, ...(perInput ? { input: uri } : {}) });
    }
    return undefined;
  }

  async close(): Promise<void> {
    for (const sink of this.#sinks) await sink.close?.();
  }
}

function refuseClashes(sink: Sink, names: readonly string[]): void {
  const taken = new Map<string, number>();
  for (const [index, name] of names.entries()) {
    const destination = sink.destination({ name, index, labels: {} });
    const other = taken.get(destination);
    if (other !== undefined) {
      throw new UsageError(
        'output-twice',
        `inputs ${other + 1} ("${names[other]}") and ${index + 1} ("${name}") would both be written to ${destination}; put {name} or {index} in the path, or an aggregate before it`,
      );
    }
    taken.set(destination, index);
  }
}
