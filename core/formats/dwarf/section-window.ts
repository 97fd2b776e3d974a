/** A section that is read here and there: a small one is held whole, of a large one the part that was asked for last. */
import { FormatError } from '../errors.js';
import { defaultLimits } from '../limits.js';
import type { ByteSource } from '../source.js';
import { DwarfCursor } from './cursor.js';

/** Sections up to this size are read at once. */
const MAX_WHOLE_BYTES = 1 << 24;
/** What is read at least of a larger one. */
const WINDOW_BYTES = 1 << 14;

const utf8 = new TextDecoder();

export class SectionWindow {
  readonly name: string;
  /** Of the section. */
  readonly size: number;
  readonly #source: ByteSource;
  #bytes: Uint8Array = new Uint8Array(0);
  /** Offset of `#bytes` into the section. */
  #start = 0;

  constructor(source: ByteSource, name: string) {
    this.#source = source;
    this.name = name;
    this.size = source.size;
  }

  get heldBytes(): number {
    return this.#bytes.length;
  }

  /** A cursor at an offset, on at least so many bytes, or all up to the section's end. @throws FormatError E_TRUNCATED for an offset behind the end */
  cursorAt(offset: number, length: number): DwarfCursor {
    const position = this.#seek(offset, length);
    const cursor = new DwarfCursor(this.#bytes, this.name, this.#start);
    cursor.position = position;
    return cursor;
  }

  /** The text at an offset, up to its NUL. @throws FormatError E_TRUNCATED for one without, E_LIMIT */
  text(offset: number): string {
    for (let length = 256; ; length *= 16) {
      const position = this.#seek(offset, length);
      const end = this.#bytes.indexOf(0, position);
      if (end >= 0 && end - position <= defaultLimits.stringBytes)
        return utf8.decode(this.#bytes.subarray(position, end));
      if (length > defaultLimits.stringBytes || this.#start + this.#bytes.length === this.size) {
        const code = length > defaultLimits.stringBytes || end >= 0 ? 'E_LIMIT' : 'E_TRUNCATED';
        throw new FormatError(code, 'text without end', {
          section: this.name,
          offset,
          limit: defaultLimits.stringBytes,
        });
      }
    }
  }

  /**
   * Brings the bytes at an offset into memory: at least `length` of them, or all up to the section's end.
   * @returns where in `#bytes` they begin @throws FormatError E_TRUNCATED for an offset behind the end
   */
  #seek(offset: number, length: number): number {
    const position = offset - this.#start;
    const held = this.#bytes.length;
    if (position >= 0 && position <= held && (length <= held - position || this.#start + held === this.size)) {
      return position;
    }
    if (!(offset >= 0 && offset <= this.size)) {
      throw new FormatError('E_TRUNCATED', 'offset lies behind the end of the section', {
        section: this.name,
        offset,
        limit: this.size,
      });
    }
    const isWhole = this.size <= MAX_WHOLE_BYTES;
    this.#start = isWhole ? 0 : offset;
    const wanted = isWhole ? this.size : Math.min(Math.max(length, WINDOW_BYTES), this.size - offset);
    this.#bytes = this.#source.read(this.#start, wanted, this.name);
    return offset - this.#start;
  }
}
