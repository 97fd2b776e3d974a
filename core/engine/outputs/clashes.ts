/** Destinations that are refused before anything is read: of two outputs, or of an output and an input. */
import { resolve } from 'node:path';
import type { Plan } from '../../config/plan.js';
import { UsageError } from '../contract/errors.js';
import type { Sink, Source } from '../contract/plugin.js';
import type { Registry } from '../plugins/registry.js';

/** What of a plan's results is known before anything is read. */
export interface KnownResults {
  /** Of the items that come to the sinks; undefined where nobody knows yet. */
  readonly names: readonly string[] | undefined;
  /** Fields of their groups. */
  readonly groupFields: readonly string[];
}

export function knownResults(plan: Plan, registry: Registry, { names }: Pick<Source, 'names'>): KnownResults {
  const { aggregate } = plan.segments[0]!;
  if (aggregate === undefined) return { names, groupFields: [] };
  const groupFields = registry.get('aggregate', aggregate.plugin).groupFields?.(aggregate.options) ?? [];
  return { names: groupFields.length === 0 ? [plan.name] : undefined, groupFields };
}

/** By result; undefined where that is not known before they are read. */
export function knownDestinations(sink: Sink, { names }: KnownResults): readonly string[] | undefined {
  if (sink.labelKeys.length > 0) return undefined;
  return names?.map((name, index) => sink.destination({ name, index, labels: {} }));
}

/** @throws UsageError output-twice, output-is-input */
export function refuseClashes(sink: Sink, known: KnownResults, inputs: InputFiles): void {
  const taken = new Map<string, number>();
  for (const [index, destination] of (knownDestinations(sink, known) ?? []).entries()) {
    const other = taken.get(destination);
    const { names } = known;
    if (other !== undefined) {
      throw new UsageError(
        'output-twice',
        `inputs ${other + 1} ("${names![other]}") and ${index + 1} ("${names![index]}") would both be written to ${destination}; put {name} or {index} in the path, or an aggregate before it`,
      );
    }
    taken.set(destination, index);
    if (inputs.has(destination)) throw new UsageError('output-is-input', inputs.refusal(destination));
  }
  refuseOneForAllGroups(sink, known);
}

function refuseOneForAllGroups(sink: Sink, { groupFields }: KnownResults): void {
  if (groupFields.length === 0) return;
  const labels = Object.fromEntries(sink.labelKeys.map((key) => [key, 'x']));
  const [destination, other] = ['a', 'b'].map((value, index) => {
    const group = Object.fromEntries(groupFields.map((field) => [field, value]));
    return sink.destination({ name: 'x', index, labels, group });
  });
  if (destination === other) {
    const message = `groups (by ${groupFields.join(', ')}) would be written to ${destination} one over the other`;
    throw new UsageError('output-twice', message);
  }
}

/** The files that a run reads, as far as its source knows them before: no output takes the place of one. */
export class InputFiles {
  readonly #paths: ReadonlySet<string>;

  constructor({ files = [] }: Pick<Source, 'files'>) {
    this.#paths = new Set(files);
  }

  has(destination: string): boolean {
    return this.#paths.size > 0 && this.#paths.has(resolve(destination));
  }

  refusal(destination: string): string {
    return `${destination} is an input of this run, and would be replaced; write to another folder`;
  }
}
