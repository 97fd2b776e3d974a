/** Bits of qualifiers of types and functions. */

export const CONST: u32 = 1;
export const VOLATILE: u32 = 2;
export const RESTRICT: u32 = 4;
export const LVALUE: u32 = 8;
export const RVALUE: u32 = 16;
