/**
 * Distinct mappings: size rounded up to 4 KiB, file offset, and build ID or else file name make them what they are. The rest is that
 * of the first input that uses the mapping.
 */
import { Words } from './growing.js';
import type { Inputs } from './inputs.js';

/** Words of a mapping; all but the key's come from the input and row that the first two name. 64-bit numbers have two words. */
export const MappingWord = {
  input: 0,
  row: 1,
  start: 2,
  limit: 4,
  offset: 6,
  filename: 8,
  buildId: 9,
  flags: 10,
  width: 11,
} as const;

export class MappingPool {
  /** `MappingWord.width` words each. */
  readonly contents: Words;
  /** By size, offset and name. A profile has a handful of mappings. */
  readonly #rows = new Map<string, number>();

  constructor(contents = new Words()) {
    this.contents = contents;
    for (let row = 0; row < this.length; row++) this.#rows.set(keyOf(contents.data, row * MappingWord.width), row);
  }

  get length(): number {
    return this.contents.length / MappingWord.width;
  }

  /** @param content `MappingWord.width` words @returns its row */
  add(content: Int32Array, inputs: Inputs): number {
    const key = keyOf(content, 0);
    const known = this.#rows.get(key);
    if (known === undefined) {
      const row = this.length;
      this.#rows.set(key, row);
      for (const word of content) this.contents.push(word);
      return row;
    }
    const at = known * MappingWord.width;
    const { data } = this.contents;
    const [input, row] = [content[MappingWord.input]!, content[MappingWord.row]!];
    const isSameInput = data[at] === input;
    const isBefore = isSameInput ? row < data[at + MappingWord.row]! : inputs.compare(input, data[at]!) < 0;
    if (isBefore) data.set(content, at);
    return known;
  }
}

function keyOf(contents: Int32Array, at: number): string {
  const wide = (word: number) => (BigInt(contents[at + word + 1]! >>> 0) << 32n) | BigInt(contents[at + word]! >>> 0);
  const size = BigInt.asUintN(64, wide(MappingWord.limit) - wide(MappingWord.start));
  const pages = BigInt.asUintN(64, size + 0xfffn) >> 12n;
  const buildId = contents[at + MappingWord.buildId]!;
  return `${pages} ${wide(MappingWord.offset)} ${buildId === 0 ? contents[at + MappingWord.filename] : buildId}`;
}
