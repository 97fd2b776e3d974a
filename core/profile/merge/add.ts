/** Adds one profile to a merge. */
import { NO_ROW, type Profile } from '../profile.js';
import { wordsOf } from './growing.js';
import { checkCompatible, earlier, earliestTime, typesOf } from './header.js';
import { MappingWord } from './mapping-pool.js';
import type { MergeState } from './state.js';

export interface MergeInput {
  /** For messages. */
  readonly uri: string;
  readonly digest: Uint8Array;
}

/** @throws FormatError E_INCOMPATIBLE; then the state is as it was */
export function addProfile(state: MergeState, profile: Profile, from: MergeInput): void {
  const types = typesOf(profile, from.uri);
  if (state.header.types !== undefined) checkCompatible(state.header.types, types);
  const { inputs } = state;
  const input = inputs.add(profile.timeNanos, from.digest);
  const { length, bytes, starts } = profile.strings;
  const strings = state.strings.add({ length, bytes, starts: wordsOf(starts) });
  const functions = addFunctions(state, profile, strings);
  const wanted = samplesWithValues(profile);
  const used = usedLocations(profile, wanted);
  const mappings = addMappings(state, profile, input, used, strings);
  const locations = addLocations(state, profile, used, mappings, functions);
  const labelSets = addLabelSets(state, profile, wanted, strings);
  const { samples } = profile;
  const columns = {
    wanted,
    labelSets,
    stackStart: wordsOf(samples.stackStart),
    stackLocations: wordsOf(samples.stackLocations),
    values: wordsOf(samples.values),
    typeCount: profile.sampleTypes.length,
    input,
  };
  state.samples.add(columns, locations, inputs.isLast(input) ? undefined : inputs);
  addHeader(state, profile, types, input, strings, mappings);
}

/** Rows of the samples that are not all 0: google/pprof leaves those out. */
function samplesWithValues(profile: Profile): Int32Array {
  const { length } = profile.samples;
  const values = wordsOf(profile.samples.values);
  const width = 2 * profile.sampleTypes.length;
  const rows = new Int32Array(length);
  let count = 0;
  for (let row = 0; row < length; row++) {
    let any = 0;
    for (let i = row * width; i < (row + 1) * width; i++) any |= values[i]!;
    if (any !== 0) rows[count++] = row;
  }
  return rows.subarray(0, count);
}

/** 1 for each location that these samples have. */
function usedLocations(profile: Profile, samples: Int32Array): Uint8Array {
  const { stackStart, stackLocations } = profile.samples;
  const used = new Uint8Array(profile.locations.length);
  for (let i = 0; i < samples.length; i++) {
    const end = stackStart[samples[i]! + 1]!;
    for (let at = stackStart[samples[i]!]!; at < end; at++) used[stackLocations[at]!] = 1;
  }
  return used;
}

function addFunctions(state: MergeState, { functions }: Profile, strings: Int32Array): Int32Array {
  const { length, name, systemName, filename, startLine } = functions;
  const columns = {
    length,
    name: wordsOf(name),
    systemName: wordsOf(systemName),
    filename: wordsOf(filename),
    startLine: wordsOf(startLine),
  };
  return state.functions.add(columns, strings);
}

/** Row 0 is the main program's, and kept; of the others those that are used: unused ones would say where the file was loaded. */
function addMappings(
  state: MergeState,
  { mappings, locations }: Profile,
  input: number,
  used: Uint8Array,
  strings: Int32Array,
): Int32Array {
  const isUsed = new Uint8Array(mappings.length);
  if (mappings.length > 0) isUsed[0] = 1;
  for (let location = 0; location < locations.length; location++) {
    if (used[location] === 1 && locations.mapping[location] !== NO_ROW) isUsed[locations.mapping[location]!] = 1;
  }
  const starts = wordsOf(mappings.memoryStart);
  const limits = wordsOf(mappings.memoryLimit);
  const offsets = wordsOf(mappings.fileOffset);
  const content = new Int32Array(MappingWord.width);
  const rows = new Int32Array(mappings.length);
  for (let row = 0; row < mappings.length; row++) {
    if (isUsed[row] === 0) continue;
    content[MappingWord.input] = input;
    content[MappingWord.row] = row;
    for (const half of [0, 1]) {
      content[MappingWord.start + half] = starts[2 * row + half]!;
      content[MappingWord.limit + half] = limits[2 * row + half]!;
      content[MappingWord.offset + half] = offsets[2 * row + half]!;
    }
    content[MappingWord.filename] = strings[mappings.filename[row]!]!;
    content[MappingWord.buildId] = strings[mappings.buildId[row]!]!;
    content[MappingWord.flags] = mappings.flags[row]!;
    rows[row] = state.mappings.add(content, state.inputs);
  }
  return rows;
}

function addLocations(
  state: MergeState,
  { locations, mappings }: Profile,
  used: Uint8Array,
  mappingRows: Int32Array,
  functionRows: Int32Array,
): Int32Array {
  const { length, mapping, address, isFolded, lineStart, lines } = locations;
  const columns = {
    length,
    mapping: wordsOf(mapping),
    address: wordsOf(address),
    memoryStart: wordsOf(mappings.memoryStart),
    isFolded,
    lineStart: wordsOf(lineStart),
    lineFunction: wordsOf(lines.function),
    line: wordsOf(lines.line),
    column: lines.column === undefined ? undefined : wordsOf(lines.column),
  };
  return state.locations.add(columns, used, mappingRows, functionRows);
}

function addLabelSets(state: MergeState, { samples }: Profile, wanted: Int32Array, strings: Int32Array): Int32Array {
  const { key, str, num, numUnit } = samples.labels;
  const columns = {
    starts: wordsOf(samples.labelStart),
    key: wordsOf(key),
    str: wordsOf(str),
    num: wordsOf(num),
    numUnit: wordsOf(numUnit),
  };
  return state.labelSets.add(columns, wanted, strings);
}

function addHeader(
  { header, inputs }: MergeState,
  profile: Profile,
  types: ReturnType<typeof typesOf>,
  input: number,
  strings: Int32Array,
  mappings: Int32Array,
): void {
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
    header.mainMapping = earlier(inputs, header.mainMapping, { input, value: mappings[0]! });
  }
  if (profile.unknown !== undefined) header.profilesWithUnknownFields++;
}
