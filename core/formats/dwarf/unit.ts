/** A unit that is read: its first DIE at once, the rest when it is asked for. */
import { FormatError } from '../errors.js';
import type { AbbreviationTable } from './abbreviation.js';
import { DeadAddresses } from './address-ranges.js';
import { Form } from './constants.js';
import { DwarfCursor, type ImageBase } from './cursor.js';
import type { DwarfFile } from './dwarf-file.js';
import { DieFields, Field, HeadWord } from './field.js';
import { FunctionNames } from './function-names.js';
import type { Era } from './kept-bytes.js';
import { type Address, currentKernel, type DwarfKernel, type InputPlace } from './kernel.js';
import type { UnitRangeLists } from './kernel-range-lists.js';
import { type RangeBuffer, type RangeContext, readOldRangeList, readRangeList } from './range-list.js';
import type { UnitHeader } from './unit-header.js';

/** First DIEs are seldom longer. */
const HEAD_BYTES = 512;
/** Others even less. */
const DIE_BYTES = 64;

/** Where the parts of a unit begin in sections that units share: 0 but in a `.dwp`. */
export interface Contributions {
  readonly abbreviations: number;
  readonly stringOffsets: number;
  readonly rangeLists: number;
}

export const NO_CONTRIBUTIONS: Contributions = { abbreviations: 0, stringOffsets: 0, rangeLists: 0 };

/** Bytes of a unit in the kernel. */
export interface LoadedPart {
  readonly kernel: DwarfKernel;
  readonly table: Address;
  readonly start: Address;
  readonly end: Address;
}

/** A DIE by the unit that it is in. */
export interface DieReference {
  readonly unit: Unit;
  /** Bytes from the beginning of the unit. */
  readonly position: number;
}

export class Unit implements RangeContext {
  readonly file: DwarfFile;
  readonly encoding: UnitHeader;
  readonly imageBase: ImageBase;
  readonly abbreviations: AbbreviationTable;
  readonly dead: DeadAddresses;
  /** Of the first DIE; 0 in a unit without. */
  readonly tag: number;
  readonly hasChildren: boolean;
  /** Of a split unit: the one in the file itself, which has its addresses and lines. */
  readonly skeleton: Unit | undefined;
  readonly lineTableOffset: number | undefined;
  readonly names = new FunctionNames(this);
  readonly #contributions: Contributions;
  readonly #root = new DieFields();
  readonly #stringOffsetsBase: number;
  readonly #addressBase: number;
  #cursor: DwarfCursor | undefined;
  /** Where the unit is in a kernel. */
  #kept: { readonly era: Era; readonly address: Address | undefined } | undefined;
  /** `null` for lists that a kernel cannot read. */
  #kernelRangeLists: UnitRangeLists | null | undefined;

  /** @throws FormatError for a spoilt first DIE */
  constructor(
    file: DwarfFile,
    header: UnitHeader,
    contributions: Contributions = NO_CONTRIBUTIONS,
    skeleton: Unit | undefined = undefined,
  ) {
    this.file = file;
    this.encoding = header;
    this.imageBase = file.imageBase;
    this.skeleton = skeleton;
    this.#contributions = contributions;
    this.dead = new DeadAddresses(file.imageBase, header.addressBytes);
    this.abbreviations = file.abbreviations(contributions.abbreviations + header.abbreviations, header);
    const root = this.#root;
    const { tag, hasChildren } = this.#readRoot();
    this.tag = tag;
    this.hasChildren = hasChildren;
    const headerBytes = header.offsetBytes === 4 ? 8 : 16;
    const isSplit = skeleton !== undefined;
    const implicitBase = header.version === 5 ? headerBytes : 0;
    this.#stringOffsetsBase = root.has(Field.stringOffsetsBase)
      ? root.number(Field.stringOffsetsBase)
      : (isSplit ? contributions.stringOffsets : 0) + implicitBase;
    this.#addressBase = root.has(Field.addressBase) ? root.number(Field.addressBase) : implicitBase;
    this.lineTableOffset = root.has(Field.lineTable) ? root.number(Field.lineTable) : undefined;
  }

