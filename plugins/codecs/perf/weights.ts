/** What samples of a recording weigh: a count of them, and a column for each event that is asked for. */
import { FormatError, type ProfileHeader } from '../../../core/index.js';
import type { EventTable } from './event-table.js';
import type { Counted } from './group-counts.js';
import type { SampleReader } from './sample.js';

export class Weights {
  /** Sample types of all parts: `samples`, then the events that were chosen; the first of these is what a reader shows. */
  readonly header: ProfileHeader;
  /** By row of the event table: its column; −1 for events that are not asked for. */
  readonly #columns: readonly number[];
  readonly #width: number;

  /** @param event name of the only one that is wanted, "" for all but dummies @throws FormatError E_PERF_EVENTS */
  constructor(events: EventTable, event: string) {
    const chosen = events.names.flatMap((name, row) =>
      (event === '' ? !events.at(row).isDummy : name === event) ? [row] : [],
    );
    if (event !== '' && chosen.length === 0) {
      throw new FormatError('E_PERF_EVENTS', `no event "${event}" in the recording; it has ${events.names.join(', ')}`);
    }
    const types = chosen.map((row) => ({ type: events.names[row]!, unit: events.at(row).unit }));
    const [first] = chosen;
    this.header = {
      sampleTypes: [{ type: 'samples', unit: 'count' }, ...types],
      ...(first === undefined
        ? {}
        : { periodType: types[0]!, period: events.at(first).fixedPeriod, defaultSampleType: types[0]!.type }),
    };
    this.#columns = events.names.map((_, row) => chosen.indexOf(row) + 1 || -1);
    this.#width = 1 + chosen.length;
  }

  /** Whether samples of the event in this row are wanted. */
  has(row: number): boolean {
    return this.#columns[row]! >= 0;
  }

  /** Of a sample of the event in `row`: its period. */
  ofPeriod(row: number, { periodLow, periodHigh }: SampleReader): (number | bigint)[] {
    const values = this.#one();
    values[this.#columns[row]!] = periodHigh === 0 ? periodLow : (BigInt(periodHigh) << 32n) | BigInt(periodLow);
    return values;
  }

  /** Of a group's sample: what each of its events counted. */
  ofCounts(counted: readonly Counted[]): (number | bigint)[] {
    const values = this.#one();
    for (const { row, amount } of counted) {
      if (this.has(row)) values[this.#columns[row]!] = amount;
    }
    return values;
  }

  #one(): (number | bigint)[] {
    const values: (number | bigint)[] = new Array(this.#width).fill(0);
    values[0] = 1;
    return values;
  }
}
