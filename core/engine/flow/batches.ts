/** A source's items, numbered and put together into tasks. */
import { describeFailure, type ItemFailure } from '../contract/errors.js';
import type { SourceItem, UnreadableItem } from '../contract/plugin.js';
import type { NumberedItem } from '../contract/protocol.js';

export interface Batch {
  readonly items: readonly NumberedItem[];
  /** Items that the source knows of but cannot read. */
  readonly unreadable: readonly ItemFailure[];
  /** By index: items that want to hear when they are done. Those told are taken out. */
  readonly settled: Map<number, SourceItem>;
}

/** A batch ends at this many bytes of input, where sizes are known. */
const BATCH_BYTES = 64 * 2 ** 20;

/** Batches of at most `size` items, in the order of the source. */
export async function* batchItems(
  sourceItems: AsyncIterable<SourceItem | UnreadableItem>,
  size: number,
): AsyncGenerator<Batch> {
  let items: NumberedItem[] = [];
  let unreadable: ItemFailure[] = [];
  let settled: Batch['settled'] = new Map();
  let bytes = 0;
  let index = 0;
  for await (const item of sourceItems) {
    if ('error' in item) unreadable.push(describeFailure(item.error, { uri: item.uri, index, stage: 'read' }));
    else {
      const { settled: whenSettled, partlySettled: _, ...plain } = item;
      items.push({ ...plain, index });
      if (whenSettled !== undefined) settled.set(index, item);
      bytes += item.size ?? 0;
    }
    index += 1;
    if (items.length + unreadable.length < size && bytes < BATCH_BYTES) continue;
    yield { items, unreadable, settled };
    items = [];
    unreadable = [];
    settled = new Map();
    bytes = 0;
  }
  if (items.length + unreadable.length > 0) yield { items, unreadable, settled };
}
