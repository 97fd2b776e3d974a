/** Tells the source which of its items cannot be lost any more. */

import type { SourceItem } from '../contract/plugin.js';
import type { ItemWindows } from '../contract/protocol.js';
import type { Batch } from './batches.js';

export class Settlement {
  /** What went into the partial of a barrier, with the end of its last window: it is settled when that is written. */
  readonly #held = new Map<SourceItem, number>();

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
      for (const item of settled.values()) this.#held.set(item, Number.POSITIVE_INFINITY);
      return;
    }
    for (const { index, endsMs } of windows) {
      const item = settled.get(index);
      if (item !== undefined) this.#held.set(item, endsMs.at(-1) ?? Number.NEGATIVE_INFINITY);
    }
  }

  /**
   * What is held is about to be written, as far as it is in windows that ended until then.
   * @returns the items with no other window, which are the caller's to settle, and those that stay
   */
  begin(untilMs: number): { readonly ended: readonly SourceItem[]; readonly open: readonly SourceItem[] } {
    const ended: SourceItem[] = [];
    const open: SourceItem[] = [];
    for (const [item, end] of this.#held) (end <= untilMs ? ended : open).push(item);
    this.forget(ended);
    return { ended, open };
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
