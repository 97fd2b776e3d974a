/** Tells the source which of its items cannot be lost any more. */
import type { Batch } from './batches.js';

export class Settlement {
  /** What went into the partial of a barrier, and is settled with the whole. */
  readonly #held = new Set<Batch['settled']>();

  async delivered(batch: Batch, index: number): Promise<void> {
    await settle(batch.settled, index, 'delivered');
  }

  async deadLettered(batch: Batch, index: number): Promise<void> {
    await settle(batch.settled, index, 'dead-lettered');
  }

  /** All of the batch that is not dead-lettered went into the partial. */
  added(batch: Batch): void {
    if (batch.settled.size > 0) this.#held.add(batch.settled);
  }

  /** The output of the barrier is durable. */
  async wholeDelivered(): Promise<void> {
    for (const settled of this.#held) {
      for (const index of [...settled.keys()]) await settle(settled, index, 'delivered');
    }
    this.#held.clear();
  }
}

async function settle(settled: Batch['settled'], index: number, outcome: 'delivered' | 'dead-lettered'): Promise<void> {
  const tell = settled.get(index);
  settled.delete(index);
  await tell?.(outcome);
}
