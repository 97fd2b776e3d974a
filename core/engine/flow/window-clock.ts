/**
 * Which windows of a stream are open, and when they have ended. All times are milliseconds since 1970.
 *
 *     clock: arrival    a window has ended when it is over here
 *     clock: profile    when the newest profile is `lateness` past its end. What is newer than now counts as now. A stream that
 *                       rests for a window's length and `lateness` has ended all
 */
import type { WindowRules } from '../contract/plugin.js';
import type { ItemWindows, WindowTimes } from '../contract/protocol.js';

export class WindowClock {
  readonly #rules: WindowRules;
  /** Ends of windows that hold something. */
  readonly #open = new Set<number>();
  /** Something waits for the next window that ends: it has no time, or its window is written. */
  #hasWaiting = false;
  #arrivalMs = Number.NEGATIVE_INFINITY;
  #newestMs = Number.NEGATIVE_INFINITY;
  #closedMs = Number.NEGATIVE_INFINITY;

  constructor(rules: WindowRules) {
    this.#rules = rules;
  }

  /** Items arrive. A clock that is set back does not bring them into a window that is written. */
  begin(nowMs: number): WindowTimes {
    this.#arrivalMs = Math.max(this.#arrivalMs, nowMs);
    return { arrivalMs: this.#arrivalMs, closedMs: this.#closedMs };
  }

  add(items: readonly ItemWindows[]): void {
    for (const { timeMs, endsMs } of items) {
      if (timeMs !== undefined && timeMs > this.#newestMs) this.#newestMs = timeMs;
      if (endsMs.length === 0) this.#hasWaiting = true;
      for (const end of endsMs) {
        if (end > this.#closedMs) this.#open.add(end);
        else this.#hasWaiting = true;
      }
    }
  }

  /** @returns until when windows have ended by now; undefined where none that holds something has */
  ended(nowMs: number): number | undefined {
    const { clock, latenessMs } = this.#rules;
    const restingMs = this.#restingMs();
    if (restingMs !== undefined && nowMs >= restingMs) return this.#latest();
    const untilMs = clock === 'arrival' ? nowMs : Math.min(this.#newestMs, nowMs) - latenessMs;
    return this.#earliest() <= untilMs ? untilMs : undefined;
  }

  /** Windows that ended until then are written. */
  close(untilMs: number): void {
    this.#closedMs = Math.max(this.#closedMs, untilMs);
    for (const end of this.#open) if (end <= untilMs) this.#open.delete(end);
    this.#hasWaiting = false;
    if (this.#rules.clock === 'arrival') this.begin(untilMs);
  }

  /** When a window ends though nothing arrives; undefined where none is open. */
  nextMs(): number | undefined {
    const restingMs = this.#restingMs();
    if (restingMs === undefined || this.#rules.clock === 'profile') return restingMs;
    return Math.min(restingMs, this.#earliest());
  }

  /** When the stream counts as resting, and all that is open has ended. */
  #restingMs(): number | undefined {
    if (this.#open.size === 0 && !this.#hasWaiting) return undefined;
    return this.#arrivalMs + this.#rules.lengthMs + this.#rules.latenessMs;
  }

  #earliest(): number {
    let earliest = Number.POSITIVE_INFINITY;
    for (const end of this.#open) if (end < earliest) earliest = end;
    return earliest;
  }

  #latest(): number {
    let latest = this.#closedMs;
    for (const end of this.#open) if (end > latest) latest = end;
    return latest;
  }
}
