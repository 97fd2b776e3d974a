/** What the messages consist of, as the host says it for the rows at hand. */
import { FIELDS, MESSAGES } from '../../plugins/codecs/pprof/encode-codes';

/**
 * One field of a message. Addresses are those that row 0 would have if it were at hand, so that rows have the numbers that they have in
 * the profile.
 */
export class Field {
  kind!: i32;
  tag!: u32;
  column!: usize;
  /** Of what is not one entry a row: where each row's entries start. */
  starts!: usize;
  /** Of references: ids of the other table; 0 where row r has id r + 1. */
  ids!: usize;
  parameter!: u32;
  /** Bytes that the length of this field took last: the next one probably takes as many. */
  lengthBytes!: u32;
  padding!: u32;
}

export const fields: usize = memory.data(MESSAGES * FIELDS * offsetof<Field>(), 8);
/** How many fields each message has. */
export const counts: usize = memory.data(MESSAGES * sizeof<u32>(), 4);

/** Address of a message's first field. */
export function fieldsOf(message: u32): usize {
  return fields + message * FIELDS * offsetof<Field>();
}

/** Behind its last one. */
export function endOf(message: u32): usize {
  return fieldsOf(message) + load<u32>(counts + message * sizeof<u32>()) * offsetof<Field>();
}
