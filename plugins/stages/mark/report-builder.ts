/** Adds up one profile's samples by check. */
import { findSampleType, type Profile, stringAt } from '../../../core/index.js';
import type { CheckPlace } from './check-index.js';
import { addTallies, type CheckTally, type MarkReport, noTally, sumChecks, type Tally } from './report.js';

export class ReportBuilder {
  readonly #profile: Profile;
  readonly #countsPreempted: boolean;
  /** Columns of the value and of the number of samples; −1 where the profile has none. */
  readonly #valueType: number;
  readonly #countType: number;
  readonly #checks = new Map<CheckPlace, Tally>();
  #total = noTally;
  #preempted = noTally;

  constructor(profile: Profile, countsPreempted: boolean) {
    this.#profile = profile;
    this.#countsPreempted = countsPreempted;
    this.#valueType = profile.sampleTypes.length === 0 ? -1 : findSampleType(profile).index;
    this.#countType = profile.sampleTypes.findIndex(
      ({ type, unit }) => stringAt(profile.strings, type) === 'samples' && stringAt(profile.strings, unit) === 'count',
    );
  }

  add(sample: number, place: CheckPlace | undefined, preempted: boolean): void {
    const tally: Tally = {
      value: this.#valueAt(sample, this.#valueType) ?? 0n,
      samples: this.#valueAt(sample, this.#countType) ?? 1n,
    };
    this.#total = addTallies(this.#total, tally);
    if (preempted) this.#preempted = addTallies(this.#preempted, tally);
    if (place !== undefined) this.#checks.set(place, addTallies(this.#checks.get(place) ?? noTally, tally));
  }

  finish(): MarkReport {
    const valueType = this.#valueType < 0 ? undefined : findSampleType(this.#profile);
    const checks = sumChecks([...this.#checks].map(([place, tally]) => checkTally(place, tally)));
    return [
      {
        type: valueType?.type ?? '',
        unit: valueType?.unit ?? '',
        total: this.#total,
        at: checks.reduce((sum, check) => addTallies(sum, check.at), noTally),
        after: checks.reduce((sum, check) => addTallies(sum, check.after), noTally),
        preempted: this.#preempted,
        countsPreempted: this.#countsPreempted,
        checks,
      },
    ];
  }

  #valueAt(sample: number, type: number): bigint | undefined {
    return type < 0 ? undefined : this.#profile.samples.values[sample * this.#profile.sampleTypes.length + type];
  }
}

function checkTally({ check, part, frames }: CheckPlace, tally: Tally): CheckTally {
  const frame = frames[0];
  return {
    function: frame?.function ?? '',
    file: frame?.file ?? '',
    line: frame?.line ?? 0,
    kind: check.kind,
    check: check.check,
    at: part === 'own' ? tally : noTally,
    after: part === 'after' ? tally : noTally,
  };
}