  /** On the whole unit; positions are bytes from its beginning. */
  get cursor(): DwarfCursor {
    if (this.#cursor === undefined) {
      this.#cursor = this.#read(this.encoding.end - this.encoding.offset);
      this.file.hold(this.#cursor.bytes.length);
    }
    return this.#cursor;
  }

  get compilationFolder(): string {
    return this.text(this.#root, Field.compilationFolder) ?? '';
  }

  /** Name of the `.dwo` file that the unit's functions are in. */
  get dwoName(): string | undefined {
    return this.text(this.#root, Field.dwoName);
  }

  /** What a skeleton and its split unit have in common. */
  get dwoId(): bigint | undefined {
    const { dwoId } = this.encoding;
    if (dwoId !== undefined || !this.#root.has(Field.gnuDwoId)) return dwoId;
    const cursor = new DwarfCursor(this.cursor.bytes, this.file.infoName, this.encoding.offset);
    cursor.position = this.#root.number(Field.gnuDwoId);
    return cursor.exact64();
  }

  /** What range lists count from. */
  get unitBase(): number {
    const { skeleton } = this;
    if (skeleton !== undefined && !this.#root.has(Field.lowPc)) return skeleton.unitBase;
    if (!this.#root.has(Field.lowPc)) return -this.imageBase.high * 2 ** 32 - this.imageBase.low;
    return this.#address(this.#root, Field.lowPc);
  }

  /** Whether the first DIE says where all of the unit's code is; when that is nowhere, the linker discarded it. */
  get saysItsCode(): boolean {
    const root = this.#root;
    return root.has(Field.ranges) || (root.has(Field.lowPc) && root.has(Field.highPc));
  }

  /** For kernels; undefined where the lists are elsewhere, as those of split units, or spoilt. */
  get kernelRangeLists(): UnitRangeLists | undefined {
    if (this.#kernelRangeLists === undefined) this.#kernelRangeLists = this.#findKernelRangeLists() ?? null;
    return this.#kernelRangeLists ?? undefined;
  }

  /** Puts the code of the whole unit, as its first DIE says it, in place of what is in `into`. */
  readUnitRanges(into: RangeBuffer): void {
    this.readRanges(this.#root, into);
  }

  /**
   * Has the kernel read what a DIE says of the name of its function (kernels/dwarf/names.ts).
   * @param position of it in the unit @param maxReferences that are followed within the unit
   * @returns where the kernel has put it; undefined behind the end of the unit
   * @throws FormatError E_DWARF_ABBREV, E_DWARF_FORM, E_TRUNCATED
   */
  readFunctionName(position: number, maxReferences: number): DwarfKernel | undefined {
    const unitBytes = this.cursor.bytes.length;
    if (position >= unitBytes) return undefined;
    for (let length = DIE_BYTES; ; length *= 16) {
      const { kernel, table, start, end } = this.load(position, position + length);
      const bytes = kernel.exports.readFunctionName(table, start, end, this.encoding.bytes, maxReferences);
      if (bytes <= end - start) return kernel;
      if (position + (end - start) >= unitBytes) throw this.#truncated();
    }
  }

  /**
   * Makes the unit's addresses and a part of it the kernel's.
   * @param behind end of the part that is needed
   * @returns the abbreviations in the kernel, and where the part is: with all that is behind it, unless the unit is too large
   */
  load(position: number, behind: number): LoadedPart {
    const { bytes } = this.cursor;
    const kernel = currentKernel();
    const table = this.abbreviations.in(kernel);
    kernel.useAddresses(this.imageBase, this.dead);
    if (this.#kept?.era !== kernel.kept.era) {
      const address = kernel.kept.keep(bytes);
      this.#kept = { era: kernel.kept.era, address };
    }
    const { address } = this.#kept!;
    if (address === undefined) {
      const part = bytes.subarray(position, behind);
      const start = kernel.load(part, this.#placeOf(position), position);
      return { kernel, table, start, end: start + part.length };
    }
    kernel.use(address, this.#placeOf(0));
    return { kernel, table, start: address + position, end: address + bytes.length };
  }

  #placeOf(position: number): InputPlace {
    const { encoding, abbreviations, file } = this;
    return {
      section: file.infoName,
      start: encoding.offset + position,
      limit: encoding.end,
      table: abbreviations.place,
    };
  }

  /** Puts the code of a DIE in place of what is in `into`. */
  readRanges(die: DieFields, into: RangeBuffer): void {
    into.length = 0;
    if (die.has(Field.ranges)) this.#readRangeList(die, into);
    else this.#readRange(die, into);
  }

  #readRange(die: DieFields, into: RangeBuffer): void {
    if (!die.has(Field.lowPc) || !die.has(Field.highPc)) return;
    const low = this.#address(die, Field.lowPc);
    if (this.dead.has(low)) return;
    const form = die.forms[Field.highPc]!;
    const high = isAddress(form) ? this.#address(die, Field.highPc) : low + die.number(Field.highPc);
    into.push(low, high);
  }

  /** @returns undefined where the DIE has no such field, or it is in a file that is not there */
  text(die: DieFields, field: number): string | undefined {
    return die.has(field) ? this.textOf(die.forms[field]!, die.values[field]!) : undefined;
  }

  /** Text by a form and its value; inline ones begin at a position of the unit. */
  textOf(form: number, value: number): string | undefined {
    const { file } = this;
    switch (form) {
      case Form.string:
        return this.#inlineText(value);
      case Form.strp:
        return file.need('.debug_str').text(value);
      case Form.lineStrp:
        return file.need('.debug_line_str').text(value);
      case Form.strx:
      case Form.strx1:
      case Form.strx2:
      case Form.strx3:
      case Form.strx4:
      case Form.gnuStringIndex: {
        const { offsetBytes } = this.encoding;
        const at = this.#stringOffsetsBase + value * offsetBytes;
        return file.need('.debug_str').text(file.number('.debug_str_offsets', at, offsetBytes));
      }
      case Form.strpSup:
      case Form.gnuStrpAlternate:
        return file.alternate?.need('.debug_str').text(value);
      default:
        return undefined;
    }
  }

  /** The DIE that a field refers to. @returns undefined where it is in a file that is not there */
  reference(form: number, value: number): DieReference | undefined {
    switch (form) {
      case Form.ref1:
      case Form.ref2:
      case Form.ref4:
      case Form.ref8:
      case Form.refUdata:
        return { unit: this, position: value };
      case Form.refAddress:
        return this.file.dieAt(value);
      case Form.gnuRefAlternate:
      case Form.refSup4:
      case Form.refSup8:
        return this.file.alternate?.dieAt(value);
      default:
        return undefined;
    }
  }

  addressAt(index: number): number {
    const { skeleton, encoding } = this;
    if (skeleton !== undefined) return skeleton.addressAt(index);
    return this.file.address('.debug_addr', this.#addressBase + index * encoding.addressBytes, encoding.addressBytes);
  }

  #address(die: DieFields, field: number): number {
    const value = die.values[field]!;
    return die.forms[field] === Form.address ? value : this.addressAt(value);
  }

  #readRangeList(die: DieFields, into: RangeBuffer): void {
    const { file, encoding, skeleton } = this;
    const value = die.values[Field.ranges]!;
    if (encoding.version >= 5) {
      readRangeList(file.need('.debug_rnglists'), this.#rangeListOffset(die.forms[Field.ranges]!, value), this, into);
    } else {
      // GNU's split units have their lists in the main file.
      const start = skeleton === undefined ? 0 : skeleton.#root.number(Field.gnuRangesBase);
      readOldRangeList((skeleton?.file ?? file).need('.debug_ranges'), start + value, this, into);
    }
  }

  #findKernelRangeLists(): UnitRangeLists | undefined {
    if (this.skeleton !== undefined) return undefined;
    const { version, addressBytes, offsetBytes } = this.encoding;
    try {
      const section = this.file.kernelSection(version >= 5 ? '.debug_rnglists' : '.debug_ranges');
      const { unitBase } = this;
      return section && { section, version, addressBytes, offsetBytes, listsBase: this.#rangeListsBase, unitBase };
    } catch (error) {
      // Whoever reads a list says so.
      if (error instanceof FormatError) return undefined;
      throw error;
    }
  }

  /** What indexes of lists count from. */
  get #rangeListsBase(): number {
    if (this.#root.has(Field.rangeListsBase)) return this.#root.number(Field.rangeListsBase);
    return this.#contributions.rangeLists + (this.encoding.offsetBytes === 4 ? 12 : 20);
  }

  #rangeListOffset(form: number, value: number): number {
    const { offsetBytes } = this.encoding;
    if (form !== Form.rnglistx) return this.#contributions.rangeLists + value;
    const base = this.#rangeListsBase;
    return base + this.file.number('.debug_rnglists', base + value * offsetBytes, offsetBytes);
  }

  #readRoot(): { readonly tag: number; readonly hasChildren: boolean } {
    const { end, offset, bytes: headerBytes } = this.encoding;
    const unitBytes = end - offset;
    if (unitBytes === headerBytes) return { tag: 0, hasChildren: false };
    for (const length of [Math.min(HEAD_BYTES, unitBytes), unitBytes]) {
      const kernel = this.#readFirst(this.#read(length).bytes.subarray(headerBytes));
      if (kernel === undefined) continue;
      const { words, head } = kernel;
      return { tag: words[head + HeadWord.tag]!, hasChildren: words[head + HeadWord.hasChildren] !== 0 };
    }
    throw this.#truncated();
  }

  /** @param part from the first DIE on @returns undefined when the DIE goes on behind it */
  #readFirst(part: Uint8Array): DwarfKernel | undefined {
    const { encoding, abbreviations } = this;
    const kernel = currentKernel();
    const table = abbreviations.in(kernel);
    kernel.useAddresses(this.imageBase, this.dead);
    const start = kernel.load(part, this.#placeOf(encoding.bytes), encoding.bytes);
    if (kernel.exports.readDie(table, start, start + part.length) > part.length) return undefined;
    this.#root.copy(kernel);
    return kernel;
  }

  #truncated(): FormatError {
    const { offset, end } = this.encoding;
    const place = { section: this.file.infoName, offset, limit: end };
    return new FormatError('E_TRUNCATED', 'data goes on behind its end', place);
  }

  #read(length: number): DwarfCursor {
    const { file, encoding } = this;
    return new DwarfCursor(file.info.read(encoding.offset, length, file.infoName), file.infoName, encoding.offset);
  }

  #inlineText(position: number): string {
    const { bytes } = this.cursor;
    const end = bytes.indexOf(0, position);
    if (end < 0) {
      throw new FormatError('E_TRUNCATED', 'text without end', {
        section: this.file.infoName,
        offset: this.encoding.offset + position,
      });
    }
    return utf8.decode(bytes.subarray(position, end));
  }
}

const utf8 = new TextDecoder();

/** Whether DW_AT_high_pc of this form is an address; a constant counts from DW_AT_low_pc. */
function isAddress(form: number): boolean {
  switch (form) {
    case Form.address:
    case Form.addrx:
    case Form.addrx1:
    case Form.addrx2:
    case Form.addrx3:
    case Form.addrx4:
    case Form.gnuAddressIndex:
      return true;
    default:
      return false;
  }
}
