/** Stacks with values and labels, as a Profile. */
import {
  type Budget,
  FormatError,
  type LabelSpec,
  type Profile,
  ProfileBuilder,
  type ProfileHeader,
} from '../../../core/index.js';

/** One line of a location. */
export interface Frame {
  readonly name: string;
  readonly file: string;
  readonly line: bigint;
}

interface Sample {
  readonly stack: readonly number[];
  readonly labels: readonly LabelSpec[];
  values: readonly bigint[];
}

const MAX_INT64 = 2n ** 63n - 1n;

export class Collector {
  readonly #builder: ProfileBuilder;
  readonly #budget: Budget;
  readonly #merge: boolean;
  readonly #samples: Sample[] = [];
  readonly #sampleOfKey = new Map<string, Sample>();
  readonly #sums: bigint[];

  /** @param merge whether equal stacks with equal labels become one sample */
  constructor(header: ProfileHeader, merge: boolean, budget: Budget) {
    this.#builder = new ProfileBuilder(header);
    this.#budget = budget;
    this.#merge = merge;
    this.#sums = header.sampleTypes.map(() => 0n);
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
   * @param values one for each sample type
   * @param lineNumber where it begins, for errors
   * @throws FormatError E_LIMIT, E_OVERFLOW when all values of a type together are beyond 64 bits
   */
  add(stack: readonly number[], values: readonly bigint[], labels: readonly LabelSpec[], lineNumber: number): void {
    const place = { section: `line ${lineNumber}` };
    this.#budget.check('stackDepth', stack.length, place);
    this.#budget.check('labelsPerSample', labels.length, place);
    for (const [type, value] of values.entries()) {
      const sum = this.#sums[type]! + value;
      if (sum > MAX_INT64 || sum < -MAX_INT64)
        throw new FormatError('E_OVERFLOW', 'values add up beyond 64 bits', { ...place, got: sum });
      this.#sums[type] = sum;
    }
    const key = this.#merge ? keyOf(stack, labels) : '';
    const known = this.#merge ? this.#sampleOfKey.get(key) : undefined;
    if (known !== undefined) {
      known.values = known.values.map((value, type) => value + values[type]!);
      return;
    }
    this.#budget.spend('tableRows', 1, place);
    const sample = { stack, labels, values };
    this.#samples.push(sample);
    if (this.#merge) this.#sampleOfKey.set(key, sample);
  }

  finish(): Profile {
    for (const sample of this.#samples) this.#builder.addSample(sample);
    return this.#builder.finish();
  }
}

function keyOf(stack: readonly number[], labels: readonly LabelSpec[]): string {
  const texts = labels.map(({ key, str, num = 0n }) => JSON.stringify([key, str ?? String(num)]));
  return `${stack.join()} ${texts.join()}`;
}

/** Header of a profile that counts: one sample type, period 1. */
export function countHeader(type: string): ProfileHeader {
  const valueType = { type, unit: 'count' };
  return { sampleTypes: [valueType], periodType: valueType, period: 1 };
}
