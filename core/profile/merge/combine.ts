/** Makes one merge of two. */
import { earliestTime } from './add.js';
import { checkCompatible, earlier, type OfFirst } from './header.js';
import { sortLabels } from './labels.js';
import { ListBlock } from './list-block.js';
import { hashOf } from './list-pool.js';
import { LABEL_WIDTH, LINE_WIDTH, LocationWord, MappingWord, type MergeState, withCapacity } from './state.js';
import { rowsOfPool } from './string-pool.js';

/**
 * @returns one of the two, with the other in it; the other is used up
 * @throws FormatError E_INCOMPATIBLE; then both are as they were
 */
export function combineMerges(a: MergeState, b: MergeState): MergeState {
  if (a.header.types !== undefined && b.header.types !== undefined) checkCompatible(a.header.types, b.header.types);
  // The result is the same either way; the smaller one is less work.
  const [into, from] = a.samples.length < b.samples.length ? [b, a] : [a, b];
  new Combining(into, from).run();
  return into;
}

class Combining {
  readonly #into: MergeState;
  readonly #from: MergeState;
  /** What to add to the rows of `from`'s inputs. */
  readonly #shift: number;
  /** Rows in `into` by rows in `from`. */
  readonly #strings: Uint32Array;
  #scratch: Uint32Array = new Uint32Array(256);

  constructor(into: MergeState, from: MergeState) {
    this.#into = into;
    this.#from = from;
    this.#shift = into.inputs.append(from.inputs);
    this.#strings = rowsOfPool(into.strings, from.strings);
  }

