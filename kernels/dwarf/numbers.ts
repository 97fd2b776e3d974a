/** Numbers of the standard that DIEs are read by, by its names. Source: DWARF 5, tables 7.3 and 7.6. */

// Tags.
export const INLINED_SUBROUTINE: u32 = 0x1d;
export const SUBPROGRAM: u32 = 0x2e;

// Forms.
export const ADDRESS: u32 = 0x01;
export const STRING: u32 = 0x08;
export const SDATA: u32 = 0x0d;
export const REF1: u32 = 0x11;
export const REF_UDATA: u32 = 0x15;
export const FORM_INDIRECT: u32 = 0x16;
export const FLAG_PRESENT: u32 = 0x19;
export const ADDRX: u32 = 0x1b;
export const DATA16: u32 = 0x1e;
export const REF_SIGNATURE8: u32 = 0x20;
export const RNGLISTX: u32 = 0x23;
export const IMPLICIT_CONST: u32 = 0x21;
export const ADDRX1: u32 = 0x29;
export const ADDRX4: u32 = 0x2c;
export const GNU_ADDRESS_INDEX: u32 = 0x1f01;
