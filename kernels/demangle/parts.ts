/** Bits: which parts of a name are written. Within template arguments and a lambda's signature, parameters and templates always are. */

export const PARAMETERS: u32 = 1;
export const TEMPLATES: u32 = 2;
export const RETURN_TYPES: u32 = 4;
