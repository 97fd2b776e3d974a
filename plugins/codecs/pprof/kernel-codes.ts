/** Numbers that kernels/decode and its host agree on. Read by both compilers, so there are no types here. */

/** What becomes of a field's number or bytes. The first two are no fields of the message. */
export const UNKNOWN = 0;
/** A known field, in another wire type than it has. */
export const WRONG_TYPE = 1;
/** The row's own id. */
export const ID = 2;
/** An id of another table's row: one field of a message at most. */
export const REFERENCE = 3;
/** A row of the string table, in 32 bits. */
export const STRING = 4;
/** A number, in 64 bits. */
export const WIDE = 5;
/** The same of a field that is 0 in nearly all rows: the table notes when one is not. */
export const RARE = 6;
/** A bit of a byte, which the parameter is. */
export const FLAG = 7;
/** A row of another message, which the parameter is. */
export const CHILD = 8;
/** Location ids and values of a sample: one, or packed. */
export const STACK = 9;
export const PACKED_STACK = 10;
export const VALUE = 11;
export const PACKED_VALUES = 12;

/** Messages: numbers of UnknownIn; the string table is none, but has rows too. */
export const PROFILE = 0;
export const SAMPLE = 3;
export const LABEL = 4;
export const LOCATION = 6;
export const LINE = 7;
export const STRING_TABLE = 9;
export const MESSAGES = 10;

/** What may be wrong with a row. */
export const NUMBER_TRUNCATED = 0;
export const TAG_TRUNCATED = 1;
export const FIXED_TRUNCATED = 2;
export const NUMBER_TOO_LONG = 3;
export const TAG_TOO_LONG = 4;
export const LENGTH_TOO_LARGE = 5;
export const FIELD_ZERO = 6;
export const KNOWN_WIRE_TYPE = 7;
export const UNKNOWN_WIRE_TYPE = 8;
export const NO_STRING_INDEX = 9;
export const TOO_MANY_ROWS = 10;
export const TOO_DEEP = 11;
export const TOO_MANY_LABELS = 12;
export const STRING_TOO_LONG = 13;
export const FIRST_STRING_NOT_EMPTY = 14;
