/** Which units may know an address: those that `.debug_aranges` lists, then the others by their first DIEs, then by their functions. */
import { FormatError } from '../errors.js';
import { AddressRanges } from './address-ranges.js';
import { type ListedUnits, readAddressRanges } from './aranges.js';
import { Tag, UnitType } from './constants.js';
import type { DwarfFile } from './dwarf-file.js';
import { RangeBuffer } from './range-list.js';

export class UnitsByAddress {
  readonly #file: DwarfFile;
  /** Adds the code of a unit whose first DIE does not say where it is; owned by the unit's offset. */
  readonly #addCode: (unitOffset: number, into: AddressRanges) => void;
  readonly #onFault: (unitOffset: number, error: FormatError) => void;
  /** By `.debug_aranges`. */
  readonly #listed: ListedUnits | undefined;
  #others: AddressRanges | undefined;
  /** Units that are not in `#others` since their first DIEs do not say where their code is. */
  #unknown: number[] = [];

  constructor(
    file: DwarfFile,
    addCode: (unitOffset: number, into: AddressRanges) => void,
    onFault: (unitOffset: number, error: FormatError) => void,
  ) {
    this.#file = file;
    this.#addCode = addCode;
    this.#onFault = onFault;
    const aranges = file.find('.debug_aranges');
    this.#listed = aranges && readAddressRanges(aranges, file.imageBase);
  }

  get heldBytes(): number {
    return (this.#listed?.ranges.heldBytes ?? 0) + (this.#others?.heldBytes ?? 0);
  }

  /** Offsets of units, innermost range first. */
  find(objectAddress: number): number[] {
    const listed = this.#listed && owners(this.#listed.ranges, objectAddress);
    if (listed !== undefined && listed.length > 0) return listed;
    this.#others ??= this.#readOthers();
    const others = owners(this.#others, objectAddress);
    if (others.length > 0 || this.#unknown.length === 0) return others;
    for (const unitOffset of this.#unknown) {
      this.#attempt(unitOffset, () => this.#addCode(unitOffset, this.#others!));
    }
    this.#unknown = [];
    this.#others.sort();
    return owners(this.#others, objectAddress);
  }

  #readOthers(): AddressRanges {
    const others = new AddressRanges();
    const buffer = new RangeBuffer();
    for (const unitOffset of this.#file.units.all()) {
      if (this.#listed?.units.has(unitOffset)) continue;
      this.#attempt(unitOffset, () => {
        const unit = this.#file.readUnit(unitOffset);
        const { type } = unit.encoding;
        if (type === UnitType.type || type === UnitType.partial || unit.tag === Tag.partialUnit) return;
        unit.readUnitRanges(buffer);
        for (let index = 0; index < buffer.length; index += 2) {
          others.add(buffer.values[index]!, buffer.values[index + 1]!, unitOffset);
        }
        if (!unit.saysItsCode && unit.hasChildren) this.#unknown.push(unitOffset);
      });
    }
    const { fault, end } = this.#file.units;
    if (fault !== undefined) this.#onFault(end, fault);
    others.sort();
    return others;
  }

  #attempt(unitOffset: number, read: () => void): void {
    try {
      read();
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      this.#onFault(unitOffset, error);
    }
  }
}

function owners(ranges: AddressRanges, objectAddress: number): number[] {
  const found: number[] = [];
  for (let row = ranges.find(objectAddress); row >= 0; row = ranges.find(objectAddress, row)) {
    const owner = ranges.owner(row);
    if (!found.includes(owner)) found.push(owner);
    if (found.length === MAX_CANDIDATES) break;
  }
  return found;
}

/** Units that claim one address; there is one, or a few of code that the linker folded. */
const MAX_CANDIDATES = 16;
