/** Makes one merge of two. */
import { checkCompatible, earlier, earliestTime, type OfFirst } from './header.js';
import { MappingWord } from './mapping-pool.js';
import type { MergeState } from './state.js';

/**
 * @returns one of the two, with the other in it; the other is used up
 * @throws FormatError E_INCOMPATIBLE; then both are as they were
 */
export function combineMerges(a: MergeState, b: MergeState): MergeState {
  if (a.header.types !== undefined && b.header.types !== undefined) checkCompatible(a.header.types, b.header.types);
  // The result is the same either way; the smaller one is less work.
  const [into, from] = a.samples.length < b.samples.length ? [b, a] : [a, b];
  const shift = into.inputs.append(from.inputs);
  const strings = into.strings.add(from.strings.columns());
  const functions = into.functions.add(from.functions.columns(), strings);
  const mappings = addMappings(into, from, shift, strings);
  const locations = into.locations.add(from.locations.columns(), undefined, mappings, functions);
  const labelSets = into.labelSets.add(from.labelSets.columns(), allRows(from.labelSets.length), strings);
  addSamples(into, from, shift, locations, labelSets);
  addHeader(into, from, shift, strings, mappings);
  return into;
}

const allRows = (length: number) => new Int32Array(length).map((_, row) => row);

/** @param shift what to add to the rows of `from`'s inputs */
function addMappings(into: MergeState, from: MergeState, shift: number, strings: Int32Array): Int32Array {
  const rows = new Int32Array(from.mappings.length);
  for (let row = 0; row < rows.length; row++) {
    const { data } = from.mappings.contents;
    const content = data.slice(row * MappingWord.width, (row + 1) * MappingWord.width);
    content[MappingWord.input]! += shift;
    content[MappingWord.filename] = strings[content[MappingWord.filename]!]!;
    content[MappingWord.buildId] = strings[content[MappingWord.buildId]!]!;
    rows[row] = into.mappings.add(content, into.inputs);
  }
  return rows;
}

function addSamples(
  into: MergeState,
  { samples, header }: MergeState,
  shift: number,
  locations: Int32Array,
  labelSets: Int32Array,
): void {
  const typeCount = (into.header.types ?? header.types)?.sampleTypes.length ?? 0;
  const columns = {
    wanted: allRows(samples.length),
    labelSets: new Int32Array(samples.length).map((_, row) => labelSets[samples.labelSet.data[row]!]!),
    stackStart: samples.stackStart.data,
    stackLocations: samples.stackLocations.data,
    values: samples.sums.words.data,
    typeCount,
    input: shift,
    firsts: samples.firsts.data,
  };
  const rows = into.samples.add(columns, locations, into.inputs);
  for (const [value, turns] of samples.sums.turns) {
    const sample = Math.floor(value / typeCount);
    into.samples.sums.turn(typeCount * rows[sample]! + (value % typeCount), turns);
  }
}

function addHeader(
  { header, inputs }: MergeState,
  { header: other }: MergeState,
  shift: number,
  strings: Int32Array,
  mappings: Int32Array,
): void {
  const moved = <Value>(of: OfFirst<Value> | undefined, value: (of: Value) => Value): OfFirst<Value> | undefined =>
    of === undefined ? undefined : { input: of.input + shift, value: value(of.value) };
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
