/** Marks the samples of one profile that were taken at a bounds or nil check. */
import {
  type BinaryStore,
  type CheckKind,
  FormatError,
  type GoFrame,
  type NewLine,
  type Profile,
  ProfileEditor,
  type StageItemContext,
  stringAt,
} from '../../../core/index.js';
import type { MarkOptions } from '../../../schemas/gen/options/mark.js';
import type { CheckIndex, CheckPlace } from './check-index.js';
import { ASYNC_PREEMPT, type ExecutionPoints, executionPoints } from './execution-points.js';
import { locator, type PlacedLocation } from './located-binary.js';
import type { MarkReport } from './report.js';
import { ReportBuilder } from './report-builder.js';

/** File of the virtual functions: no real file has this name. */
export const VIRTUAL_FILE = '<builtin>';

/** Label of a sample that says the kind of its bounds check, with `kind: label`. */
export const KIND_LABEL = 'check';

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
    const place = locate(location);
    const go = place.binary?.go;
    if (place.binary === undefined || go === undefined) return false;
    const functionIndex = go.find(place.objectAddress);
    return functionIndex >= 0 && go.name(functionIndex) === ASYNC_PREEMPT;
  };
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

/** Edits of the profile: each marked location once, whatever the number of its samples. */
class Marker {
  readonly counts = { locations_marked: 0, locations_split: 0, locations_already_marked: 0 };
  readonly #profile: Profile;
  readonly #options: MarkOptions;
  readonly #running: Int32Array;
  readonly #editor: ProfileEditor;
  /** 1 for locations that some stack has where it was not running. */
  readonly #elsewhere: Uint8Array;
  /** Marked row by location row; undefined for those that had the mark when they came. */
  readonly #rows = new Map<number, number | undefined>();
  /** Function rows of the two virtual lines, once asked for. */
  #virtual: readonly number[] | undefined;

  constructor(profile: Profile, options: MarkOptions, running: Int32Array, places: ReadonlyMap<number, CheckPlace>) {
    this.#profile = profile;
    this.#options = options;
    this.#running = running;
    this.#editor = new ProfileEditor(profile);
    this.#elsewhere = places.size === 0 ? new Uint8Array(0) : locationsElsewhere(profile, running);
  }

  mark(sample: number, place: CheckPlace): void {
    const { stackStart, stackLocations } = this.#profile.samples;
    const at = this.#running[sample]!;
    const location = stackLocations[at]!;
    if (!this.#rows.has(location)) this.#rows.set(location, this.#markedRow(location, place));
    const row = this.#rows.get(location);
    if (row === undefined) return;
    if (row !== location) this.#editor.setStackEntry(sample, at - stackStart[sample]!, row);
    if (this.#options.kind === 'label' && place.check.kind === 'boundcheck') {
      this.#editor.addSampleLabel(sample, { key: KIND_LABEL, value: place.check.check });
    }
  }

  finish(): Profile {
    return this.#editor.finish();
  }

  #markedRow(location: number, place: CheckPlace): number | undefined {
    const lines = this.#editor.linesOf(location);
    if (this.#isMarked(lines)) {
      this.counts.locations_already_marked++;
      return undefined;
    }
    this.counts.locations_marked++;
    let row = location;
    if (this.#elsewhere[location] === 1) {
      row = this.#editor.splitLocation(location);
      this.counts.locations_split++;
    }
    const real = lines.length > 0 ? lines : place.frames.map((frame) => this.#lineOf(frame));
    this.#editor.setLines(row, [...this.#virtualLines(place), ...real]);
    return row;
  }

  #isMarked(lines: readonly NewLine[]): boolean {
    this.#virtual ??= Object.values(this.#options.names).map((name) => this.#virtualFunction(name));
    const virtual = this.#virtual;
    return lines.some((line) => virtual.includes(line.function));
  }

  #virtualLines({ check }: CheckPlace): NewLine[] {
    const name = this.#options.names[check.kind];
    const line = { function: this.#virtualFunction(name), line: 0 };
    if (this.#options.kind !== 'child' || check.kind !== 'boundcheck') return [line];
    return [{ function: this.#virtualFunction(`${name}.${check.check}`), line: 0 }, line];
  }

  #virtualFunction(name: string): number {
    return this.#editor.function({ name, systemName: name, filename: VIRTUAL_FILE, startLine: 0 });
  }

  /** A location without lines gets the binary's own, or the virtual line would stand without its function. */
  #lineOf(frame: GoFrame): NewLine {
    const { function: name, file: filename, startLine, line } = frame;
    return { function: this.#editor.function({ name, systemName: name, filename, startLine }), line };
  }
}

function locationsElsewhere(profile: Profile, running: Int32Array): Uint8Array {
  const { stackStart, stackLocations, length } = profile.samples;
  const elsewhere = new Uint8Array(profile.locations.length);
  for (let sample = 0; sample < length; sample++) {
    for (let at = stackStart[sample]!; at < stackStart[sample + 1]!; at++) {
      if (at !== running[sample]) elsewhere[stackLocations[at]!] = 1;
    }
  }
  return elsewhere;
}
