/**
 * kernels/dwarf and its memory. Bytes are put in, called on, and what comes out is copied before the next call. One instance serves all
 * files that are read, until its memory has grown too large.
 */
import { FormatError } from '../errors.js';
import { defineKernel, type KernelExports } from '../kernel.js';
import type { DeadAddresses } from './address-ranges.js';
import { Attribute } from './constants.js';
import type { ImageBase } from './cursor.js';
import { fieldOf } from './field.js';
import { type Encoding, formLayout, unknownForm } from './form.js';
import { KeptBytes } from './kept-bytes.js';
import { dwarfKernel } from './kernel.gen.js';
import {
  ATTRIBUTE_NUMBERS,
  CODE_NOT_IN_TABLE,
  FILES_TRUNCATED,
  FIRST_GNU_ATTRIBUTE,
  FIRST_GNU_FORM,
  FORM_NOT_IN_TABLE,
  FORM_NOT_KNOWN,
  FORM_NUMBERS,
  FUNCTION_TRUNCATED,
  LOW_NUMBERS,
  TABLE_TRUNCATED,
  UNIT_TRUNCATED,
  UNKNOWN,
} from './kernel-codes.js';
import type { UnitRangeLists } from './kernel-range-lists.js';

/** Where something is in the kernel's memory: signed. */
export type Address = number;

interface Global {
  readonly value: number;
}

/** What kernels/dwarf/index.ts exports. */
export interface DwarfExports extends KernelExports {
  readonly fieldNumbers: Global;
  allocate(bytes: number): Address;
  release(block: Address, bytes: number): void;
  placeInput(bytes: number, origin: number): Address;
  useInput(address: Address): void;
  setImageBase(high: number, low: number, zero: number, top: number): void;

  readTable(start: Address, end: Address, isAll: boolean, layouts: Address, addressBytes: number): Address;
  readDie(table: Address, start: Address, end: Address): number;
  readonly headAddress: Global;
  readonly values: Global;
  readonly forms: Global;
  readFunctions(table: Address, start: Address, end: Address): void;
  readonly functionCount: Global;
  functionPositions(): Address;
  functionEnds(): Address;
  functionCodes(): Address;
  readFunctionName(table: Address, start: Address, end: Address, first: number, maxReferences: number): number;
  readonly functionName: Global;
  readCalls(table: Address, start: Address, end: Address): void;
  readonly callCount: Global;
  callRows(): Address;
  callCodes(): Address;
  readonly areRangesMissing: Global;
  readonly codeRangeCount: Global;
  codeRanges(): Address;
  useRangeLists(
    section: Address,
    bytes: number,
    version: number,
    addressBytes: number,
    offsetBytes: number,
    listsBase: number,
    unitBase: number,
  ): void;

  readLineFiles(start: Address, end: Address, layouts: Address): void;
  readonly folderCount: Global;
  readonly pathCount: Global;
  pathRows(): Address;
  runLineProgram(
    part: Address,
    program: Address,
    end: Address,
    opcodeLengths: Address,
    opcodeBase: number,
    lineBase: number,
    lineRange: number,
    minimumInstructionBytes: number,
    maximumOperations: number,
  ): number;
  readonly rowCount: Global;
  readonly offsets: Global;
  readonly files: Global;
  readonly lines: Global;
  readonly columns: Global;
  readonly sequenceCount: Global;
  readonly sequenceRows: Global;
  readonly sequenceStarts: Global;
  readonly sequenceEnds: Global;
  readonly fileCount: Global;
  readonly fileEntries: Global;

  placeRanges(count: number): void;
  addTuples(at: Address, count: number, addressBytes: number, owner: number): number;
  sortRanges(): void;
  readonly rangeCount: Global;
  rangeLows(): Address;
  rangeHighs(): Address;
  rangeOwners(): Address;
}

/** What the bytes are that the kernel is called on, for errors. */
export interface InputPlace {
  readonly section: string;
  /** Offset of the first byte into the section. */
  readonly start: number;
  /** Where what is read ends in the section. */
  readonly limit: number;
  /** That the bytes are read by. */
  readonly table?: TablePlace;
}

/** Where a table of abbreviations is. */
export interface TablePlace {
  readonly section: string;
  readonly offset: number;
}

const instantiate = defineKernel<DwarfExports>('dwarf', dwarfKernel);

/** Memory that is kept for the next call. */
const MAX_KEPT_BYTES = 64 * 2 ** 20;
/** No field of an attribute, as the kernel knows it. */
const NO_FIELD = 255;

let current: DwarfKernel | undefined;

/** The instance to call; after each call there may be another one, without the tables of abbreviations of this one. */
export function currentKernel(): DwarfKernel {
  if (current === undefined || current.exports.memory.buffer.byteLength > MAX_KEPT_BYTES) current = new DwarfKernel();
  return current;
}

export class DwarfKernel {
  readonly exports: DwarfExports;
  /** Where `readDie` puts what it reads: as indexes into `words`, `doubles` and, of half a word each, `words`. */
  readonly head: number;
  readonly values: number;
  readonly forms: number;
  /** The same for `readFunctionName`. */
  readonly functionName: number;
  /** Units that were asked about. */
  readonly kept: KeptBytes;
  #place: InputPlace = { section: '', start: 0, limit: 0 };
  #bytes = new Uint8Array(0);
  #words = new Uint32Array(0);
  #doubles = new Float64Array(0);
  #dead: DeadAddresses | undefined;
  #rangeLists: UnitRangeLists | undefined;
  /** What forms are in an encoding: where that is. */
  readonly #layouts = new Map<string, Address>();

