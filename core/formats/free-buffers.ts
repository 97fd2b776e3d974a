/**
 * Memory freed before the garbage collector comes by. It waits for objects, of which columns and inflated files have few; meanwhile
 * their bytes, which nobody reads any more, are a tenth of what a run takes.
 */

/** Whatever goes there is gone: a closed port takes what is transferred, and passes it to nobody. */
let nowhere: { postMessage(message: null, transfer: readonly ArrayBuffer[]): void } | undefined;

/**
 * @param buffers that nobody reads any more: their views are empty from here on. Those that are shared with other threads stay, and so do
 *   small ones: one may be the pool that Node cuts small Buffers from
 */
export function freeBuffers(buffers: Iterable<ArrayBufferLike>): void {
  const own = [...new Set(buffers)].filter(
    (buffer): buffer is ArrayBuffer => buffer instanceof ArrayBuffer && buffer.byteLength > Buffer.poolSize,
  );
  if (own.length === 0) return;
  nowhere ??= closedPort();
  nowhere.postMessage(null, own);
}

function closedPort() {
  const { port1 } = new MessageChannel();
  port1.close();
  return port1;
}