  run(): void {
    const strings = this.#strings;
    const mappings = this.#mappings();
    const functions = this.#mapped('functions', (words, count) => {
      for (let i = 0; i < Math.min(3, count); i++) words[i] = strings[words[i]!]!;
    });
    const locations = this.#mapped('locations', (words, count) => {
      const mapping = words[LocationWord.mapping]!;
      if (mapping !== 0) words[LocationWord.mapping] = mappings[mapping - 1]! + 1;
      for (let i = LocationWord.lines; i < count; i += LINE_WIDTH) words[i] = functions[words[i]!]!;
    });
    const labelSets = this.#mapped('labelSets', (words, count) => {
      for (let i = 0; i < count; i += LABEL_WIDTH) {
        words[i] = strings[words[i]!]!;
        words[i + 1] = strings[words[i + 1]!]!;
        words[i + 4] = strings[words[i + 4]!]!;
      }
      if (count > LABEL_WIDTH) sortLabels(words, count / LABEL_WIDTH, (key) => key);
    });
    this.#samples(locations, labelSets);
    this.#header(mappings);
  }

  /** Puts a pool's lists into the other's. @param map changes one list's words, `count` of them, to rows of `into` */
  #mapped(
    name: 'functions' | 'locations' | 'labelSets',
    map: (words: Uint32Array, count: number) => void,
  ): Uint32Array {
    const pool = this.#into[name];
    const { words, starts, length } = this.#from[name];
    const rows = new Uint32Array(length);
    for (let row = 0; row < length; row++) {
      const start = starts.data[row]!;
      const count = starts.data[row + 1]! - start;
      this.#scratch = withCapacity(this.#scratch, count);
      const list = this.#scratch;
      for (let i = 0; i < count; i++) list[i] = words.data[start + i]!;
      map(list, count);
      rows[row] = pool.row(list, count);
    }
    return rows;
  }

  #mappings(): Uint32Array {
    const { mappings: pool, mappingContents: contents, inputs } = this.#into;
    const from = this.#from;
    const strings = this.#strings;
    const rows = new Uint32Array(from.mappings.length);
    for (let row = 0; row < rows.length; row++) {
      const start = from.mappings.starts.data[row]!;
      const key = from.mappings.words.data.slice(start, start + 5);
      key[4] = strings[key[4]!]!;
      const content = from.mappingContents.data.slice(row * MappingWord.width, (row + 1) * MappingWord.width);
      content[MappingWord.input]! += this.#shift;
      content[MappingWord.filename] = strings[content[MappingWord.filename]!]!;
      content[MappingWord.buildId] = strings[content[MappingWord.buildId]!]!;
      const before = pool.length;
      const merged = pool.row(key, key.length);
      const at = merged * MappingWord.width;
      if (merged === before) for (const word of content) contents.push(word);
      else if (inputs.compare(content[MappingWord.input]!, contents.data[at]!) < 0) contents.data.set(content, at);
      rows[row] = merged;
    }
    return rows;
  }

  #samples(locations: Uint32Array, labelSets: Uint32Array): void {
    const { samples: pool, sums, firsts, inputs, header } = this.#into;
    const from = this.#from;
    const typeCount = (header.types ?? from.header.types)?.sampleTypes.length ?? 0;
    const ranks = inputs.ranks();
    const { words, starts } = from.samples;
    const rows = new Uint32Array(from.samples.length);
    const block = new ListBlock(pool);
    const put = (sample: number, row: number, isNew: boolean): void => {
      const firstInput = from.firsts.data[2 * row]! + this.#shift;
      const firstRow = from.firsts.data[2 * row + 1]!;
      rows[row] = sample;
      if (isNew) {
        sums.append(from.sums.words.data, typeCount * row, typeCount);
        firsts.push(firstInput);
        firsts.push(firstRow);
        return;
      }
      sums.add(typeCount * sample, from.sums.words.data, typeCount * row, typeCount);
      if (ranks[firstInput]! < ranks[firsts.data[2 * sample]!]!) {
        firsts.data[2 * sample] = firstInput;
        firsts.data[2 * sample + 1] = firstRow;
      }
    };
    for (let row = 0; row < rows.length; row++) {
      const start = starts.data[row]!;
      const count = starts.data[row + 1]! - start;
      const at = block.open(count);
      const list = block.words;
      list[at] = labelSets[words.data[start]!]!;
      for (let i = 1; i < count; i++) list[at + i] = locations[words.data[start + i]!]!;
      block.close(row, count, hashOf(list, at, at + count));
      if (block.isFull) block.flush(put);
    }
    block.flush(put);
    for (const [value, turns] of from.sums.turns) {
      const sample = Math.floor(value / typeCount);
      sums.turn(typeCount * rows[sample]! + (value % typeCount), turns);
    }
  }

  #header(mappings: Uint32Array): void {
    const { header, inputs } = this.#into;
    const other = this.#from.header;
    const strings = this.#strings;
    const moved = <Value>(of: OfFirst<Value> | undefined, value: (of: Value) => Value): OfFirst<Value> | undefined =>
      of === undefined ? undefined : { input: of.input + this.#shift, value: value(of.value) };
    const string = (row: number) => strings[row]!;
    if (other.types !== undefined) {
      if (header.types === undefined || other.period > header.period) header.period = other.period;
      header.types ??= {
        ...other.types,
        rows: other.types.rows.map(({ type, unit }) => ({ type: string(type), unit: string(unit) })),
      };
      if (other.types.hasPeriodType) header.types = { ...header.types, hasPeriodType: true };
    }
    header.timeNanos = earliestTime(header.timeNanos, other.timeNanos);
    header.durationNanos += other.durationNanos;
    for (const comment of other.comments) header.comments.add(string(comment));
    header.defaultSampleType = earlier(inputs, header.defaultSampleType, moved(other.defaultSampleType, string));
    header.docUrl = earlier(inputs, header.docUrl, moved(other.docUrl, string));
    header.frames = earlier(
      inputs,
      header.frames,
      moved(other.frames, ({ drop, keep }) => ({ drop: string(drop), keep: string(keep) })),
    );
    for (const [pattern, count] of other.patternCounts) {
      const key = pattern
        .split(' ')
        .map((row) => string(Number(row)))
        .join(' ');
      header.patternCounts.set(key, (header.patternCounts.get(key) ?? 0) + count);
    }
    header.mainMapping = earlier(
      inputs,
      header.mainMapping,
      moved(other.mainMapping, (row) => mappings[row]!),
    );
    header.profilesWithUnknownFields += other.profilesWithUnknownFields;
  }
}
