import { allocate, blockSize, release } from '../memory';

/** Bytes that may be read and written behind a column, so that strings are copied by eight. */
const SLACK: u32 = 8;

const LARGEST_STEP: u64 = 1 << 28;

/** A growing block of bytes: records of one size, or strings. Its data is elsewhere after `reserve`. */
@unmanaged
export class Column {
  data: usize;
  /** Bytes. */
  length: u32;
  capacity: u32;

  get end(): usize {
    return this.data + this.length;
  }

  /**
   * Makes room for `bytes` more. A full column becomes sixteen times as large, up to a limit: what it does not use of that takes no
   * memory, but what it leaves behind does.
   */
  reserve(bytes: u32): void {
    const capacity = this.capacity;
    const wanted = u64(this.length) + bytes + SLACK;
    if (wanted <= capacity) return;
    const size = u32(min<u64>(max<u64>(wanted, u64(capacity) + min(15 * u64(capacity), LARGEST_STEP)), u32.MAX_VALUE));
    const grown = allocate(size);
    memory.copy(grown, this.data, this.length);
    if (capacity > 0) release(this.data, capacity);
    this.data = grown;
    this.capacity = u32(blockSize(size));
  }
}
