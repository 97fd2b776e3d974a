/** What becomes of a column, as kernels/encode and its host have it. Read by both compilers, so there are no types here. */

/** 32 bits; 0 is left out. */
export const SHORT = 0;
/** 64 bits; 0 is left out. */
export const WIDE = 1;
/** A bit of a byte, which the parameter is; 0 is left out. */
export const FLAG = 2;
/** The row's own id. */
export const ID = 3;
/** A row of another table, which has as many rows as the parameter is, by its id; a row beyond them is left out. */
export const REFERENCE = 4;
/** Rows of another message, which the parameter is. */
export const CHILD = 5;
/** Rows of another table by their ids, packed. */
export const PACKED_REFERENCES = 6;
/** As many 64-bit numbers a row as the parameter is, packed. */
export const PACKED_WIDE = 7;
/** Unknown fields: as they are. */
export const RAW = 8;

/** Messages have the numbers of UnknownIn; none has as many fields. */
export const MESSAGES = 9;
export const FIELDS = 16;
