/** Which functions of a unit have code, and where; kernels/dwarf/functions.ts finds them. */
import { AddressRanges } from './address-ranges.js';
import { CodeReader } from './code-reader.js';
import { RangeBuffer } from './range-list.js';
import type { Unit } from './unit.js';

/** Words of a FunctionRow, which its code follows. */
const ROW_WORDS = 12;
const Word = { position: 0, end: 1, code: 4 } as const;

export interface FunctionTable {
  /** Of the code of every function; owned by its number. */
  readonly ranges: AddressRanges;
  /** By number: position of its DIE in the unit, and behind all that is within it. */
  readonly positions: Uint32Array;
  readonly ends: Uint32Array;
}

/** @throws FormatError for a spoilt unit */
export function readFunctions(unit: Unit): FunctionTable {
  const { cursor, encoding } = unit;
  const first = encoding.bytes;
  const { kernel, table, input } = unit.loadPart(0, cursor.bytes);
  const { exports } = kernel;
  exports.readFunctions(table, input + first, input + cursor.bytes.length);
  const count = exports.functionCount.value;
  const rows = exports.functionRows() >>> 2;
  const words = kernel.words.slice(rows, rows + count * ROW_WORDS);
  const positions = new Uint32Array(count);
  const ends = new Uint32Array(count);
  const ranges = new AddressRanges();
  const code = new CodeReader(unit, words);
  const buffer = new RangeBuffer();
  for (let row = 0; row < count; row++) {
    const at = row * ROW_WORDS;
    positions[row] = words[at + Word.position]!;
    ends[row] = words[at + Word.end]!;
    code.read(at + Word.code, buffer);
    for (let index = 0; index < buffer.length; index += 2) {
      ranges.add(buffer.values[index]!, buffer.values[index + 1]!, row);
    }
  }
  ranges.sort();
  return { ranges, positions, ends };
}
