/**
 * Copy-on-write edits over a Profile: what symbolize and mark need. Rows of the base keep their numbers; new rows come behind them;
 * columns that no edit touches are shared with the base. Nothing is done per sample that is not edited.
 *
 *     const editor = new ProfileEditor(profile);
 *     const leaf = editor.function({ name: 'main.leaf', filename: 'main.go' });
 *     editor.setLines(locationRow, [{ function: leaf, line: 12 }]);
 *     return editor.finish();
 */

import { int64, uint64 } from '../int64.js';
import { NO_ROW, type Profile, UnknownIn } from '../profile.js';
import { requireRow } from '../rows.js';
import { remapUnknown } from '../unknown.js';
import type { LocationSpec } from './builder.js';
import { FunctionInterner, type FunctionSpec } from './function-interner.js';
import { LabelEdits } from './label-edits.js';
import { LocationEdits, type NewLine } from './location-edits.js';
import { StringInterner } from './string-interner.js';

export type { FunctionSpec } from './function-interner.js';
export type { NewLine } from './location-edits.js';

/** A label to add: of a string when `value` is one, else of a number with an optional unit. */
export type NewLabel =
  | { readonly key: string; readonly value: string }
  | { readonly key: string; readonly value: number | bigint; readonly unit?: string };

export class ProfileEditor {
  readonly base: Profile;
  readonly #strings: StringInterner;
  readonly #functions: FunctionInterner;
  readonly #locations: LocationEdits;
  readonly #labels: LabelEdits;
  #stackLocations: Uint32Array | undefined;
  #mappingFlags: Uint8Array | undefined;

  constructor(base: Profile) {
    this.base = base;
    this.#strings = new StringInterner(base.strings);
    this.#functions = new FunctionInterner(this.#strings, base.functions);
    this.#locations = new LocationEdits(base.locations);
    this.#labels = new LabelEdits(base.samples);
  }

  /** Row of a text, the base's or a new one. */
  string(text: string): number {
    return this.#strings.row(text);
  }

  /** Row of the function with exactly these four fields, the base's or a new one. */
  function(spec: FunctionSpec): number {
    return this.#functions.row(spec);
  }

  /** Lines of a location as they stand after the edits so far, innermost inlined callee first. */
  linesOf(locationRow: number): NewLine[] {
    return this.#locations.linesOf(locationRow);
  }

  /** Replaces all lines of a location: innermost inlined callee first, the physical function last. */
  setLines(locationRow: number, lines: readonly NewLine[]): void {
    for (const line of lines) requireRow('function', line.function, this.#functions.length);
    this.#locations.setLines(locationRow, lines);
  }

  /**
   * A copy of a location that samples can be moved to: same mapping, address, is_folded, lines and unknown fields, an id of its own.
   * @returns its row
   */
  splitLocation(locationRow: number): number {
    return this.#locations.split(locationRow);
  }

  /** A new location, of no real address unless given. @returns its row */
  addLocation(spec: Pick<LocationSpec, 'mapping' | 'address'> & { readonly lines: readonly NewLine[] }): number {
    const { mapping = NO_ROW, address = 0, lines } = spec;
    if (mapping !== NO_ROW) requireRow('mapping', mapping, this.base.mappings.length);
    for (const line of lines) requireRow('function', line.function, this.#functions.length);
    return this.#locations.add(mapping, uint64(address), lines);
  }

  /** @param depth 0 is the leaf */
  setStackEntry(sampleRow: number, depth: number, locationRow: number): void {
    const { samples } = this.base;
    requireRow('sample', sampleRow, samples.length);
    requireRow('location', locationRow, this.#locations.length);
    const start = samples.stackStart[sampleRow]!;
    requireRow('stack entry', depth, samples.stackStart[sampleRow + 1]! - start);
    this.#stackLocations ??= samples.stackLocations.slice();
    this.#stackLocations[start + depth] = locationRow;
  }

  replaceLeaf(sampleRow: number, locationRow: number): void {
    this.setStackEntry(sampleRow, 0, locationRow);
  }

  /** @param flags bits of MappingFlag, all of them: replaces what the mapping had */
  setMappingFlags(mappingRow: number, flags: number): void {
    const { mappings } = this.base;
    requireRow('mapping', mappingRow, mappings.length);
    if (this.#mappingFlags === undefined && mappings.flags[mappingRow] === flags) return;
    this.#mappingFlags ??= mappings.flags.slice();
    this.#mappingFlags[mappingRow] = flags;
  }

  /** Adds a label behind those that the sample has, also when it has one of that key. */
  addSampleLabel(sampleRow: number, label: NewLabel): void {
    requireRow('sample', sampleRow, this.base.samples.length);
    const key = this.#strings.row(label.key);
    if (typeof label.value === 'string') this.#labels.add(sampleRow, key, this.#strings.row(label.value), 0n, 0);
    else
      this.#labels.add(
        sampleRow,
        key,
        0,
        int64(label.value),
        'unit' in label ? this.#strings.row(label.unit ?? '') : 0,
      );
  }

  /**
   * The edited profile. Strings and functions that were asked for but that no edit refers to do not count as a change:
   * without any edit the base itself comes back.
   */
  finish(): Profile {
    const { base } = this;
    const locationsChanged = this.#locations.changed;
    const labelsChanged = this.#labels.length > 0;
    if (!locationsChanged && !labelsChanged && this.#stackLocations === undefined && this.#mappingFlags === undefined) {
      return base;
    }

    const locations = this.#locations.finish();
    const labels = this.#labels.finish();
    const unknown =
      !locationsChanged && !labelsChanged
        ? base.unknown
        : remapUnknown(base.unknown, (message, row) => {
            if (message === UnknownIn.line) return locations.lineRows(row);
            if (message === UnknownIn.location) return [row, ...locations.copiesOf(row)];
            return [message === UnknownIn.label ? labels.rowOf(row) : row];
          });
    const { unknown: _, ...known } = base;
    return {
      ...known,
      strings: this.#strings.finish(),
      functions: this.#functions.finish(),
      locations: locations.table,
      samples: {
        ...base.samples,
        stackLocations: this.#stackLocations ?? base.samples.stackLocations,
        labelStart: labels.labelStart,
        labels: labels.table,
      },
      mappings: this.#mappingFlags === undefined ? base.mappings : { ...base.mappings, flags: this.#mappingFlags },
      ...(unknown === undefined ? {} : { unknown }),
    };
  }
}
