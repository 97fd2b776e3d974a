/** Adds one profile to a merge. */
import { halves, NO_ROW, type Profile } from '../profile.js';
import { checkCompatible, earlier, typesOf } from './header.js';
import { type LabelTuples, sortLabels } from './labels.js';
import { ListBlock } from './list-block.js';
import { finishHash, hashWord } from './list-pool.js';
import { LABEL_WIDTH, LINE_WIDTH, LocationWord, MappingWord, type MergeState, withCapacity } from './state.js';
import { rowsOfTable } from './string-pool.js';

export interface MergeInput {
  /** For messages. */
  readonly uri: string;
  /** SHA-256 of the bytes that the profile was read from. */
  readonly digest: Uint8Array;
}

/** @throws FormatError E_INCOMPATIBLE; then the state is as it was */
export function addProfile(state: MergeState, profile: Profile, from: MergeInput): void {
  const types = typesOf(profile, from.uri);
  if (state.header.types !== undefined) checkCompatible(state.header.types, types);
  new Adding(state, profile, from).run(types);
}

/** What is not there yet in a table of rows. */
const UNMAPPED = 0xffffffff;

class Adding {
  readonly #state: MergeState;
  readonly #profile: Profile;
  readonly #input: number;
  /** Rows in the merge by rows in the profile. */
  readonly #strings: Uint32Array;
  readonly #functions: Uint32Array;
  readonly #mappings: Uint32Array;
  readonly #locations: Uint32Array;
  /** Halves of the profile's 64-bit columns: making a view costs more than a row. */
  readonly #address: Uint32Array;
  readonly #memoryStart: Uint32Array;
  readonly #line: Uint32Array;
  readonly #column: Uint32Array | undefined;
  readonly #startLine: Uint32Array;
  readonly #labelNum: Uint32Array;
  /** For the stack, location, set of labels or function that is being looked up. */
  #locationScratch: Uint32Array = new Uint32Array(256);
  #labelScratch: Uint32Array = new Uint32Array(256);
  readonly #functionScratch = new Uint32Array(5);

  constructor(state: MergeState, profile: Profile, from: MergeInput) {
    this.#state = state;
    this.#profile = profile;
    this.#input = state.inputs.add(profile.timeNanos, from.digest);
    this.#strings = rowsOfTable(state.strings, profile.strings);
    const { locations, mappings, functions, samples } = profile;
    this.#address = halves(locations.address);
    this.#memoryStart = halves(mappings.memoryStart);
    this.#line = halves(locations.lines.line);
    this.#column = locations.lines.column === undefined ? undefined : halves(locations.lines.column);
    this.#startLine = halves(functions.startLine);
    this.#labelNum = halves(samples.labels.num);
    this.#functions = new Uint32Array(profile.functions.length).fill(UNMAPPED);
    this.#mappings = new Uint32Array(profile.mappings.length).fill(UNMAPPED);
    this.#locations = new Uint32Array(profile.locations.length).fill(UNMAPPED);
  }

  run(types: ReturnType<typeof typesOf>): void {
    this.#addHeader(types);
    this.#addSamples();
  }

