/** The inline trees of all functions of one image, wherever the linker put them: up to Go 1.25 into .rodata, since then into the table. */
import { FormatError } from '../errors.js';
import type { ObjectImage } from '../image.js';
import { type InlinedCall, inlinedCallBytes, isPlausible, readInlinedCall } from './inline-tree.js';
import type { GoLayout } from './table.js';

/** Trees outside of the table are read in pieces, some of which are kept. */
const PIECE_BYTES = 1 << 18;
const MAX_PIECES = 32;

export class InlineTrees {
  readonly #image: ObjectImage;
  readonly #tableAddress: number;
  readonly #table: DataView;
  readonly #layout: GoLayout;
  readonly #names: Uint8Array;
  /** By object address of their first byte, a multiple of PIECE_BYTES. */
  readonly #pieces = new Map<number, DataView>();

  /**
   * @param tableAddress object address of the function table
   * @param names the table's function names
   */
  constructor(image: ObjectImage, tableAddress: number, table: DataView, layout: GoLayout, names: Uint8Array) {
    this.#image = image;
    this.#tableAddress = tableAddress;
    this.#table = table;
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
    const objectAddress = tree + row * inlinedCallBytes(this.#layout);
    const call =
      readInlinedCall(this.#table, objectAddress - this.#tableAddress, this.#layout) ??
      this.#callOutside(objectAddress);
    if (call !== undefined && isPlausible(call, this.#names, codeBytes)) return call;
    throw new FormatError('E_GO_INLINE_TREE', 'row of the inline tree is spoilt', {
      section: 'inline tree',
      offset: objectAddress,
      got: row,
    });
  }

  #callOutside(objectAddress: number): InlinedCall | undefined {
    const start = Math.floor(objectAddress / PIECE_BYTES) * PIECE_BYTES;
    let piece = this.#pieces.get(start);
    if (piece === undefined) {
      piece = this.#view(start, PIECE_BYTES);
      if (this.#pieces.size === MAX_PIECES) this.#pieces.delete(this.#pieces.keys().next().value!);
      this.#pieces.set(start, piece);
    }
    const call = readInlinedCall(piece, objectAddress - start, this.#layout);
    // At the border of two pieces, or in one that begins before its segment.
    return call ?? readInlinedCall(this.#view(objectAddress, inlinedCallBytes(this.#layout)), 0, this.#layout);
  }

  #view(objectAddress: number, length: number): DataView {
    const { buffer, byteOffset, byteLength } = this.#image.bytesAt(objectAddress, length);
    return new DataView(buffer, byteOffset, byteLength);
  }
}
