/** Numbers that kernels/dwarf and its host agree on. Read by both compilers, so there are no types here. */

/** The attributes that symbolizing needs, each a field of a DIE that is read. */
export const LOW_PC = 0;
export const HIGH_PC = 1;
export const RANGES = 2;
export const NAME = 3;
export const LINKAGE_NAME = 4;
export const ORIGIN = 5;
export const SPECIFICATION = 6;
export const DECLARATION_LINE = 7;
export const CALL_FILE = 8;
export const CALL_LINE = 9;
export const CALL_COLUMN = 10;
export const LINE_TABLE = 11;
export const COMPILATION_FOLDER = 12;
export const STRING_OFFSETS_BASE = 13;
export const ADDRESS_BASE = 14;
export const RANGE_LISTS_BASE = 15;
export const GNU_RANGES_BASE = 16;
export const DWO_NAME = 17;
export const GNU_DWO_ID = 18;
export const SIBLING = 19;
export const FIELD_COUNT = 20;

/** How long values are where that is no fixed number of bytes. */
export const LEB = -1;
export const TEXT = -2;
export const BLOCK1 = -3;
export const BLOCK2 = -4;
export const BLOCK4 = -5;
export const BLOCK = -6;
export const INDIRECT = -7;
export const UNKNOWN = -8;

/** Forms and attributes have two ranges of numbers each: that of the standard, and one that is GNU's and others'. */
export const LOW_NUMBERS = 128;
export const FIRST_GNU_FORM = 0x1f00;
export const FORM_NUMBERS = 256;
export const FIRST_GNU_ATTRIBUTE = 0x2000;
export const ATTRIBUTE_NUMBERS = 640;

/** What may be wrong. */
export const CODE_NOT_IN_TABLE = 1;
export const FORM_NOT_IN_TABLE = 2;
export const TABLE_TRUNCATED = 3;
export const FORM_NOT_KNOWN = 4;
export const UNIT_TRUNCATED = 5;
export const FUNCTION_TRUNCATED = 6;
export const FILES_TRUNCATED = 7;
