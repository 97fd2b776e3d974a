/**
 * What the events of a group counted from sample to sample (`{cycles,instructions}:S`): each sample has all their counts so far.
 * Source: tools/perf/util/session.c, deliver_sample_group
 */
import { FormatError } from '../../../core/index.js';
import type { EventTable } from './event-table.js';
import type { GroupSample } from './sample-kernel.js';
import { unsignedWord } from './words.js';

/** Counters that are known at a time, one an event and processor or thread; the oldest are forgotten beyond this. */
const MAX_KNOWN = 1 << 20;
/** A value of a profile. */
const MAX_AMOUNT = 2n ** 63n - 1n;

/** An event of a group, and how much it counted since the sample before. */
export interface Counted {
  readonly row: number;
  readonly amount: bigint;
}

export class GroupCounts {
  /** What each counter had, by thread where children count on their own (else 0), then by id. */
  readonly #last = new Map<number, Map<number, bigint>>();
  #known = 0;

  /**
   * Takes each sample of a group in order, wanted or not.
   * @returns those of the table's events that counted anything @throws FormatError E_PERF_SAMPLE for a count beyond int64
   */
  take(sample: GroupSample, events: EventTable): Counted[] {
    const { view } = sample;
    const last = this.#lastOf(events.at(sample.event).isInherited ? sample.tid : 0);
    const counted: Counted[] = [];
    for (let index = 0; index < sample.counts; index++) {
      const at = sample.countsStart + index * sample.countBytes;
      const count = view.getBigUint64(at, true);
      const id = unsignedWord(view, at + 8);
      const row = events.rowOfId(id);
      if (row === undefined) continue;
      const before = last.get(id);
      const amount = count - (before ?? 0n);
      if (amount > MAX_AMOUNT) {
        throw new FormatError('E_PERF_SAMPLE', 'count of an event', { section: 'sample', offset: at, got: count });
      }
      if (before === undefined) this.#known++;
      last.set(id, count);
      if (amount > 0n) counted.push({ row, amount });
    }
    return counted;
  }

  #lastOf(thread: number): Map<number, bigint> {
    if (this.#known > MAX_KNOWN) {
      this.#last.clear();
      this.#known = 0;
    }
    let last = this.#last.get(thread);
    if (last === undefined) {
      last = new Map();
      this.#last.set(thread, last);
    }
    return last;
  }
}
