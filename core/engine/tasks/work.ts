/** Work on one item, or on what a barrier gives: its facts are collected, and its worker says at which place of the plan it is. */

import type { Site } from '../contract/places.js';
import type { CreateContext, ItemContext, ItemInfo } from '../contract/plugin.js';
import type { FactsCollector } from '../contract/telemetry.js';
import type { Trace } from '../contract/trace.js';
import { attempt, attemptNow } from '../plugins/attempt.js';

const noBytes = () => 0;

export class Work {
  readonly facts: FactsCollector;
  readonly trace: Trace;
  readonly #context: Pick<CreateContext, 'limits' | 'signal'>;

  constructor(context: Pick<CreateContext, 'limits' | 'signal'>, facts: FactsCollector, trace: Trace) {
    this.#context = context;
    this.facts = facts;
    this.trace = trace;
  }

  /** @param sizeOf bytes of what the step gave, for the summary @throws Misstep */
  async call<T>(site: Site, step: () => T | Promise<T>, sizeOf: (given: T) => number = noBytes): Promise<T> {
    const start = performance.now();
    const given = await attempt(site, this.trace, step);
    this.facts.spend(site, performance.now() - start, sizeOf(given));
    return given;
  }

  /** For what the contract gives at once. @throws Misstep */
  callNow<T>(site: Site, step: () => T, sizeOf: (given: T) => number = noBytes): T {
    const start = performance.now();
    const given = attemptNow(site, this.trace, step);
    this.facts.spend(site, performance.now() - start, sizeOf(given));
    return given;
  }

  /** @param plugin the name its counters stand under */
  itemContext(item: ItemInfo, plugin: string): ItemContext {
    const { limits, signal } = this.#context;
    return {
      item,
      limits,
      signal,
      count: (counter, amount = 1) => this.facts.count(plugin, counter, amount),
      warn: (code, message) => this.facts.warn(String(code), String(message)),
    };
  }
}
