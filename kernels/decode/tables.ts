/** Tables and the fields of their messages, as the host describes them: what is where in the memory. */
import { MESSAGES } from '../../plugins/codecs/pprof/kernel-codes';

/** The rows of one message. They are staged: the host takes them from time to time, into columns of its own. */
export class Table {
  /** Rows that are staged, and those of the same profile that were taken. */
  rows!: u32;
  taken!: u32;
  /** Where staged rows go, if the message has any: ids, references less one, and where what is theirs in other tables starts. */
  ids!: usize;
  references!: usize;
  starts!: usize;
  /** The largest reference less one, as unsigned: 0 becomes the largest of all. */
  maxReference!: u32;
  /** Whether any row has another id than its number + 1. */
  hasOtherIds!: u32;
  /** Whether any RARE field is not 0. */
  hasRare!: u32;
}

/** What a tag below TAGS means in a message. */
export class Field {
  kind!: i32;
  /** Where the field of the first staged row is. */
  column!: usize;
  parameter!: u32;
  padding!: u32;
}

const TAGS = 128;

export const tables: usize = memory.data(MESSAGES * offsetof<Table>(), 8);
export const fields: usize = memory.data(MESSAGES * TAGS * offsetof<Field>(), 8);

export function tableOf(message: i32): Table {
  return changetype<Table>(tables + message * offsetof<Table>());
}

/** @param tag below TAGS */
export function fieldOf(message: i32, tag: u32): Field {
  return changetype<Field>(fields + (message * TAGS + tag) * offsetof<Field>());
}

/** The rows that are staged have been taken. */
export function takeRows(): void {
  for (let message = 0; message < MESSAGES; message++) {
    const table = tableOf(message);
    table.taken += table.rows;
    table.rows = 0;
  }
}

export function forgetRows(): void {
  for (let message = 0; message < MESSAGES; message++) {
    const table = tableOf(message);
    table.rows = 0;
    table.taken = 0;
    table.maxReference = 0;
    table.hasOtherIds = 0;
    table.hasRare = 0;
  }
}
