/** What samples of a recording weigh: a count of them, and a column for each event that is asked for. */
import { FormatError, type ProfileHeader } from '../../../core/index.js';
import type { EventTable } from './event-table.js';
import type { Counted } from './group-counts.js';

export class Weights {
  /** Sample types of all parts: `samples`, then the events that were chosen; the first of these is what a reader shows. */
  readonly header: ProfileHeader;
  /** By row of the event table: its sample type; −1 for events that are not asked for. */
  readonly columns: readonly number[];

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
    this.columns = events.names.map((_, row) => chosen.indexOf(row) + 1 || -1);
  }

  /** Of a group's sample: what each of its events counted. @returns whether any of it is wanted */
  writeCounts(counted: readonly Counted[], values: BigUint64Array): boolean {
    const wanted = counted.filter(({ row }) => this.columns[row]! >= 0);
    for (const { row, amount } of wanted) values[this.columns[row]!] = amount;
    return wanted.length > 0;
  }
}
