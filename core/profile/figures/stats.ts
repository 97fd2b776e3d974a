/** Figures that tell what a profile holds and how good it is. */
import { halves, NO_ROW, type Profile, stringAt } from '../profile.js';
import { ExactSums } from '../sums.js';

export interface ProfileStats {
  readonly samples: number;
  readonly locations: number;
  readonly lines: number;
  readonly functions: number;
  readonly mappings: number;
  readonly strings: number;
  readonly stringBytes: number;
  readonly unknownFields: number;
  /** Sums over all samples; negative values take away. */
  readonly sampleTypes: readonly { readonly type: string; readonly unit: string; readonly total: bigint }[];
  /** Locations in the stack of a sample. */
  readonly stackDepth: { readonly min: number; readonly mean: number; readonly max: number };
  /** Locations without a line. */
  readonly unsymbolizedLocations: number;
  /** Locations with more than one line. */
  readonly locationsWithInlining: number;
  readonly locationsWithoutMapping: number;
  /** Samples with a negative value: a difference of profiles has them. */
  readonly negativeSamples: number;
  /** By key, in order of the number of samples that have it. */
  readonly labels: readonly { readonly key: string; readonly samples: number; readonly values: number }[];
  readonly timeNanos: bigint;
  readonly durationNanos: bigint;
}

export function profileStats(profile: Profile): ProfileStats {
  const { samples, locations, functions, mappings, strings } = profile;
  const lineCounts = differences(locations.lineStart);
  const depths = differences(samples.stackStart);
  const { totals, negativeSamples } = valueSums(profile);
  return {
    samples: samples.length,
    locations: locations.length,
    lines: locations.lines.length,
    functions: functions.length,
    mappings: mappings.length,
    strings: strings.length,
    stringBytes: strings.bytes.length,
    unknownFields: profile.unknown?.length ?? 0,
    sampleTypes: profile.sampleTypes.map(({ type, unit }, index) => ({
      type: stringAt(strings, type),
      unit: stringAt(strings, unit),
      total: totals.at(index),
    })),
    stackDepth: {
      min: depths.reduce((least, depth) => Math.min(least, depth), depths[0] ?? 0),
      mean: depths.length === 0 ? 0 : samples.stackLocations.length / depths.length,
      max: depths.reduce((most, depth) => Math.max(most, depth), 0),
    },
    unsymbolizedLocations: count(lineCounts, (lines) => lines === 0),
    locationsWithInlining: count(lineCounts, (lines) => lines > 1),
    locationsWithoutMapping: count(locations.mapping, (mapping) => mapping === NO_ROW),
    negativeSamples,
    labels: labelKeys(profile),
    timeNanos: profile.timeNanos,
    durationNanos: profile.durationNanos,
  };
}

function valueSums(profile: Profile): { totals: ExactSums; negativeSamples: number } {
  const types = profile.sampleTypes.length;
  const totals = new ExactSums(types);
  const words = halves(profile.samples.values);
  let negativeSamples = 0;
  for (let sample = 0; sample < profile.samples.length; sample++) {
    let negative = false;
    for (let type = 0; type < types; type++) {
      const word = (sample * types + type) * 2;
      const high = words[word + 1]! | 0;
      totals.add(type, words[word]!, high);
      negative ||= high < 0;
    }
    if (negative) negativeSamples++;
  }
  return { totals, negativeSamples };
}

function labelKeys(profile: Profile): ProfileStats['labels'] {
  const { labelStart, labels, length } = profile.samples;
  const found = new Map<string, { samples: number; values: Set<string>; lastSample: number }>();
  for (let sample = 0; sample < length; sample++) {
    for (let row = labelStart[sample]!; row < labelStart[sample + 1]!; row++) {
      const key = stringAt(profile.strings, labels.key[row]!);
      let entry = found.get(key);
      if (entry === undefined) {
        entry = { samples: 0, values: new Set(), lastSample: -1 };
        found.set(key, entry);
      }
      entry.values.add(`${labels.str[row]} ${labels.num[row]} ${labels.numUnit[row]}`);
      if (entry.lastSample !== sample) entry.samples++;
      entry.lastSample = sample;
    }
  }
  return Array.from(found, ([key, entry]) => ({ key, samples: entry.samples, values: entry.values.size })).sort(
    (a, b) => b.samples - a.samples || (a.key < b.key ? -1 : 1),
  );
}

function differences(starts: Uint32Array): Uint32Array {
  const counts = new Uint32Array(starts.length - 1);
  for (let row = 0; row < counts.length; row++) counts[row] = starts[row + 1]! - starts[row]!;
  return counts;
}

function count(column: Uint32Array, holds: (value: number) => boolean): number {
  let found = 0;
  for (const value of column) if (holds(value)) found++;
  return found;
}
