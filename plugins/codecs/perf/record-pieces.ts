/** The bytes of a recording from its first record on, in pieces of a MiB or less. */
import type { ByteInput } from '../../../core/index.js';
import type { RecordStore } from './record-store.js';

const STEP_BYTES = 2 ** 20;

/** What comes in order. @param head the start of it, read before */
export async function* piecesBehind(head: Uint8Array, pieces: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  let piece: Uint8Array | undefined = head;
  while (piece !== undefined) {
    for (let at = 0; at < piece.length; at += STEP_BYTES) yield piece.subarray(at, at + STEP_BYTES);
    const next: IteratorResult<Uint8Array> = await pieces.next();
    piece = next.done === true ? undefined : next.value;
  }
}

/** What can be read at any place: into blocks of the store, where its records may stay, each while the one before is worked on. */
export async function* piecesInStore(
  readInto: NonNullable<ByteInput['readInto']>,
  offset: number,
  store: RecordStore,
): AsyncGenerator<Uint8Array> {
  let at = offset;
  const readNext = () => {
    const block = store.room();
    const reading = readInto(at, block.bytes);
    // It may fail before it is waited for.
    reading.catch(() => {});
    return { block, reading };
  };
  let next = readNext();
  try {
    for (;;) {
      const { block, reading } = next;
      const length = await reading;
      if (length === 0) return;
      at += length;
      next = readNext();
      store.takeRead(block);
      yield block.bytes.subarray(0, length);
    }
  } finally {
    store.takeRead(undefined);
    // Who leaves early closes the file next.
    await next.reading.catch(() => {});
  }
}
