/** Numbers that kernels/symbols and its host have in common. Of aliases the symbol with the lowest sum of ranks wins. */

export const LOCAL = 1;
export const UNTYPED = 2;
/** Of a symbol whose size is not known; its end is then that of its section. */
export const UNSIZED = 16;
/** In place of a rank: of a symbol that is left out. */
export const DROPPED = 255;
/** In place of the row of a range: no symbol is there. */
export const NO_SYMBOL = 0xffffffff;
