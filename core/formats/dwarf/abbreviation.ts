/**
 * `.debug_abbrev`: the shapes of DIEs, compiled to steps that skip one whole.
 * Source: DWARF 5, 7.5.3.
 */
import { FormatError } from '../errors.js';
import { Form, Tag } from './constants.js';
import type { DwarfCursor } from './cursor.js';
import { Field, fieldOf } from './field.js';
import { type Encoding, knownLayout } from './form.js';
import type { SectionWindow } from './section-window.js';

/** One declaration. */
export interface Abbreviation {
  readonly tag: number;
  readonly hasChildren: boolean;
  /** A function that has code, not only a declaration or an abstract instance. */
  readonly isConcreteFunction: boolean;
  /** An inlined call that says where the DIE behind all within it is: no function with code is among these. */
  readonly isCallWithSibling: boolean;
  /** Bytes of a DIE's attributes where they are always the same, else −1. */
  readonly fixedBytes: number;
  /** Steps over the attributes: bytes to skip, or a negative `Layout`. */
  readonly skip: readonly number[];
  /** Attribute, form and implicit constant, in a row. */
  readonly attributes: readonly number[];
  /** Of `field-plan.ts`, by `FieldSet`, made when first asked for. */
  readonly plans: (readonly number[] | undefined)[];
}

/** Codes up to here are looked up by index. */
const MAX_DENSE = 1 << 14;
/** Bytes of the longest declaration that is read. */
const MAX_DECLARATION_BYTES = 1 << 16;
/** Declarations that are known of one encoding; then they are gathered anew. */
const MAX_KNOWN = 1 << 14;

/** Declarations of one encoding by their bytes: units have each a table of their own, of much the same declarations. */
export type KnownDeclarations = Map<string, Abbreviation>;

/** One table of the section, read as far as codes are asked for. */
export class AbbreviationTable {
  /** By code, as far as they were read; for loops that cannot afford a call. */
  readonly dense: (Abbreviation | undefined)[] = [undefined];
  readonly #sparse = new Map<number, Abbreviation>();
  readonly #section: SectionWindow;
  readonly #encoding: Encoding;
  readonly #known: KnownDeclarations;
  /** Offset of the next declaration into the section; −1 behind the last. */
  #next: number;

  constructor(section: SectionWindow, offset: number, encoding: Encoding, known: KnownDeclarations) {
    this.#section = section;
    this.#next = offset;
    this.#encoding = encoding;
    this.#known = known;
  }

  /** @throws FormatError E_DWARF_ABBREV for a code that the table lacks, E_DWARF_FORM, E_TRUNCATED */
  get(code: number): Abbreviation {
    for (;;) {
      const found = code < MAX_DENSE ? this.dense[code] : this.#sparse.get(code);
      if (found !== undefined) return found;
      if (!this.#readNext()) {
        throw new FormatError('E_DWARF_ABBREV', 'abbreviation code not in its table', {
          section: this.#section.name,
          got: code,
        });
      }
    }
  }

  #readNext(): boolean {
    if (this.#next < 0) return false;
    const cursor = this.#section.cursorAt(this.#next, MAX_DECLARATION_BYTES);
    const code = cursor.uleb();
    if (code === 0) {
      this.#next = -1;
      cursor.check();
      return false;
    }
    const abbreviation = this.#readDeclaration(cursor);
    this.#next = cursor.start + cursor.position;
    if (code >= MAX_DENSE) {
      if (!this.#sparse.has(code)) this.#sparse.set(code, abbreviation);
      return true;
    }
    while (this.dense.length <= code) this.dense.push(undefined);
    this.dense[code] ??= abbreviation;
    return true;
  }

  #readDeclaration(cursor: DwarfCursor): Abbreviation {
    const { bytes, position } = cursor;
    skipDeclaration(cursor);
    const key = Buffer.from(bytes.buffer, bytes.byteOffset + position, cursor.position - position).toString('latin1');
    let abbreviation = this.#known.get(key);
    if (abbreviation === undefined) {
      cursor.position = position;
      abbreviation = readDeclaration(cursor, this.#encoding);
      if (this.#known.size === MAX_KNOWN) this.#known.clear();
      this.#known.set(key, abbreviation);
    }
    return abbreviation;
  }
}

/** @throws FormatError E_TRUNCATED */
function skipDeclaration(cursor: DwarfCursor): void {
  cursor.skipLeb();
  cursor.position++;
  for (;;) {
    const attribute = cursor.uleb();
    const form = cursor.uleb();
    if (form === Form.implicitConst) cursor.skipLeb();
    cursor.check();
    if (attribute === 0 && form === 0) break;
  }
}

/** @param cursor on one that `skipDeclaration` found whole */
function readDeclaration(cursor: DwarfCursor, encoding: Encoding): Abbreviation {
  const tag = cursor.uleb();
  const hasChildren = cursor.u8() !== 0;
  const attributes: number[] = [];
  const layouts: number[] = [];
  let hasCode = false;
  let hasSibling = false;
  for (;;) {
    const attribute = cursor.uleb();
    const form = cursor.uleb();
    const constant = form === Form.implicitConst ? cursor.sleb() : 0;
    if (attribute === 0 && form === 0) break;
    attributes.push(attribute, form, constant);
    layouts.push(knownLayout(form, encoding, cursor));
    const field = fieldOf(attribute);
    hasCode ||= field === Field.lowPc || field === Field.ranges;
    hasSibling ||= field === Field.sibling;
  }
  const skip = joinSkips(layouts);
  const isFixed = skip.length === 0 || (skip.length === 1 && skip[0]! >= 0);
  return {
    tag,
    hasChildren,
    isConcreteFunction: tag === Tag.subprogram && hasCode,
    isCallWithSibling: tag === Tag.inlinedSubroutine && hasSibling,
    fixedBytes: isFixed ? (skip[0] ?? 0) : -1,
    skip,
    attributes,
    plans: [undefined, undefined, undefined, undefined, undefined],
  };
}

/** Neighbours of fixed size become one step. */
function joinSkips(layouts: readonly number[]): number[] {
  const steps: number[] = [];
  for (const layout of layouts) {
    const last = steps.length - 1;
    if (layout >= 0 && last >= 0 && steps[last]! >= 0) steps[last]! += layout;
    else if (layout !== 0) steps.push(layout);
  }
  return steps;
}