  #addHeader(types: ReturnType<typeof typesOf>): void {
    const { header, inputs } = this.#state;
    const profile = this.#profile;
    const input = this.#input;
    const strings = this.#strings;
    const isFirst = header.types === undefined;
    header.types ??= {
      ...types,
      rows: [...profile.sampleTypes, profile.periodType ?? { type: 0, unit: 0 }].map(({ type, unit }) => ({
        type: strings[type]!,
        unit: strings[unit]!,
      })),
    };
    if (types.hasPeriodType && !header.types.hasPeriodType) header.types = { ...header.types, hasPeriodType: true };
    if (isFirst || profile.period > header.period) header.period = profile.period;
    header.timeNanos = earliestTime(header.timeNanos, profile.timeNanos);
    header.durationNanos += profile.durationNanos;
    for (const comment of profile.comments) header.comments.add(strings[comment]!);
    const named = (row: number) => (strings[row] === 0 ? undefined : { input, value: strings[row]! });
    header.defaultSampleType = earlier(inputs, header.defaultSampleType, named(profile.defaultSampleType));
    header.docUrl = earlier(inputs, header.docUrl, named(profile.docUrl));
    const value = { drop: strings[profile.dropFrames]!, keep: strings[profile.keepFrames]! };
    header.frames = earlier(inputs, header.frames, { input, value });
    const pattern = `${value.drop} ${value.keep}`;
    header.patternCounts.set(pattern, (header.patternCounts.get(pattern) ?? 0) + 1);
    if (profile.mappings.length > 0) {
      header.mainMapping = earlier(inputs, header.mainMapping, { input, value: this.#mapping(0) });
    }
    if (profile.unknown !== undefined) header.profilesWithUnknownFields++;
  }

  /** Samples whose values are all 0 are left out, as google/pprof does. */
  #addSamples(): void {
    const { samples, sampleTypes } = this.#profile;
    const { labelSets, samples: pool, sums, firsts } = this.#state;
    const { stackStart, stackLocations, labelStart } = samples;
    const values = halves(samples.values);
    const typeCount = sampleTypes.length;
    const input = this.#input;
    const isBefore = this.#inputsBehind();
    const locations = this.#locations;
    const noLabels = labelSets.row(this.#labelScratch, 0);
    const block = new ListBlock(pool);
    const put = (sample: number, row: number, isNew: boolean): void => {
      if (isNew) {
        sums.append(values, typeCount * row, typeCount);
        firsts.push(input);
        firsts.push(row);
        return;
      }
      sums.add(typeCount * sample, values, typeCount * row, typeCount);
      if (isBefore?.[firsts.data[2 * sample]!] === 1) {
        firsts.data[2 * sample] = input;
        firsts.data[2 * sample + 1] = row;
      }
    };
    for (let row = 0; row < samples.length; row++) {
      let any = 0;
      for (let i = 2 * typeCount * row; i < 2 * typeCount * (row + 1); i++) any |= values[i]!;
      if (any === 0) continue;
      const start = stackStart[row]!;
      const depth = stackStart[row + 1]! - start;
      const at = block.open(depth + 1);
      const list = block.words;
      const labels = labelStart[row] === labelStart[row + 1] ? noLabels : this.#labelSet(row);
      list[at] = labels;
      let hash = hashWord(depth + 1, labels, 0);
      for (let i = 0; i < depth; i++) {
        const location = stackLocations[start + i]!;
        // Read again rather than returned: a value that may come from a call is boxed, and this loop sees every frame.
        if (locations[location] === UNMAPPED) this.#addLocation(location);
        const merged = locations[location]!;
        list[at + 1 + i] = merged;
        hash = hashWord(hash, merged, i + 1);
      }
      block.close(row, depth + 1, finishHash(hash));
      if (block.isFull) block.flush(put);
    }
    block.flush(put);
  }

  /** 1 for each input so far that comes behind this one in the order; undefined when none does, as when they arrive in order. */
  #inputsBehind(): Uint8Array | undefined {
    const { inputs } = this.#state;
    let behind: Uint8Array | undefined;
    for (let other = 0; other < this.#input; other++) {
      if (inputs.compare(this.#input, other) >= 0) continue;
      behind ??= new Uint8Array(this.#input + 1);
      behind[other] = 1;
    }
    return behind;
  }

  #labelSet(sample: number): number {
    const { labels, labelStart } = this.#profile.samples;
    const num = this.#labelNum;
    const strings = this.#strings;
    const start = labelStart[sample]!;
    const count = labelStart[sample + 1]! - start;
    this.#labelScratch = withCapacity(this.#labelScratch, count * LABEL_WIDTH);
    const tuples: LabelTuples = this.#labelScratch;
    for (let i = 0; i < count; i++) {
      const label = start + i;
      tuples[i * LABEL_WIDTH] = strings[labels.key[label]!]!;
      tuples[i * LABEL_WIDTH + 1] = strings[labels.str[label]!]!;
      tuples[i * LABEL_WIDTH + 2] = num[2 * label]!;
      tuples[i * LABEL_WIDTH + 3] = num[2 * label + 1]!;
      tuples[i * LABEL_WIDTH + 4] = strings[labels.numUnit[label]!]!;
    }
    if (count > 1) sortLabels(tuples, count, (key) => key);
    return this.#state.labelSets.row(tuples, count * LABEL_WIDTH);
  }

  #addLocation(row: number): void {
    const { locations } = this.#profile;
    const { lines, lineStart } = locations;
    const start = lineStart[row]!;
    const lineCount = lineStart[row + 1]! - start;
    const count = LocationWord.lines + lineCount * LINE_WIDTH;
    this.#locationScratch = withCapacity(this.#locationScratch, count);
    const list = this.#locationScratch;
    const address = this.#address;
    const mapping = locations.mapping[row]!;
    let lo = address[2 * row]!;
    let hi = address[2 * row + 1]!;
    if (mapping === NO_ROW) list[LocationWord.mapping] = 0;
    else {
      list[LocationWord.mapping] = this.#mapping(mapping) + 1;
      const memoryStart = this.#memoryStart;
      const difference = lo - memoryStart[2 * mapping]!;
      hi = (hi - memoryStart[2 * mapping + 1]! - (difference < 0 ? 1 : 0)) >>> 0;
      lo = difference >>> 0;
    }
    list[LocationWord.relativeLo] = lo;
    list[LocationWord.relativeHi] = hi;
    list[LocationWord.isFolded] = locations.isFolded[row]!;
    const line = this.#line;
    const column = this.#column;
    for (let i = 0; i < lineCount; i++) {
      const at = LocationWord.lines + i * LINE_WIDTH;
      list[at] = this.#function(lines.function[start + i]!);
      list[at + 1] = line[2 * (start + i)]!;
      list[at + 2] = line[2 * (start + i) + 1]!;
      list[at + 3] = column === undefined ? 0 : column[2 * (start + i)]!;
      list[at + 4] = column === undefined ? 0 : column[2 * (start + i) + 1]!;
    }
    this.#locations[row] = this.#state.locations.row(list, count);
  }

  #function(row: number): number {
    const known = this.#functions[row]!;
    if (known !== UNMAPPED) return known;
    const { functions } = this.#profile;
    const strings = this.#strings;
    const list = this.#functionScratch;
    list[0] = strings[functions.name[row]!]!;
    list[1] = strings[functions.systemName[row]!]!;
    list[2] = strings[functions.filename[row]!]!;
    list[3] = this.#startLine[2 * row]!;
    list[4] = this.#startLine[2 * row + 1]!;
    const merged = this.#state.functions.row(list, list.length);
    this.#functions[row] = merged;
    return merged;
  }

