/**
 * Functions, inlined calls and lines at addresses, by DWARF 2 to 5, of which only the units that hold the addresses are read.
 * Not supported: big-endian files, addresses of other sizes than 4 and 8 bytes, relocatable objects.
 */
import { FormatError } from '../errors.js';
import type { AddressRanges } from './address-ranges.js';
import { DwarfFile } from './dwarf-file.js';
import type { DwarfFrame } from './function-frames.js';
import type { LinePlace } from './line-table.js';
import type { DebugSections } from './sections.js';
import { SplitUnits } from './split-units.js';
import type { Unit } from './unit.js';
import { UnitSymbols } from './unit-symbols.js';
import { UnitsByAddress } from './units-by-address.js';

export type { DwarfFrame } from './function-frames.js';

/** What is wrong with one unit, which is done without, or without a part of it. */
export interface DwarfFault {
  /** Offset of the unit into `.debug_info`. */
  readonly unitOffset: number;
  /** Source file that the unit is of; "" when that cannot be read. */
  readonly unitName: string;
  readonly error: FormatError;
}

/** Faults that are named; further ones are counted. */
const MAX_NAMED_FAULTS = 100;

/** @returns undefined for a file without `.debug_info` @throws FormatError E_DWARF_ENDIAN, and those of its sections */
export function openDwarf(sections: DebugSections): Dwarf | undefined {
  const info = sections.section('.debug_info');
  if (info === undefined || info.size === 0) return undefined;
  if (!sections.isLittleEndian) throw new FormatError('E_DWARF_ENDIAN', 'big-endian DWARF not supported');
  const { imageBase } = sections;
  const base = { high: Number(imageBase >> 32n), low: Number(imageBase & 0xffffffffn) };
  return new Dwarf(new DwarfFile(sections, info, base), new SplitUnits(sections));
}

export class Dwarf {
  readonly #file: DwarfFile;
  readonly #split: SplitUnits;
  readonly #units: UnitsByAddress;
  readonly #symbols = new WeakMap<Unit, UnitSymbols>();
  readonly #faults: DwarfFault[] = [];
  readonly #faulty = new Set<number>();
  /** Units that cannot be opened. */
  readonly #broken = new Map<number, FormatError>();

  constructor(file: DwarfFile, split: SplitUnits) {
    this.#file = file;
    this.#split = split;
    this.#units = new UnitsByAddress(
      file,
      (unitOffset, into) => this.#addCode(unitOffset, into),
      (unitOffset, error) => this.#fault(unitOffset, error),
    );
  }

  /** The first faults that were met. */
  get faults(): readonly DwarfFault[] {
    return this.#faults;
  }

  /** Units that were done without, or without a part of them. */
  get faultyUnits(): number {
    return this.#faulty.size;
  }

  /** The file that `dwz` moved shared parts to, when something refers to it and it is not at hand: names that are there are missing. */
  get lacksAlternate(): boolean {
    return this.#file.lacksAlternate;
  }

  get heldBytes(): number {
    return this.#file.heldBytes + this.#units.heldBytes + this.#split.heldBytes;
  }

  /**
   * Frames at an exact object address, innermost first.
   * @returns [] where there are lines but no function (padding); undefined where no unit knows the address
   * @throws FormatError where the only unit that may know the address is spoilt
   */
  framesAt(objectAddress: number): readonly DwarfFrame[] | undefined {
    return this.#ask(objectAddress, (symbols) => symbols.framesAt(objectAddress));
  }

  /** Line of an address whatever function it is of: those of assembly are in symbol tables only. @throws as `framesAt` */
  placeAt(objectAddress: number): LinePlace | undefined {
    return this.#ask(objectAddress, (symbols) => symbols.placeAt(objectAddress));
  }

  #ask<Answer extends object>(
    objectAddress: number,
    ask: (symbols: UnitSymbols) => Answer | undefined,
  ): Answer | undefined {
    let answer: Answer | undefined;
    let spoilt: FormatError | undefined;
    for (const unitOffset of this.#units.find(objectAddress)) {
      try {
        answer = ask(this.#symbolsOf(unitOffset));
      } catch (error) {
        if (!(error instanceof FormatError)) throw error;
        spoilt ??= error;
        this.#fault(unitOffset, error);
        continue;
      }
      if (answer !== undefined && !(Array.isArray(answer) && answer.length === 0)) return answer;
    }
    if (answer === undefined && spoilt !== undefined) throw spoilt;
    return answer;
  }

  #symbolsOf(unitOffset: number): UnitSymbols {
    const unit = this.#open(unitOffset);
    let symbols = this.#symbols.get(unit);
    if (symbols === undefined) {
      const onFault = (error: FormatError) => this.#fault(unitOffset, error);
      symbols = new UnitSymbols(unit, this.#findSplit(unit, onFault), onFault);
      this.#symbols.set(unit, symbols);
    }
    return symbols;
  }

  #open(unitOffset: number): Unit {
    const broken = this.#broken.get(unitOffset);
    if (broken !== undefined) throw broken;
    try {
      return this.#file.unitAt(unitOffset);
    } catch (error) {
      if (error instanceof FormatError) this.#broken.set(unitOffset, error);
      throw error;
    }
  }

  #findSplit(unit: Unit, onFault: (error: FormatError) => void): Unit | undefined {
    try {
      return this.#split.find(unit);
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      onFault(error);
      return undefined;
    }
  }

  #addCode(unitOffset: number, into: AddressRanges): void {
    const { functions, sequences } = this.#symbolsOf(unitOffset);
    for (const [low, high] of functions.ranges.ranges()) into.add(low, high, unitOffset);
    for (const [low, high] of sequences) into.add(low, high, unitOffset);
  }

  #fault(unitOffset: number, error: FormatError): void {
    if (this.#faulty.has(unitOffset)) return;
    this.#faulty.add(unitOffset);
    if (this.#faults.length < MAX_NAMED_FAULTS) {
      this.#faults.push({ unitOffset, unitName: this.#unitName(unitOffset), error });
    }
  }

  #unitName(unitOffset: number): string {
    try {
      const { names, encoding } = this.#open(unitOffset);
      return names.at(encoding.bytes).systemName;
    } catch (error) {
      if (error instanceof FormatError) return '';
      throw error;
    }
  }
}
