/** The rows of one message: what its fields are, for the kernel, and the columns that they end in. */
import { type Block, type BlockType, Column, type Loan, SparseColumn } from './columns.js';
import { bytesTag, varintTag } from './fields.js';
import { IdTable, ReferenceColumn } from './ids.js';
import {
  CHILD,
  FLAG,
  ID,
  PACKED_STACK,
  PACKED_VALUES,
  RARE,
  REFERENCE,
  STACK,
  STRING,
  VALUE,
  WIDE,
  WRONG_TYPE,
} from './kernel-codes.js';
import { Staged } from './staged.js';

/** A row's tag and its length: what it takes at least. */
export const ROW_BYTES = 2;

/** What a tag means, as the kernel has it. */
export interface TagMeaning {
  readonly tag: number;
  readonly kind: number;
  readonly column?: Staged<Block> | undefined;
  readonly parameter?: number;
}

/** What the kernel says of a table when its rows are taken. */
export interface RowsTaken {
  /** Rows of the profile before these. */
  readonly before: number;
  readonly count: number;
  readonly maxReference: number;
  readonly hasOtherIds: boolean;
  readonly hasRare: boolean;
}

export class KernelTable {
  length = 0;
  readonly message: number;
  readonly meanings: TagMeaning[] = [];
  readonly staged: Staged<Block>[] = [];
  ids: { readonly staged: Staged<BigUint64Array>; readonly table: IdTable } | undefined;
  references: { readonly staged: Staged<Uint32Array>; readonly column: ReferenceColumn } | undefined;
  startsAt: Staged<Uint32Array> | undefined;
  readonly #loan: Loan;
  readonly #columns: { clear(): void }[] = [];
  readonly #moves: ((rows: RowsTaken) => void)[] = [];

  /** @param names of the message's fields, by number */
  constructor(message: number, names: readonly string[], loan: Loan) {
    this.message = message;
    this.#loan = loan;
    for (let tag = 8; tag < names.length * 8; tag++) this.meanings.push({ tag, kind: WRONG_TYPE });
  }

  /** Moves rows into the columns. */
  take(rows: RowsTaken): void {
    this.length = rows.before + rows.count;
    for (const move of this.#moves) move(rows);
  }

  /** Counts rows that are not wanted. */
  skip({ before, count }: RowsTaken): void {
    this.length = before + count;
    for (const column of this.staged) column.clear(count);
  }

  /** Forgets all rows, and those that the kernel has staged or begun. @param staged how many */
  clear(staged: number): void {
    this.length = 0;
    for (const column of this.#columns) column.clear();
    for (const column of this.staged) column.clear(staged + 1);
  }

  string(field: number): Column<Uint32Array> {
    return this.#field(field, STRING, Uint32Array);
  }

  wide(field: number): Column<BigUint64Array> {
    return this.#field(field, WIDE, BigUint64Array);
  }

  /** A number that is 0 in nearly all rows. */
  rare(field: number): SparseColumn<BigUint64Array> {
    const column = new SparseColumn(BigUint64Array);
    this.#columns.push(column);
    const staged = this.#stage(BigUint64Array, true);
    this.meanings.push({ tag: varintTag(field), kind: RARE, column: staged });
    this.#moves.push(({ before, count, hasRare }) => {
      if (hasRare) staged.take(count, (block) => column.room(before + count).set(block, before));
    });
    return column;
  }

  /** Fields that are bits of one byte. @param bits by field */
  flags(bits: readonly (readonly [field: number, bit: number])[]): Column<Uint8Array> {
    const column = new Column(Uint8Array, this.#loan);
    const staged = this.#append(column, true);
    for (const [field, bit] of bits) {
      this.meanings.push({ tag: varintTag(field), kind: FLAG, column: staged, parameter: bit });
    }
    return column;
  }

  /** @param section of the rows in errors: "Profile.location" */
  id(field: number, section: string): IdTable {
    const table = new IdTable(section);
    const staged = this.#stage(BigUint64Array, false);
    this.ids = { staged, table };
    this.#columns.push(table);
    this.meanings.push({ tag: varintTag(field), kind: ID });
    this.#moves.push(({ count, hasOtherIds }) => {
      if (hasOtherIds) staged.take(count, (block) => table.append(block));
      else table.length += count;
    });
    return table;
  }

  reference(field: number): ReferenceColumn {
    const column = new ReferenceColumn(this.#loan);
    const staged = this.#append(column.rows, false);
    this.references = { staged, column };
    this.#columns.push(column);
    this.meanings.push({ tag: varintTag(field), kind: REFERENCE });
    this.#moves.push(({ maxReference }) => {
      column.max = maxReference;
    });
    return column;
  }

  /** Rows of another table within these rows. */
  child(field: number, children: KernelTable): void {
    this.meanings.push({ tag: bytesTag(field), kind: CHILD, parameter: children.message });
  }

  /** The same, and where those of each row start. */
  starts(field: number, children: KernelTable): Column<Uint32Array> {
    this.child(field, children);
    return this.ownStarts();
  }

  /** Where what a row has starts that is in no table: its stack, its bytes. */
  ownStarts(): Column<Uint32Array> {
    const column = new Column(Uint32Array, this.#loan);
    this.startsAt = this.#append(column, false);
    return column;
  }

  /** Location ids and values. */
  numbers(stackField: number, valueField: number): void {
    this.meanings.push(
      { tag: varintTag(stackField), kind: STACK },
      { tag: bytesTag(stackField), kind: PACKED_STACK },
      { tag: varintTag(valueField), kind: VALUE },
      { tag: bytesTag(valueField), kind: PACKED_VALUES },
    );
  }

  #field<T extends Block>(field: number, kind: number, type: BlockType<T>): Column<T> {
    const column = new Column(type, this.#loan);
    this.meanings.push({ tag: varintTag(field), kind, column: this.#append(column, true) });
    return column;
  }

  #append<T extends Block>(column: Column<T>, isCleared: boolean): Staged<T> {
    const staged = this.#stage(column.type, isCleared);
    this.#columns.push(column);
    this.#moves.push(({ count }) => staged.take(count, (block) => column.append(block)));
    return staged;
  }

  #stage<T extends Block>(type: BlockType<T>, isCleared: boolean): Staged<T> {
    const staged = new Staged(type, 1 / ROW_BYTES, isCleared);
    this.staged.push(staged);
    return staged;
  }
}