  #mapping(row: number): number {
    const known = this.#mappings[row]!;
    if (known !== UNMAPPED) return known;
    const { mappings } = this.#profile;
    const { mappings: pool, mappingContents: contents, inputs } = this.#state;
    const strings = this.#strings;
    const start = mappings.memoryStart[row]!;
    const limit = mappings.memoryLimit[row]!;
    const size = BigInt.asUintN(64, (BigInt.asUintN(64, limit - start) + 0xfffn) & ~0xfffn);
    const offset = mappings.fileOffset[row]!;
    const filename = strings[mappings.filename[row]!]!;
    const buildId = strings[mappings.buildId[row]!]!;
    const key = Uint32Array.of(low(size), high(size), low(offset), high(offset), buildId === 0 ? filename : buildId);
    const before = pool.length;
    const merged = pool.row(key, key.length);
    const content = [this.#input, row, low(start), high(start), low(limit), high(limit), filename, buildId];
    content.push(mappings.flags[row]!);
    if (merged === before) for (const word of content) contents.push(word);
    else {
      const at = merged * MappingWord.width;
      const order = inputs.compare(this.#input, contents.data[at]!);
      const isSame = contents.data[at] === this.#input;
      if (isSame ? row < contents.data[at + MappingWord.row]! : order < 0) contents.data.set(content, at);
    }
    this.#mappings[row] = merged;
    return merged;
  }
}

function low(value: bigint): number {
  return Number(value & 0xffffffffn);
}

function high(value: bigint): number {
  return Number(value >> 32n);
}

export function earliestTime(a: bigint, b: bigint): bigint {
  if (a === 0n || b === 0n) return a === 0n ? b : a;
  return a < b ? a : b;
}
