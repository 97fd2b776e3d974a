/** Tells the source which of its items cannot be lost any more. */

import type { SourceItem, WindowsWritten } from '../contract/plugin.js';
import type { ItemWindows } from '../contract/protocol.js';
import type { Batch } from './batches.js';

type Held = Pick<ItemWindows, 'arrivalMs' | 'endsMs'>;

/** What is written when nothing comes any more. */
const OF_NO_WINDOW: Held = { arrivalMs: 0, endsMs: [Number.POSITIVE_INFINITY] };

/** What is settled together. */
export interface Settling {
  /** Items with no other window, which are the caller's to settle. */
  readonly ended: readonly SourceItem[];
  /** Items of which windows are open, and how far the others are written by then. */
  readonly partly: ReadonlyMap<SourceItem, WindowsWritten>;
}

export class Settlement {
  /** What went into the partial of a barrier, with its windows that are not written: it is settled when all are. */
  readonly #held = new Map<SourceItem, Held>();

  async delivered({ settled }: Batch, index: number): Promise<void> {
    await settle(settled, index, 'delivered');
  }

  async deadLettered({ settled }: Batch, index: number): Promise<void> {
    const item = settled.get(index);
    if (item !== undefined) this.#held.delete(item);
    await settle(settled, index, 'dead-lettered');
  }

  /** All of the batch that is not dead-lettered went into the partial, or those that went into windows. */
  added({ settled }: Batch, windows: readonly ItemWindows[] | undefined): void {
    if (windows === undefined) {
      for (const item of settled.values()) this.#held.set(item, OF_NO_WINDOW);
      return;
    }
    for (const { index, arrivalMs, endsMs } of windows) {
      const item = settled.get(index);
      if (item !== undefined) this.#held.set(item, { arrivalMs, endsMs });
    }
  }

  /**
   * What is held is about to be written, as far as it is in windows that ended until then.
   * @returns what is settled then, and all items that stay
   */
  begin(untilMs: number): Settling & { readonly open: readonly SourceItem[] } {
    const ended: SourceItem[] = [];
    const partly = new Map<SourceItem, WindowsWritten>();
    for (const [item, { arrivalMs, endsMs }] of this.#held) {
      const left = endsMs.filter((end) => end > untilMs);
      if (left.length === 0) ended.push(item);
      else if (left.length < endsMs.length) {
        this.#held.set(item, { arrivalMs, endsMs: left });
        partly.set(item, { arrivalMs, untilMs });
      }
    }
    this.forget(ended);
    return { ended, partly, open: [...this.#held.keys()] };
  }

  forget(items: readonly SourceItem[]): void {
    for (const item of items) this.#held.delete(item);
  }
}

async function settle(settled: Batch['settled'], index: number, outcome: 'delivered' | 'dead-lettered'): Promise<void> {
  const item = settled.get(index);
  settled.delete(index);
  await item?.settled?.(outcome);
}
