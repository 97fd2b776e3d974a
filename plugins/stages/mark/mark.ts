/** Marks the samples of one profile that were taken at a bounds or nil check. */
import {
  type BinaryStore,
  type CheckKind,
  FormatError,
  type Profile,
  type StageItemContext,
  stringAt,
} from '../../../core/index.js';
import type { MarkOptions } from '../../../schemas/gen/options/mark.js';
import type { CheckIndex, CheckPlace } from './check-index.js';
import { ASYNC_PREEMPT, type ExecutionPoints, executionPoints } from './execution-points.js';
import { locator, type PlacedLocation } from './located-binary.js';
import { Marker } from './marker.js';
import type { MarkReport } from './report.js';
import { ReportBuilder } from './report-builder.js';

type Context = Pick<StageItemContext<MarkReport>, 'count' | 'warn' | 'report'>;

/**
 * The virtual line goes on the location of the running instruction (the leaf; with `async_preempt` also the one that
 * runtime.asyncPreempt interrupted), and nowhere else: a location that other stacks have as a caller is split.
 */
export function markProfile(
  profile: Profile,
  options: MarkOptions,
  binaries: BinaryStore,
  index: CheckIndex,
  context: Context,
): Profile {
  const kinds = new Set<CheckKind>(options.checks);
  if (kinds.size === 0) return profile;
  const locate = locator(profile, binaries);
  const points = executionPoints(profile, asyncPreemptTest(profile, locate));
  const running = options.async_preempt ? runningEntries(points) : points.entry;
  const places = findPlaces(profile, running, kinds, locate, index, context);
  const report = new ReportBuilder(profile, options.async_preempt, places.values());
  const marker = new Marker(profile, options, running, places);
  for (let sample = 0; sample < profile.samples.length; sample++) {
    const at = running[sample]!;
    const place = at < 0 ? undefined : places.get(profile.samples.stackLocations[at]!);
    report.add(sample, place, points.interrupted[sample]! >= 0);
    if (place?.part === 'own') marker.mark(sample, place);
  }
  for (const [counter, amount] of Object.entries(marker.counts)) if (amount > 0) context.count(counter, amount);
  context.report(report.finish());
  return marker.finish();
}

/** The interrupted instruction where there is one, else the leaf. */
function runningEntries({ entry, interrupted }: ExecutionPoints): Int32Array {
  return entry.map((leaf, sample) => (interrupted[sample]! >= 0 ? interrupted[sample]! : leaf));
}

/** By the name of the physical function: the profile's, or for a location without lines the binary's. */
function asyncPreemptTest(profile: Profile, locate: (row: number) => PlacedLocation): (location: number) => boolean {
  const { locations, functions, strings } = profile;
  const isPreempt = Uint8Array.from(functions.name, (name) => (stringAt(strings, name) === ASYNC_PREEMPT ? 1 : 0));
  return (location) => {
    const end = locations.lineStart[location + 1]!;
    if (end > locations.lineStart[location]!) return isPreempt[locations.lines.function[end - 1]!] === 1;
    return functionNameAt(locate(location)) === ASYNC_PREEMPT;
  };
}

/** Undefined where no binary or no function is, or its table is spoilt: that is counted where the function is looked into. */
function functionNameAt({ binary, ...place }: PlacedLocation): string | undefined {
  if (binary?.go === undefined || !('objectAddress' in place)) return undefined;
  try {
    const functionIndex = binary.go.find(place.objectAddress);
    return functionIndex < 0 ? undefined : binary.go.name(functionIndex);
  } catch (error) {
    if (error instanceof FormatError) return undefined;
    throw error;
  }
}

/** Checks by location row, over all locations where a sample was running; counts those that could not be looked at. */
function findPlaces(
  profile: Profile,
  running: Int32Array,
  kinds: ReadonlySet<CheckKind>,
  locate: (location: number) => PlacedLocation,
  index: CheckIndex,
  context: Context,
): Map<number, CheckPlace> {
  const places = new Map<number, CheckPlace>();
  const looked = new Uint8Array(profile.locations.length);
  const giveUp = (reason: string, message: string): void => {
    context.count(`locations_unchecked.${reason}`);
    context.warn(reason, message);
  };
  for (const at of running) {
    if (at < 0) continue;
    const location = profile.samples.stackLocations[at]!;
    if (looked[location] === 1) continue;
    looked[location] = 1;
    const placed = locate(location);
    if (placed.binary === undefined) {
      giveUp(placed.reason, placed.message);
      continue;
    }
    try {
      const place = index.find(placed.binary, placed.objectAddress);
      if (place !== undefined && kinds.has(place.check.kind)) places.set(location, place);
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      giveUp('spoilt_go_table', `${placed.binary.path}: ${error.describe()}`);
    }
  }
  return places;
}
