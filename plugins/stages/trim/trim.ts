/**
 * A profile for profile-guided optimization. Go's compiler takes from it how often a call site calls what: by function names, and lines
 * relative to the function's start (source: cmd/internal/pgo of Go 1.23). So stacks, names, lines and start lines stay; addresses,
 * mappings, columns, labels and other values go, and with them what only they told apart.
 */
import {
  dropSampleType,
  filterSamples,
  findSampleType,
  heaviestFirst,
  NO_ROW,
  type Profile,
  selectRows,
  stringAt,
  sumEqualSamples,
  weightsOf,
} from '../../../core/index.js';

export interface Trimmed {
  readonly profile: Profile;
  readonly droppedStacks: number;
  /** Whether any function has one. */
  readonly hasStartLines: boolean;
}

/**
 * @param share of the weight that stays at least, above 0 and up to 1
 * @param sampleType see the option
 * @throws FormatError E_SAMPLE_TYPE
 */
export function trimProfile(profile: Profile, share: number, sampleType?: string): Trimmed {
  const summed = sumEqualSamples(bare(profile, weighedType(profile, sampleType)));
  const weights = weightsOf(summed, 0);
  const kept = new Uint8Array(summed.samples.length);
  const goal = share * weights.reduce((sum, weight) => sum + Math.abs(weight), 0);
  let reached = 0;
  let count = 0;
  for (const row of heaviestFirst(weights)) {
    if (reached >= goal) break;
    reached += Math.abs(weights[row]!);
    kept[row] = 1;
    count++;
  }
  const trimmed = filterSamples(summed, ({ row }) => kept[row] === 1);
  return {
    profile: trimmed,
    droppedStacks: kept.length - count,
    hasStartLines: trimmed.functions.startLine.some((line) => line !== 0n),
  };
}

/** What the compiler looks for: samples/count, else cpu/nanoseconds. */
function weighedType(profile: Profile, name: string | undefined): number {
  if (name !== undefined) return findSampleType(profile, name).index;
  const types = profile.sampleTypes.map(({ type, unit }) =>
    [type, unit].map((row) => stringAt(profile.strings, row)).join('/'),
  );
  const known = ['samples/count', 'cpu/nanoseconds'].map((type) => types.indexOf(type)).find((index) => index >= 0);
  return known ?? findSampleType(profile).index;
}

/** Only one value, and only what the compiler reads. Locations without lines keep their addresses: they are different places. */
function bare(profile: Profile, type: number): Profile {
  let single = profile;
  for (let other = profile.sampleTypes.length - 1; other >= 0; other--) {
    if (other !== type) single = dropSampleType(single, other);
  }
  const { locations } = single;
  const isNamed = (row: number) => locations.lineStart[row + 1]! > locations.lineStart[row]!;
  return selectRows(
    {
      ...single,
      locations: {
        ...locations,
        mapping: locations.mapping.map((mapping, row) => (isNamed(row) ? NO_ROW : mapping)),
        address: locations.address.map((address, row) => (isNamed(row) ? 0n : address)),
        lines: { ...locations.lines, column: undefined },
      },
    },
    { labels: new Uint8Array(single.samples.labels.length) },
  );
}
