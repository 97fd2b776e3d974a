/** Makes one merge of two. */
import {
  type CompareInputs,
  checkCompatible,
  earlier,
  earliestTime,
  type MergeHeader,
  type OfFirst,
} from './header.js';
import type { AddedRows } from './kernel.js';
import type { MergeState } from './state.js';

/** Place of the column of samples among a merge's. */
const SAMPLES = 9;

/**
 * @returns one of the two, with the other in it; the other is used up
 * @throws FormatError E_INCOMPATIBLE, or E_LIMIT for lack of memory; then both are as they were
 */
export function combineMerges(a: MergeState, b: MergeState): MergeState {
  if (a.header.types !== undefined && b.header.types !== undefined) checkCompatible(a.header.types, b.header.types);
  // The result is the same either way. The smaller one is less work; one that is at rest takes the memory of a kernel more to be merged into.
  const weight = (state: MergeState) => state.tables().columns[SAMPLES]!.length * (state.isAtRest ? 1 : 2);
  const [into, from] = weight(a) < weight(b) ? [b, a] : [a, b];
  const kernel = into.kernel();
  const { exports } = kernel;
  const shift = exports.inputCount();
  const { columns, turns } = from.tables();
  const typeCount = (into.header.types ?? from.header.types)?.sampleTypes.length ?? 0;
  const words = columns.flatMap((column) => [column, column.length]);
  const add = (address: number) => exports.addMerge(address, typeCount);
  kernel.addWords(words, add, (rows) => {
    for (const [value, times] of turns) {
      const sample = rows.samples[Math.floor(value / typeCount)]!;
      kernel.turn(typeCount * sample + (value % typeCount), times);
    }
    addHeader(into.header, from.header, exports.compareInputs, shift, rows);
  });
  from.end();
  return into;
}

/** @param shift what to add to the rows of the other's inputs */
function addHeader(
  header: MergeHeader,
  other: MergeHeader,
  compareInputs: CompareInputs,
  shift: number,
  { strings, mappings }: AddedRows,
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
  header.defaultSampleType = earlier(compareInputs, header.defaultSampleType, moved(other.defaultSampleType, string));
  header.docUrl = earlier(compareInputs, header.docUrl, moved(other.docUrl, string));
  header.frames = earlier(
    compareInputs,
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
    compareInputs,
    header.mainMapping,
    moved(other.mainMapping, (row) => mappings[row]!),
  );
  header.profilesWithUnknownFields += other.profilesWithUnknownFields;
}
