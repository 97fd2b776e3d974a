/** A source's items, numbered and put together into tasks. */
import { describeFailure, type ItemFailure } from './errors.js';
import type { Source } from './plugin.js';
import type { NumberedItem } from './protocol.js';

export interface Batch {
  readonly items: readonly NumberedItem[];
  /** Items that the source knows of but cannot read. */
  readonly unreadable: readonly ItemFailure[];
}

/** A batch ends at this many bytes of input, where sizes are known. */
const BATCH_BYTES = 64 * 2 ** 20;

/** Batches of at most `size` items, in the order of the source. */
export async function* batchItems(source: Source, size: number): AsyncGenerator<Batch> {
  let items: NumberedItem[] = [];
  let unreadable: ItemFailure[] = [];
  let bytes = 0;
  let index = 0;
  for await (const item of source.items()) {
    if ('error' in item) unreadable.push(describeFailure(item.error, { uri: item.uri, index, stage: 'read' }));
    else {
      items.push({ ...item, index });
      bytes += item.size ?? 0;
    }
    index += 1;
    if (items.length + unreadable.length < size && bytes < BATCH_BYTES) continue;
    yield { items, unreadable };
    items = [];
    unreadable = [];
    bytes = 0;
  }
  if (items.length + unreadable.length > 0) yield { items, unreadable };
}
