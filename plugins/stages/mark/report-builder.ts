/** Adds up one profile's samples by check, without an object or a bigint a sample. */
import { ExactSums, findSampleType, halves, type Profile, stringAt } from '../../../core/index.js';
import type { CheckPlace } from './check-index.js';
import { addTallies, type CheckTally, type MarkReport, noTally, sumChecks, type Tally } from './report.js';

const TOTAL = 0;
const PREEMPTED = 1;
const FIRST_PLACE = 2;

export class ReportBuilder {
  readonly #profile: Profile;
  readonly #countsPreempted: boolean;
  readonly #places: readonly CheckPlace[];
  readonly #rowOfPlace: ReadonlyMap<CheckPlace, number>;
  readonly #values: ExactSums;
  readonly #samples: ExactSums;
  readonly #halves: Uint32Array;
  /** Columns of the value and of the number of samples; −1 where the profile has none. */
  readonly #valueType: number;
  readonly #countType: number;

  /** @param places all that `add` may be called with */
  constructor(profile: Profile, countsPreempted: boolean, places: Iterable<CheckPlace>) {
    this.#profile = profile;
    this.#countsPreempted = countsPreempted;
    this.#places = [...new Set(places)];
    this.#rowOfPlace = new Map(this.#places.map((place, i) => [place, FIRST_PLACE + i]));
    this.#values = new ExactSums(FIRST_PLACE + this.#places.length);
    this.#samples = new ExactSums(FIRST_PLACE + this.#places.length);
    this.#halves = halves(profile.samples.values);
    this.#valueType = profile.sampleTypes.length === 0 ? -1 : findSampleType(profile).index;
    this.#countType = profile.sampleTypes.findIndex(
      ({ type, unit }) => stringAt(profile.strings, type) === 'samples' && stringAt(profile.strings, unit) === 'count',
    );
  }

  add(sample: number, place: CheckPlace | undefined, preempted: boolean): void {
    this.#addTo(TOTAL, sample);
    if (preempted) this.#addTo(PREEMPTED, sample);
    if (place !== undefined) this.#addTo(this.#rowOfPlace.get(place)!, sample);
  }

  finish(): MarkReport {
    const valueType = this.#valueType < 0 ? undefined : findSampleType(this.#profile);
    const checks = sumChecks(this.#places.map((place, i) => checkTally(place, this.#tally(FIRST_PLACE + i))));
    return [
      {
        type: valueType?.type ?? '',
        unit: valueType?.unit ?? '',
        total: this.#tally(TOTAL),
        at: checks.reduce((sum, check) => addTallies(sum, check.at), noTally),
        after: checks.reduce((sum, check) => addTallies(sum, check.after), noTally),
        preempted: this.#tally(PREEMPTED),
        countsPreempted: this.#countsPreempted,
        checks,
      },
    ];
  }

  #addTo(row: number, sample: number): void {
    const base = sample * this.#profile.sampleTypes.length;
    if (this.#valueType >= 0) this.#addValue(this.#values, row, base + this.#valueType);
    if (this.#countType >= 0) this.#addValue(this.#samples, row, base + this.#countType);
    else this.#samples.add(row, 1, 0);
  }

  #addValue(sums: ExactSums, row: number, at: number): void {
    sums.add(row, this.#halves[2 * at]!, this.#halves[2 * at + 1]! | 0);
  }

  #tally(row: number): Tally {
    return { value: this.#values.at(row), samples: this.#samples.at(row) };
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
