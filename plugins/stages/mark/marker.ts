/** The edits that mark a profile: each location once, whatever the number of its samples. */
import { type GoFrame, type NewLine, type Profile, ProfileEditor } from '../../../core/index.js';
import type { MarkOptions } from '../../../schemas/gen/options/mark.js';
import type { CheckPlace } from './check-index.js';

/** File of the virtual functions: no real file has this name. */
const VIRTUAL_FILE = '<builtin>';

/** Label of a sample that says the kind of its bounds check, with `kind: label`. */
const KIND_LABEL = 'check';

export class Marker {
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

  /**
   * @param running by sample, offset into `stackLocations` of the entry that may be marked; −1 for none
   * @param places checks by location row
   */
  constructor(profile: Profile, options: MarkOptions, running: Int32Array, places: ReadonlyMap<number, CheckPlace>) {
    this.#profile = profile;
    this.#options = options;
    this.#running = running;
    this.#editor = new ProfileEditor(profile);
    this.#elsewhere = places.size === 0 ? new Uint8Array(0) : locationsElsewhere(profile, running);
  }

  /** Puts the virtual line on the sample's running location, which is that of `place`. */
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
