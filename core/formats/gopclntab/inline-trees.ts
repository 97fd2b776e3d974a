/** The inline trees of all functions of one image, wherever the linker put them: up to Go 1.25 into .rodata, since then into the table. */
import { FormatError } from '../errors.js';
import type { ObjectImage } from '../image.js';
import {
  EARLY_CALL_BYTES,
  type EarlyInlinedCall,
  isPlausibleEarlyCall,
  readEarlyInlinedCall,
} from './early-inline-tree.js';
import { type InlinedCall, inlinedCallBytes, isPlausible, readInlinedCall } from './inline-tree.js';
import type { GoLayout } from './table.js';
import type { TablePartBytes } from './table-part.js';

/** Trees outside of the table are read in pieces, some of which are kept. */
const PIECE_BYTES = 1 << 15;
const MAX_PIECES = 128;

export class InlineTrees {
  readonly #image: ObjectImage;
  readonly #heldAddress: number;
  readonly #held: DataView;
  readonly #layout: GoLayout;
  readonly #names: TablePartBytes;
  /** By object address of their first byte, a multiple of PIECE_BYTES. */
  readonly #pieces = new Map<number, DataView>();

  /**
   * @param heldAddress object address of what is held of the function table
   * @param names what names' offsets count from
   */
  constructor(image: ObjectImage, heldAddress: number, held: DataView, layout: GoLayout, names: TablePartBytes) {
    this.#image = image;
    this.#heldAddress = heldAddress;
    this.#held = held;
    this.#layout = layout;
    this.#names = names;
  }

  get heldBytes(): number {
    let bytes = 0;
    for (const { byteLength } of this.#pieces.values()) bytes += byteLength;
    return bytes;
  }

  /**
   * @param tree object address of a function's tree
   * @param codeBytes of that function
   * @throws FormatError E_GO_INLINE_TREE for a row that is none of an inline tree
   */
  call(tree: number, row: number, codeBytes: number): InlinedCall {
    const bytes = inlinedCallBytes(this.#layout);
    const call = this.#read(tree + row * bytes, bytes, (view, at) => readInlinedCall(view, at, this.#layout));
    if (call !== undefined && isPlausible(call, this.#names, codeBytes, this.#layout)) return call;
    throw spoilt(tree, row);
  }

  /** The same in a table of the layout of 1.2. */
  earlyCall(tree: number, row: number): EarlyInlinedCall {
    const call = this.#read(tree + row * EARLY_CALL_BYTES, EARLY_CALL_BYTES, readEarlyInlinedCall);
    if (call !== undefined && isPlausibleEarlyCall(call, row, this.#names)) return call;
    throw spoilt(tree, row);
  }

  /** @param read what is at an offset into a view; undefined when it does not end in it */
  #read<Call>(
    objectAddress: number,
    bytes: number,
    read: (view: DataView, at: number) => Call | undefined,
  ): Call | undefined {
    const inHeld = read(this.#held, objectAddress - this.#heldAddress);
    if (inHeld !== undefined) return inHeld;
    const start = Math.floor(objectAddress / PIECE_BYTES) * PIECE_BYTES;
    let piece = this.#pieces.get(start);
    if (piece === undefined) {
      piece = this.#view(start, PIECE_BYTES);
      if (this.#pieces.size === MAX_PIECES) this.#pieces.delete(this.#pieces.keys().next().value!);
      this.#pieces.set(start, piece);
    }
    // At the border of two pieces, or in one that begins before its segment.
    return read(piece, objectAddress - start) ?? read(this.#view(objectAddress, bytes), 0);
  }

  #view(objectAddress: number, length: number): DataView {
    const { buffer, byteOffset, byteLength } = this.#image.bytesAt(objectAddress, length);
    return new DataView(buffer, byteOffset, byteLength);
  }
}

function spoilt(tree: number, row: number): FormatError {
  return new FormatError('E_GO_INLINE_TREE', 'row of the inline tree is spoilt', {
    section: 'inline tree',
    offset: tree,
    got: row,
  });
}
