/** Which functions of a unit have code, and where; kernels/dwarf/functions.ts finds them. */
import { AddressRanges } from './address-ranges.js';
import { CodeReader } from './code-reader.js';
import { RangeBuffer } from './range-list.js';
import type { Unit } from './unit.js';

/** Of a function's code, as the kernel has it for ranges that it cannot make. */
const CODE_WORDS = 8;

export interface FunctionTable {
  /** Of the code of every function; owned by its number. */
  readonly ranges: AddressRanges;
  /** By number: position of its DIE in the unit, and behind all that is within it; 0 where no calls were inlined into it. */
  readonly positions: Uint32Array;
  readonly ends: Uint32Array;
}

/** @throws FormatError for a spoilt unit */
export function readFunctions(unit: Unit): FunctionTable {
  const { cursor, encoding } = unit;
  const behind = cursor.bytes.length;
  const { kernel, table, start } = unit.load(encoding.bytes, behind);
  const { exports } = kernel;
  kernel.useRangeLists(unit.kernelRangeLists);
  exports.readFunctions(table, start, start + (behind - encoding.bytes));
  const count = exports.functionCount.value;
  const column = (address: number, words = count) => kernel.words.slice(address >>> 2, (address >>> 2) + words);
  const positions = column(exports.functionPositions());
  const ends = column(exports.functionEnds());
  const ranges =
    exports.areRangesMissing.value === 0
      ? AddressRanges.keptBy(kernel)
      : readCodes(unit, column(exports.functionCodes(), count * CODE_WORDS));
  return { ranges, positions, ends };
}

/** @param codes of functions, of which some are in other sections @throws FormatError of range lists */
function readCodes(unit: Unit, codes: Uint32Array): AddressRanges {
  const ranges = new AddressRanges();
  const code = new CodeReader(unit, codes);
  const buffer = new RangeBuffer();
  for (let number = 0; number * CODE_WORDS < codes.length; number++) {
    code.read(number * CODE_WORDS, buffer);
    for (let index = 0; index < buffer.length; index += 2) {
      ranges.add(buffer.values[index]!, buffer.values[index + 1]!, number);
    }
  }
  ranges.sort();
  return ranges;
}
