/**
 * The partials that batches are added to: one a worker, which keeps it from one batch to the next. What a worker keeps is gone with it, so
 * that what was added to it is not done before a copy is in the main thread, or all of it: a lane has the results of those tasks
 * until then, and their items, to be done again.
 *
 *     since   ─ done, in the worker's partial alone ─┐  (a copy comes)  results ─▶ commit
 *     copy    ─ what the partial was before them ────┴─ (the worker ends) items ─▶ again, onto the copy
 */

import {
  type NumberedItem,
  nothingDone,
  type PartialBytes,
  type TaskResult,
  type WindowTimes,
} from '../contract/protocol.js';
import type { Batch } from './batches.js';

/** Items of a batch that are a task together. */
export interface ItemGroup {
  readonly batch: Batch;
  readonly items: readonly NumberedItem[];
  readonly windows: WindowTimes | undefined;
  /** Whether a task that is lost with it is not tried again. */
  readonly isLast: boolean;
}

/** What came of a batch, or of some of its items. */
export interface Done {
  readonly batch: Batch;
  readonly result: TaskResult;
}

/**
 * A copy is asked for when as much would have to be done again: items, bytes of input, and those of them that the main thread holds
 * meanwhile. After a loss there is a copy in any case, so that no more is ever done again than was done since the loss before.
 */
const COPY_ITEMS = 8_192;
const COPY_BYTES = 2 ** 30;
const COPY_HELD_BYTES = 2 ** 26;

/** Items, their bytes of input, and those of them that the main thread holds. */
interface Amount {
  readonly items: number;
  readonly bytes: number;
  readonly heldBytes: number;
}

const nothing: Amount = { items: 0, bytes: 0, heldBytes: 0 };

/** @returns so much, and these items */
function plus({ items, bytes, heldBytes }: Amount, more: readonly NumberedItem[]): Amount {
  const held = (item: NumberedItem) => ('bytes' in item.data ? item.data.bytes.length : 0);
  return {
    items: items + more.length,
    bytes: more.reduce((sum, { size = 0 }) => sum + size, bytes),
    heldBytes: more.reduce((sum, item) => sum + held(item), heldBytes),
  };
}

/** A worker's place in a barrier. */
export class Lane {
  readonly worker: number;
  /** Without what was added since. */
  #copy: PartialBytes | undefined;
  #isKept = false;
  #since: { readonly group: ItemGroup; readonly result: TaskResult }[] = [];
  /** Of the groups since. */
  #amount = nothing;

  constructor(worker: number) {
    this.worker = worker;
  }

  /** Whether its worker has the partial. */
  get isKept(): boolean {
    return this.#isKept;
  }

  get copy(): PartialBytes | undefined {
    return this.#copy;
  }

  /** What its next task goes on with. */
  onto(): { readonly onto?: Uint8Array[] | 'kept' } {
    if (this.#isKept) return { onto: 'kept' };
    return this.#copy === undefined ? {} : { onto: [...this.#copy] };
  }

  /** Whether there would be too much to do again with this group. */
  isCopyDue(next: ItemGroup): boolean {
    const { items, bytes, heldBytes } = plus(this.#amount, next.items);
    return items >= COPY_ITEMS || bytes >= COPY_BYTES || heldBytes >= COPY_HELD_BYTES;
  }

  /** A task has ended. @returns what is done with it; that an item has failed is never undone */
  took(group: ItemGroup, result: TaskResult): Done[] {
    const { batch } = group;
    const isKept = result.isKept === true;
    // It did not get as far as the partial.
    if (result.partial === undefined && !isKept) return [{ batch, result }];
    this.#isKept = isKept;
    if (result.partial !== undefined) {
      this.#copy = result.partial;
      return [...this.settle(), { batch, result }];
    }
    const failed = result.failures.filter(({ isDelivered }) => isDelivered !== true);
    const failures = result.failures.filter(({ isDelivered }) => isDelivered === true);
    const items = group.items.filter(({ index }) => failed.every((failure) => failure.index !== index));
    this.#since.push({ group: { ...group, items }, result: { ...result, failures } });
    this.#amount = plus(this.#amount, items);
    return failed.length === 0 ? [] : [{ batch, result: { ...nothingDone, failures: failed } }];
  }

  /** All of the partial was given to the main thread. @returns what is done with that */
  gave(partial: PartialBytes): Done[] {
    this.#isKept = false;
    this.#copy = partial;
    return this.settle();
  }

  /** The partial cannot be lost any more, or not without all that comes of it. @returns what is done with that */
  settle(): Done[] {
    this.#amount = nothing;
    return this.#since.splice(0).map(({ group: { batch }, result }) => ({ batch, result }));
  }

  /** The worker has ended. @returns what is to be done again */
  lose(): ItemGroup[] {
    this.#isKept = false;
    this.#amount = nothing;
    const since = this.#since.splice(0).map(({ group }) => group);
    return since.filter(({ items }) => items.length > 0);
  }

  /** What the main thread has of the partial, to be merged elsewhere; the next task begins a new one. */
  take(): PartialBytes | undefined {
    const copy = this.#copy;
    this.#copy = undefined;
    return copy;
  }
}

export class Lanes {
  readonly all: readonly Lane[];
  readonly #idle: Lane[];
  /** Resolves when no lane is at work; none is given away meanwhile. */
  #resting: Promise<void> | undefined;
  #onIdle = () => {};

  constructor(count: number) {
    this.all = Array.from({ length: count }, (_, worker) => new Lane(worker));
    this.#idle = [...this.all];
  }

  /** Not more at a time than there are lanes. */
  async use(work: (lane: Lane) => Promise<void>): Promise<void> {
    while (this.#resting !== undefined) await this.#resting;
    const lane = this.#idle.pop()!;
    try {
      await work(lane);
    } finally {
      this.#idle.push(lane);
      this.#onIdle();
    }
  }

  /** Waits for what is at work, then takes all partials, at one moment with what `take` does. */
  async gather<T>(take: (partials: PartialBytes[]) => T): Promise<T> {
    this.#resting = new Promise((resolve) => {
      this.#onIdle = () => {
        if (this.#idle.length === this.all.length) resolve();
      };
    });
    this.#onIdle();
    await this.#resting;
    this.#onIdle = () => {};
    this.#resting = undefined;
    return take(this.all.map((lane) => lane.take()).filter((partial) => partial !== undefined));
  }
}
