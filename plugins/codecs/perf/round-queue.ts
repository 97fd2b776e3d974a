/**
 * Puts records in order of time. The kernel writes one buffer a processor, perf copies them in turn and writes FINISHED_ROUND when it
 * went through all: from then on nothing comes that is older than what the round before had last. Source: tools/perf/util/ordered-events.c
 */

import type { Block, RecordStore } from './record-store.js';

/** A record; of equal times, in order of arrival. `view` is valid until its block of the store is recycled. */
export type OnOrdered = (view: DataView, start: number, size: number, event: number) => void;

/** Without rounds, that much is held before the older half is let go. */
const MAX_HELD_BYTES = 64 * 2 ** 20;
/** A time of all ones is none. */
const NO_TIME = 2 ** 64;

export class RoundQueue {
  readonly #onOrdered: OnOrdered;
  readonly #store: RecordStore;
  #heldBytes = 0;
  /** Of the records held: block of the store, place and size in it, event, time in nanoseconds. */
  readonly #blocks: Block[] = [];
  readonly #starts: number[] = [];
  readonly #sizes: number[] = [];
  readonly #events: number[] = [];
  readonly #times: number[] = [];
  #newest = 0;
  /** Newest time when the last round ended. */
  #roundEnd = 0;
  #letGoUpTo = 0;
  /** Records that came after younger ones had been let go. */
  late = 0;

  constructor(store: RecordStore, onOrdered: OnOrdered) {
    this.#store = store;
    this.#onOrdered = onOrdered;
  }

  /** @param time 0: none, such a record goes before all that are held */
  add(view: DataView, start: number, size: number, event: number, time: number): void {
    while (this.#heldBytes + size > MAX_HELD_BYTES) this.#letGoHalf();
    this.#blocks.push(this.#store.hold(view, start, size));
    this.#starts.push(this.#store.heldAt);
    this.#sizes.push(size);
    this.#events.push(event);
    const known = time === NO_TIME ? 0 : time;
    this.#times.push(known);
    this.#heldBytes += size;
    if (known !== 0 && known < this.#letGoUpTo) this.late++;
    if (known > this.#newest) this.#newest = known;
  }

  endRound(): void {
    this.#letGo(this.#roundEnd);
    this.#roundEnd = this.#newest;
  }

  /** Everything that is held. */
  finish(): void {
    this.#letGo(Number.POSITIVE_INFINITY);
  }

  #letGoHalf(): void {
    const sorted = Float64Array.from(this.#times).sort();
    this.#letGo(sorted[sorted.length >>> 1]!);
  }

  #letGo(upTo: number): void {
    const times = this.#times;
    const order: number[] = [];
    let isSorted = true;
    let newest = 0;
    for (let row = 0; row < times.length; row++) {
      const time = times[row]!;
      if (time > upTo) continue;
      if (time < newest) isSorted = false;
      else newest = time;
      order.push(row);
    }
    if (order.length === 0) return;
    if (!isSorted) order.sort((a, b) => times[a]! - times[b]! || a - b);
    this.#letGoUpTo = Math.max(this.#letGoUpTo, newest);
    for (const row of order) {
      const block = this.#blocks[row]!;
      this.#onOrdered(block.view, this.#starts[row]!, this.#sizes[row]!, this.#events[row]!);
      this.#store.letGo(block);
      this.#heldBytes -= this.#sizes[row]!;
    }
    this.#keep(upTo);
  }

  /** Moves the rows of what stays to the front. */
  #keep(upTo: number): void {
    let kept = 0;
    for (let row = 0; row < this.#times.length; row++) {
      if (this.#times[row]! <= upTo) continue;
      this.#blocks[kept] = this.#blocks[row]!;
      this.#starts[kept] = this.#starts[row]!;
      this.#sizes[kept] = this.#sizes[row]!;
      this.#events[kept] = this.#events[row]!;
      this.#times[kept] = this.#times[row]!;
      kept++;
    }
    for (const column of [this.#blocks, this.#starts, this.#sizes, this.#events, this.#times]) column.length = kept;
  }
}
