/** The memory of bytes as a view that reads and writes four at once: an access costs the same, whatever its width. */
export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}
