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
  #cursor: DwarfCursor;

  constructor(source: ByteSource, name: string) {
    this.#source = source;
    this.name = name;
    this.size = source.size;
    this.#cursor = new DwarfCursor(new Uint8Array(0), name);
  }

  get heldBytes(): number {
    return this.#cursor.bytes.length;
  }

  /**
   * At an offset, with at least `length` bytes behind it, or all up to the section's end. Good until the next call.
   * @throws FormatError E_TRUNCATED for an offset behind the end
   */
  cursorAt(offset: number, length: number): DwarfCursor {
    const position = this.#seek(offset, length);
    this.#cursor.position = position;
    return this.#cursor;
  }

  /** The text at an offset, up to its NUL. @throws FormatError E_TRUNCATED for one without, E_LIMIT */
  text(offset: number): string {
    for (let length = 256; ; length *= 16) {
      const position = this.#seek(offset, length);
      const { bytes, start } = this.#cursor;
      const end = bytes.indexOf(0, position);
      if (end >= 0 && end - position <= defaultLimits.stringBytes) return utf8.decode(bytes.subarray(position, end));
      const isOver = length > defaultLimits.stringBytes || end >= 0;
      if (isOver || start + bytes.length === this.size) {
        throw new FormatError(isOver ? 'E_LIMIT' : 'E_TRUNCATED', 'text without end', {
          section: this.name,
          offset,
          limit: defaultLimits.stringBytes,
        });
      }
    }
  }

  /** Brings bytes into memory, and puts the cursor on them. @returns where in them the offset is */
  #seek(offset: number, length: number): number {
    const { bytes, start } = this.#cursor;
    const position = offset - start;
    const held = bytes.length;
    if (position >= 0 && position <= held && (length <= held - position || start + held === this.size)) return position;
    if (!(offset >= 0 && offset <= this.size)) {
      throw new FormatError('E_TRUNCATED', 'offset lies behind the end of the section', {
        section: this.name,
        offset,
        limit: this.size,
      });
    }
    const isWhole = this.size <= MAX_WHOLE_BYTES;
    const from = isWhole ? 0 : offset;
    const wanted = isWhole ? this.size : Math.min(Math.max(length, WINDOW_BYTES), this.size - offset);
    this.#cursor = new DwarfCursor(this.#source.read(from, wanted, this.name), this.name, from);
    return offset - from;
  }
}
