/** Streams cannot cross threads: those of items that workers decode are held whole. */
import { Budget, type Limits } from '../../formats/limits.js';
import type { SourceItem, UnreadableItem } from '../contract/plugin.js';

/** The source's items, with the bytes of streams at hand; with an error for what cannot be read, or is larger than `fileBytes`. */
export async function* withHeldStreams(
  items: AsyncIterable<SourceItem | UnreadableItem>,
  limits: Partial<Limits>,
): AsyncGenerator<SourceItem | UnreadableItem> {
  for await (const item of items)
    yield 'data' in item && 'stream' in item.data ? hold(item, item.data.stream, limits) : item;
}

async function hold(
  item: SourceItem,
  stream: AsyncIterable<Uint8Array>,
  limits: Partial<Limits>,
): Promise<SourceItem | UnreadableItem> {
  const budget = new Budget(limits);
  const pieces: Uint8Array[] = [];
  try {
    for await (const piece of stream) {
      budget.spend('fileBytes', piece.length, { section: 'stream' });
      pieces.push(piece);
    }
    return { ...item, data: { bytes: Buffer.concat(pieces) } };
  } catch (error) {
    return { uri: item.uri, name: item.name, error: error as Error };
  }
}
