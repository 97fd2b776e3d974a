/** Stacks with counts and labels, as a Profile. */
import { type Budget, FormatError, type LabelSpec, type Profile, ProfileBuilder } from '../../../core/index.js';

/** One line of a location. */
export interface Frame {
  readonly name: string;
  readonly file: string;
  readonly line: bigint;
}

interface Sample {
  readonly stack: readonly number[];
  readonly labels: readonly LabelSpec[];
  count: bigint;
}

const MAX_INT64 = 2n ** 63n - 1n;

export class Collector {
  readonly #builder: ProfileBuilder;
  readonly #budget: Budget;
  readonly #merge: boolean;
  readonly #samples: Sample[] = [];
  readonly #sampleOfKey = new Map<string, Sample>();
  #goroutines = 0n;

  /** @param type name of the sample type: "goroutine" @param merge whether equal stacks with equal labels become one sample */
  constructor(type: string, merge: boolean, budget: Budget) {
    const valueType = { type, unit: 'count' };
    this.#builder = new ProfileBuilder({ sampleTypes: [valueType], periodType: valueType, period: 1 });
    this.#budget = budget;
    this.#merge = merge;
  }

  /** Sum of the counts so far. */
  get goroutines(): bigint {
    return this.#goroutines;
  }

  /**
   * Row of a location.
   * @param frames innermost inlined call first, the physical function last; none where the text has no name
   */
  location(address: bigint, frames: readonly Frame[]): number {
    const lines = frames.map(({ name, file, line }) => ({
      function: this.#builder.function({ name, filename: file }),
      line,
    }));
    return this.#builder.location({ address, lines });
  }

  /**
   * @param stack location rows, leaf first
   * @param lineNumber where it begins, for errors
   * @throws FormatError E_LIMIT, E_OVERFLOW when all counts together are beyond 64 bits
   */
  add(stack: readonly number[], count: bigint, labels: readonly LabelSpec[], lineNumber: number): void {
    const place = { section: `line ${lineNumber}` };
    this.#budget.check('stackDepth', stack.length, place);
    this.#budget.check('labelsPerSample', labels.length, place);
    this.#goroutines += count;
    if (this.#goroutines > MAX_INT64) {
      throw new FormatError('E_OVERFLOW', 'counts add up beyond 64 bits', { ...place, got: this.#goroutines });
    }
    const key = this.#merge ? keyOf(stack, labels) : '';
    const known = this.#merge ? this.#sampleOfKey.get(key) : undefined;
    if (known !== undefined) {
      known.count += count;
      return;
    }
    this.#budget.spend('tableRows', 1, place);
    const sample = { stack, labels, count };
    this.#samples.push(sample);
    if (this.#merge) this.#sampleOfKey.set(key, sample);
  }

  finish(): Profile {
    for (const { stack, labels, count } of this.#samples) this.#builder.addSample({ stack, labels, values: [count] });
    return this.#builder.finish();
  }
}

function keyOf(stack: readonly number[], labels: readonly LabelSpec[]): string {
  const texts = labels.map(({ key, str, num = 0n }) => JSON.stringify([key, str ?? String(num)]));
  return `${stack.join()} ${texts.join()}`;
}
