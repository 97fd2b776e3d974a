/** When each job is due. Times are milliseconds of a clock that never goes back. */

export interface ScheduleOptions {
  readonly everyMs: number;
  readonly jitterMs: number;
  /** How many times each job runs; undefined: without end. */
  readonly count: number | undefined;
}

/** A job that fails again and again is asked at least this often, or `everyMs` if that is longer. */
const MOST_BACKOFF_MS = 300_000;

interface Slot<T> {
  readonly job: T;
  dueMs: number;
  left: number;
  failures: number;
}

export class Schedule<T> {
  readonly #everyMs: number;
  /** Those that are not running, in no order. */
  readonly #waiting: Slot<T>[];
  readonly #running = new Map<T, Slot<T>>();
  #missed = 0;

  constructor(jobs: readonly T[], { everyMs, jitterMs, count }: ScheduleOptions, nowMs: number) {
    this.#everyMs = everyMs;
    const left = count ?? Number.POSITIVE_INFINITY;
    this.#waiting = jobs.map((job) => ({ job, dueMs: nowMs + Math.random() * jitterMs, left, failures: 0 }));
  }

  /** Times that passed without their job, since the run or the job before took too long. */
  get missed(): number {
    return this.#missed;
  }

  get running(): number {
    return this.#running.size;
  }

  /** When the next job is due; undefined when none waits. */
  get nextMs(): number | undefined {
    return this.#waiting.length === 0 ? undefined : this.#waiting[this.#earliest()]!.dueMs;
  }

  /** Takes the job that has been due for longest; the caller says when it is `done`. @returns undefined when none is due */
  take(nowMs: number): T | undefined {
    if (this.#waiting.length === 0) return undefined;
    const at = this.#earliest();
    const slot = this.#waiting[at]!;
    if (slot.dueMs > nowMs) return undefined;
    const last = this.#waiting.pop()!;
    if (last !== slot) this.#waiting[at] = last;
    const missed = Math.floor((nowMs - slot.dueMs) / this.#everyMs);
    this.#missed += missed;
    // The next time is counted from when it was due, so that the pace is kept.
    slot.dueMs += (missed + 1) * this.#everyMs;
    slot.left -= 1;
    this.#running.set(slot.job, slot);
    return slot.job;
  }

  done(job: T, succeeded: boolean, nowMs: number): void {
    const slot = this.#running.get(job)!;
    this.#running.delete(job);
    if (slot.left === 0) return;
    slot.failures = succeeded ? 0 : slot.failures + 1;
    if (slot.failures > 1) {
      const most = Math.max(MOST_BACKOFF_MS, this.#everyMs);
      slot.dueMs = Math.max(slot.dueMs, nowMs + Math.min(this.#everyMs * 2 ** (slot.failures - 1), most));
    }
    this.#waiting.push(slot);
  }

  #earliest(): number {
    let earliest = 0;
    for (let at = 1; at < this.#waiting.length; at++) {
      if (this.#waiting[at]!.dueMs < this.#waiting[earliest]!.dueMs) earliest = at;
    }
    return earliest;
  }
}
