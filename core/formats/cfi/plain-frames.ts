/**
 * Frame descriptions as compilers write nearly all of them, read without a cursor: a library has thousands, and all of them are gone
 * through before the first is asked for. Whatever is unusual of an entry is left to `EntryReader`.
 *
 *     length u32 | CIE pointer u32 | start i32, from its own place | size i32 | bytes of augmentation u8 | …
 */
import type { CommonEntry } from './entry.js';
import type { CfiSection } from './section.js';

/** DW_EH_PE_pcrel | DW_EH_PE_sdata4 */
const RELATIVE_INT32 = 0x1b;
/** Longer ones are not plain: up to 0xffffffff, which says that another length follows. */
const MAX_LENGTH = 0x7fffffff;
const HEAD_BYTES = 17;

export class PlainFrames {
  readonly #section: CfiSection;
  readonly #view: DataView;
  /** Offsets of the CIEs whose FDEs are written as above. */
  readonly #commons = new Set<number>();
  /** Of the last entry that was plain: object address, bytes of code. */
  start = 0;
  size = 0;

  constructor(section: CfiSection) {
    const { bytes } = section;
    this.#section = section;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** A CIE that could be read. */
  learn({ offset, pointerEncoding, augmentation }: CommonEntry): void {
    const isPlain = this.#section.isEhFrame && pointerEncoding === RELATIVE_INT32 && augmentation.startsWith('z');
    if (isPlain) this.#commons.add(offset);
  }

  /** @returns the offset behind the entry; 0 for one that is not plain, of a CIE that was not learnt */
  read(offset: number): number {
    const view = this.#view;
    if (this.#commons.size === 0 || offset + HEAD_BYTES > view.byteLength) return 0;
    const length = view.getUint32(offset, true);
    const end = offset + 4 + length;
    if (length > MAX_LENGTH || end > view.byteLength || end < offset + HEAD_BYTES) return 0;
    const pointer = view.getUint32(offset + 4, true);
    if (pointer === 0 || !this.#commons.has(offset + 4 - pointer)) return 0;
    const size = view.getInt32(offset + 12, true);
    const augmentationBytes = view.getUint8(offset + 16);
    if (size < 0 || augmentationBytes >= 0x80 || offset + HEAD_BYTES + augmentationBytes > end) return 0;
    this.start = this.#section.objectAddress + offset + 8 + view.getInt32(offset + 8, true);
    this.size = size;
    return end;
  }
}