  constructor() {
    const fail = (problem: number, position: number, got: number) => {
      throw kernelError(problem, position >>> 0, got, this.#place);
    };
    this.exports = instantiate({ fail });
    this.head = this.exports.headAddress.value >>> 2;
    this.values = this.exports.values.value >>> 3;
    this.forms = this.exports.forms.value >>> 2;
    this.functionName = this.exports.functionName.value >>> 2;
    this.kept = new KeptBytes(this);
    const fields = this.bytes.subarray(this.exports.fieldNumbers.value).subarray(0, ATTRIBUTE_NUMBERS).fill(NO_FIELD);
    for (const attribute of Object.values(Attribute)) {
      const index = attribute < LOW_NUMBERS ? attribute : attribute - FIRST_GNU_ATTRIBUTE + LOW_NUMBERS;
      fields[index] = fieldOf(attribute) ?? NO_FIELD;
    }
  }

  /** The memory as it is now. */
  get bytes(): Uint8Array {
    this.#renew();
    return this.#bytes;
  }

  /** By addresses that are a fourth of theirs. */
  get words(): Uint32Array {
    this.#renew();
    return this.#words;
  }

  /** By addresses that are an eighth of theirs. */
  get doubles(): Float64Array {
    this.#renew();
    return this.#doubles;
  }

  /** @param origin of DIEs: position of the first byte in its unit @returns where the bytes are */
  load(bytes: Uint8Array, place: InputPlace, origin = 0): Address {
    this.#place = place;
    const input = this.exports.placeInput(bytes.length, origin);
    this.bytes.set(bytes, input >>> 0);
    return input;
  }

  /** Calls from now on are on bytes that are kept. */
  use(address: Address, place: InputPlace): void {
    this.#place = place;
    this.exports.useInput(address);
  }

  /** Object addresses from now on are those of a file. @param dead its discarded ones */
  useAddresses(base: ImageBase, dead: DeadAddresses): void {
    if (this.#dead === dead) return;
    this.#dead = dead;
    this.exports.setImageBase(base.high, base.low, dead.zero, dead.top);
  }

  /** Lists from now on are those of a unit; undefined for one whose lists the kernel cannot read. */
  useRangeLists(lists: UnitRangeLists | undefined): void {
    if (this.#rangeLists === lists) return;
    // What follows may fail half-way.
    this.#rangeLists = undefined;
    this.exports.useRangeLists(0, 0, 0, 0, 0, 0, 0);
    if (lists === undefined) return;
    const { section, version, addressBytes, offsetBytes, listsBase, unitBase } = lists;
    const address = section.in(this);
    this.exports.useRangeLists(address, section.bytes, version, addressBytes, offsetBytes, listsBase, unitBase);
    this.#rangeLists = lists;
  }

  /** Where the kernel finds what forms are in an encoding. */
  layouts(encoding: Encoding): Address {
    const key = `${encoding.version === 2}:${encoding.offsetBytes}:${encoding.addressBytes}`;
    let layouts = this.#layouts.get(key);
    if (layouts === undefined) {
      layouts = this.exports.allocate(FORM_NUMBERS);
      const numbers = Array.from({ length: FORM_NUMBERS }, (_, index) => {
        const form = index < LOW_NUMBERS ? index : index - LOW_NUMBERS + FIRST_GNU_FORM;
        return formLayout(form, encoding) ?? UNKNOWN;
      });
      this.bytes.set(Int8Array.from(numbers), layouts >>> 0);
      this.#layouts.set(key, layouts);
    }
    return layouts;
  }

  #renew(): void {
    // Memory that has grown leaves its views without length.
    if (this.#bytes.length > 0) return;
    const { buffer } = this.exports.memory;
    this.#bytes = new Uint8Array(buffer);
    this.#words = new Uint32Array(buffer);
    this.#doubles = new Float64Array(buffer);
  }
}

function kernelError(problem: number, position: number, got: number, place: InputPlace): FormatError {
  const { section, start, limit, table } = place;
  const inTable = { section: table?.section, offset: (table?.offset ?? 0) + position };
  const here = { section, offset: start + position, limit };
  switch (problem) {
    case CODE_NOT_IN_TABLE:
      return new FormatError('E_DWARF_ABBREV', 'abbreviation code not in its table', { ...inTable, got });
    case FORM_NOT_IN_TABLE:
      return unknownForm(got, inTable);
    case FORM_NOT_KNOWN:
      return unknownForm(got, { section, offset: here.offset });
    case TABLE_TRUNCATED:
      return new FormatError('E_TRUNCATED', 'data goes on behind its end', inTable);
    case UNIT_TRUNCATED:
      return new FormatError('E_TRUNCATED', 'data goes on behind its end', here);
    case FUNCTION_TRUNCATED:
      return new FormatError('E_TRUNCATED', 'function goes on behind the end of its unit', here);
    case FILES_TRUNCATED:
      return new FormatError('E_DWARF_LINE', 'list of files goes on behind the header', {
        section,
        offset: here.offset,
        limit: here.offset,
      });
    default:
      throw new RangeError(`kernels/dwarf: problem ${problem}`);
  }
}
