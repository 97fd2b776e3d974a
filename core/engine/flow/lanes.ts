/** The partials that batches are added to: as many as tasks run at the same time. */
import type { PartialBytes } from '../contract/protocol.js';

/** A worker's place in a barrier: the partial that its next batch is added to. */
export interface Lane {
  partial: PartialBytes | undefined;
}

export class Lanes {
  readonly #all: readonly Lane[];
  readonly #idle: Lane[];
  /** Resolves when no lane is at work; none is given away meanwhile. */
  #resting: Promise<void> | undefined;
  #onIdle = () => {};

  constructor(count: number) {
    this.#all = Array.from({ length: count }, () => ({ partial: undefined }));
    this.#idle = [...this.#all];
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
        if (this.#idle.length === this.#all.length) resolve();
      };
    });
    this.#onIdle();
    await this.#resting;
    this.#onIdle = () => {};
    this.#resting = undefined;
    const partials = this.#all.flatMap(({ partial }) => (partial === undefined ? [] : [partial]));
    for (const lane of this.#all) lane.partial = undefined;
    return take(partials);
  }
}
