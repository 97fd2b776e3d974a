/** Looks after running tasks: ends the one that stays at one item for too long, or that fills the memory of the process. */
import type { Plan } from '../../config/plan.js';
import { ENGINE_PLACE } from '../contract/places.js';
import type { Task } from '../contract/protocol.js';
import type { Whereabouts } from '../contract/trace.js';

/** Put together, a merge or finish of partials has that many times what an item has. */
const BARRIER_ITEMS = 6;
/** Until all plugins of a plan are made, the start of the worker included. */
const SETUP_MS = 30_000;
/** Until the memory of an ended worker is given back. */
const CALM_MS = 1_000;
const MOST_TICK_MS = 250;
const LEAST_TICK_MS = 20;
/** What a look that is late counts at most, in ticks: while the machine slept or gave us no time, tasks could not go on either. */
const MOST_TICKS = 2;

/** Why a task was ended. */
export interface Overrun {
  readonly code: 'E_TIMEOUT' | 'E_WORKER_OOM';
  readonly message: string;
}

export interface WatchedTask {
  readonly task: Task;
  whereabouts(): Whereabouts;
  /** Called once at most. */
  end(why: Overrun): void;
}

interface Watched extends WatchedTask {
  steps: number;
  /** When it was first seen where it is; undefined while it waits for a thread. */
  since: number | undefined;
  place: number;
  /** When it was first seen at that place. */
  placeSince: number;
}

export class Watch {
  readonly #timeoutMs: number;
  readonly #processBytes: number;
  readonly #residentBytes: () => number;
  readonly #tasks = new Set<Watched>();
  #calmUntil = 0;
  readonly #tickMs: number;
  readonly #timer: NodeJS.Timeout;
  /** Milliseconds that tasks had, by looks: see MOST_TICKS. */
  #now = 0;
  #lookedMs = performance.now();

  /** @param processBytes resident memory at which the task that is longest at its item is ended */
  constructor({ timeoutMs }: Plan, processBytes: number, residentBytes: () => number) {
    this.#residentBytes = residentBytes;
    this.#timeoutMs = timeoutMs;
    this.#processBytes = processBytes;
    this.#tickMs = Math.min(MOST_TICK_MS, Math.max(LEAST_TICK_MS, timeoutMs / 10));
    this.#timer = setInterval(() => this.#look(), this.#tickMs);
    this.#timer.unref();
  }

  add(task: WatchedTask): Watched {
    // What has no items says no steps: its time runs from the start.
    const now = this.#now;
    const since = isOfItems(task.task) ? undefined : now;
    const watched = { ...task, steps: 0, since, place: ENGINE_PLACE, placeSince: now };
    this.#tasks.add(watched);
    return watched;
  }

  remove(task: Watched): void {
    this.#tasks.delete(task);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const sinceMs = performance.now() - this.#lookedMs;
    this.#lookedMs += sinceMs;
    this.#now += Math.min(sinceMs, MOST_TICKS * this.#tickMs);
    const now = this.#now;
    for (const task of this.#tasks) {
      const { steps, place } = task.whereabouts();
      if (steps !== task.steps || place !== task.place) Object.assign(task, { place, placeSince: now });
      if (steps !== task.steps) Object.assign(task, { steps, since: now });
      const limitMs = this.#limitMs(task.task);
      if (task.since === undefined || now - task.since <= limitMs) continue;
      this.#tasks.delete(task);
      task.end({ code: 'E_TIMEOUT', message: `no end within ${limitMs / 1000} s; its worker was ended` });
    }
    if (now < this.#calmUntil || this.#residentBytes() <= this.#processBytes) return;
    this.#endLongest();
    this.#calmUntil = now + CALM_MS;
  }

  #limitMs(task: Task): number {
    if (task.kind === 'setup') return SETUP_MS;
    return isOfItems(task) ? this.#timeoutMs : this.#timeoutMs * BARRIER_ITEMS;
  }

  /** Nobody says whose the memory is: most likely whose work at one place does not end. */
  #endLongest(): void {
    const [longest] = [...this.#tasks]
      .filter(({ since, place }) => since !== undefined && place !== ENGINE_PLACE)
      .sort((a, b) => a.placeSince - b.placeSince);
    const mib = Math.round(this.#processBytes / 2 ** 20);
    if (longest === undefined) return;
    this.#tasks.delete(longest);
    longest.end({ code: 'E_WORKER_OOM', message: `the workers took more than ${mib} MiB; its worker was ended` });
  }
}

function isOfItems({ kind }: Task): boolean {
  return kind === 'items' || kind === 'share';
}
