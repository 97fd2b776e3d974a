/**
 * Memory given back before the garbage collector comes by. It waits for objects, of which columns and inflated files have few; meanwhile
 * their bytes, which nobody reads any more, are a tenth of what a run takes.
 */

/** Whatever goes there is gone: a closed port takes what is transferred, and passes it to nobody. */
let nowhere: { postMessage(message: null, transfer: readonly ArrayBuffer[]): void } | undefined;

/** @param buffers that nobody reads any more: their views are empty from here on. Those that are shared with other threads stay */
export function giveBack(buffers: Iterable<ArrayBufferLike>): void {
  nowhere ??= closedPort();
  nowhere.postMessage(
    null,
    [...new Set(buffers)].filter((buffer) => buffer instanceof ArrayBuffer),
  );
}

function closedPort() {
  const { port1 } = new MessageChannel();
  port1.close();
  return port1;
}
