/** Forms: how long the value of an attribute is. Source: DWARF 5, 7.5.5 and 7.5.6. */
import { FormatError, type FormatErrorPlace } from '../errors.js';
import { Form } from './constants.js';
import { BLOCK, BLOCK1, BLOCK2, BLOCK4, INDIRECT, LEB, TEXT } from './kernel-codes.js';

/** What the size of a value depends on beside its form. */
export interface Encoding {
  readonly version: number;
  /** 4 in the 32-bit format of DWARF, 8 in the 64-bit one. */
  readonly offsetBytes: 4 | 8;
  readonly addressBytes: 4 | 8;
}

const FIXED: { readonly [form: number]: number } = {
  [Form.data1]: 1,
  [Form.data2]: 2,
  [Form.data4]: 4,
  [Form.data8]: 8,
  [Form.data16]: 16,
  [Form.flag]: 1,
  [Form.flagPresent]: 0,
  [Form.implicitConst]: 0,
  [Form.ref1]: 1,
  [Form.ref2]: 2,
  [Form.ref4]: 4,
  [Form.ref8]: 8,
  [Form.refSup4]: 4,
  [Form.refSup8]: 8,
  [Form.refSignature8]: 8,
  [Form.strx1]: 1,
  [Form.strx2]: 2,
  [Form.strx3]: 3,
  [Form.strx4]: 4,
  [Form.addrx1]: 1,
  [Form.addrx2]: 2,
  [Form.addrx3]: 3,
  [Form.addrx4]: 4,
};

const VARIABLE: { readonly [form: number]: number } = {
  [Form.udata]: LEB,
  [Form.sdata]: LEB,
  [Form.refUdata]: LEB,
  [Form.strx]: LEB,
  [Form.addrx]: LEB,
  [Form.loclistx]: LEB,
  [Form.rnglistx]: LEB,
  [Form.gnuAddressIndex]: LEB,
  [Form.gnuStringIndex]: LEB,
  [Form.string]: TEXT,
  [Form.block1]: BLOCK1,
  [Form.block2]: BLOCK2,
  [Form.block4]: BLOCK4,
  [Form.block]: BLOCK,
  [Form.expression]: BLOCK,
  [Form.indirect]: INDIRECT,
};

/** @returns bytes of the value, or the layout of one that is of no fixed size, of kernel-codes.ts; undefined for a form that is not known */
export function formLayout(form: number, { version, offsetBytes, addressBytes }: Encoding): number | undefined {
  switch (form) {
    case Form.address:
      return addressBytes;
    case Form.refAddress:
      return version === 2 ? addressBytes : offsetBytes;
    case Form.strp:
    case Form.lineStrp:
    case Form.strpSup:
    case Form.sectionOffset:
    case Form.gnuRefAlternate:
    case Form.gnuStrpAlternate:
      return offsetBytes;
    default:
      return FIXED[form] ?? VARIABLE[form];
  }
}

export function unknownForm(form: number, place: FormatErrorPlace): FormatError {
  const got = `0x${form.toString(16)}`;
  return new FormatError('E_DWARF_FORM', 'form not known, so nothing behind it can be read', { ...place, got });
}
