/**
 * What the events of a group counted from sample to sample (`{cycles,instructions}:S`): each sample has all their counts so far.
 * Source: tools/perf/util/session.c, deliver_sample_group
 */
import type { EventAttribute } from './attribute.js';
import type { EventTable } from './event-table.js';
import type { SampleReader } from './sample.js';
import { unsignedWord } from './words.js';

/** Counters that are known at a time, one an event and processor or thread; the oldest are forgotten beyond this. */
const MAX_KNOWN = 1 << 20;

/** An event of a group, and how much it counted since the sample before. */
export interface Counted {
  readonly row: number;
  readonly amount: number;
}

export class GroupCounts {
  /** What each counter had, by thread where children count on their own (else 0), then by id. */
  readonly #last = new Map<number, Map<number, number>>();
  #known = 0;

  /**
   * Takes each sample of a group in order, wanted or not.
   * @param event the one that the sample is of: `isGroup`
   * @returns those of the table's events that counted anything
   */
  take(view: DataView, sample: SampleReader, event: EventAttribute, events: EventTable): Counted[] {
    const last = this.#lastOf(event.isInherited ? sample.tid : 0);
    const counted: Counted[] = [];
    for (let index = 0; index < sample.counts; index++) {
      const at = sample.countsStart + index * sample.countBytes;
      const count = unsignedWord(view, at);
      const id = unsignedWord(view, at + 8);
      const row = events.rowOfId(id);
      if (row === undefined) continue;
      const before = last.get(id);
      if (before === undefined) this.#known++;
      last.set(id, count);
      if (count > (before ?? 0)) counted.push({ row, amount: count - (before ?? 0) });
    }
    return counted;
  }

  #lastOf(thread: number): Map<number, number> {
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
