/**
 * Puts records in order of time. The kernel writes one buffer a processor, perf copies them in turn and writes FINISHED_ROUND when it
 * went through all: from then on nothing comes that is older than what the round before had last. Source: tools/perf/util/ordered-events.c
 */

/** A record; of equal times, in order of arrival. `view` is valid during the call. */
export type OnOrdered = (view: DataView, start: number, size: number, event: number) => void;

/** Without rounds, that much is held before the older half is let go. */
const MAX_HELD_BYTES = 64 * 2 ** 20;
/** A time of all ones is none. */
const NO_TIME = 2 ** 64;

export class RoundQueue {
  readonly #onOrdered: OnOrdered;
  #arena = new Uint8Array(1 << 20);
  #used = 0;
  /** Of the records held: place and size in the arena, event, time in nanoseconds. */
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

  constructor(onOrdered: OnOrdered) {
    this.#onOrdered = onOrdered;
  }

  /** Takes a copy. @param time 0: none, such a record goes before all that are held */
  add(view: DataView, start: number, size: number, event: number, time: number): void {
    if (this.#used + size > this.#arena.length) this.#makeRoom(size);
    this.#arena.set(new Uint8Array(view.buffer, view.byteOffset + start, size), this.#used);
    this.#starts.push(this.#used);
    this.#sizes.push(size);
    this.#events.push(event);
    const known = time === NO_TIME ? 0 : time;
    this.#times.push(known);
    this.#used += size;
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

  #makeRoom(size: number): void {
    while (this.#used + size > MAX_HELD_BYTES) {
      const sorted = Float64Array.from(this.#times).sort();
      this.#letGo(sorted[sorted.length >>> 1]!);
    }
    if (this.#used + size <= this.#arena.length) return;
    const larger = new Uint8Array(Math.min(2 * this.#arena.length, MAX_HELD_BYTES));
    larger.set(this.#arena.subarray(0, this.#used));
    this.#arena = larger;
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
    const view = new DataView(this.#arena.buffer);
    for (const row of order) this.#onOrdered(view, this.#starts[row]!, this.#sizes[row]!, this.#events[row]!);
    this.#keep(upTo);
  }

  /** Moves what stays to the front. */
  #keep(upTo: number): void {
    let kept = 0;
    this.#used = 0;
    for (let row = 0; row < this.#times.length; row++) {
      if (this.#times[row]! <= upTo) continue;
      const start = this.#starts[row]!;
      const size = this.#sizes[row]!;
      this.#arena.copyWithin(this.#used, start, start + size);
      this.#starts[kept] = this.#used;
      this.#sizes[kept] = size;
      this.#events[kept] = this.#events[row]!;
      this.#times[kept] = this.#times[row]!;
      this.#used += size;
      kept++;
    }
    for (const column of [this.#starts, this.#sizes, this.#events, this.#times]) column.length = kept;
  }
}
