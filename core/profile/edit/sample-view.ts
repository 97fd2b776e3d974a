/**
 * Samples one after the other, through one view that is moved from row to row: nothing is allocated per sample. What a view gives is read
 * from the columns when it is asked.
 *
 *     forEachSample(profile, (sample) => {
 *       if (sample.label('tenant') === 'acme') total += sample.value(0);
 *     });
 */
import { halves, NO_ROW, type Profile, type StringTable, stringAt } from '../profile.js';

export type FrameOrder = 'leaf-first' | 'root-first';

/** One frame of a stack, as rows: of a location without lines the function and the line are NO_ROW. @returns false to stop there */
export type FrameVisitor = (functionRow: number, lineRow: number, locationRow: number) => unknown;

/** Good only while `forEachSample` is at it: to keep something, keep its `row`. */
export interface SampleView {
  /** In the table of samples. */
  readonly row: number;
  /** Locations of the stack. */
  readonly depth: number;
  /** @param depth 0 is the leaf @returns location row; undefined beyond the root */
  location(depth: number): number | undefined;
  /** Every frame, inlined ones too. */
  eachFrame(order: FrameOrder, visit: FrameVisitor): void;
  /** Whether a frame is of one of the functions (see `findFunctions`): by row, 1 = yes. */
  calls(functions: Uint8Array): boolean;
  /** Name of a function row; "" where the table has none. Each is decoded once a profile. */
  functionName(functionRow: number): string;
  /** @param type place among the sample types @returns exact up to ±2^53, rounded beyond */
  value(type: number): number;
  /** Exact; allocates. */
  bigValue(type: number): bigint;
  /** The first text of a key; undefined when there is none. */
  label(key: string): string | undefined;
  /** The first number of a key, exact up to ±2^53; undefined when there is none. */
  numberLabel(key: string): number | undefined;
}

export function forEachSample(profile: Profile, visit: (sample: SampleView) => void): void {
  const view = new View(profile);
  for (let row = 0; row < profile.samples.length; row++) {
    view.row = row;
    visit(view);
  }
}

const TWO_32 = 2 ** 32;
const RECENT = 1_024;

class View implements SampleView {
  row = 0;
  readonly #profile: Profile;
  readonly #types: number;
  readonly #values: Uint32Array;
  readonly #labelTexts: RecentTexts;
  /** By function row, as they are asked for. */
  readonly #names: (string | undefined)[] = [];
  readonly #labelStart: Uint32Array;
  readonly #labelKey: Uint32Array;
  readonly #labelText: Uint32Array;
  /** The key that was asked last, and 1 for the string rows that hold it: a table may hold a text twice. */
  #key: string | undefined;
  #keyRows: Uint8Array = new Uint8Array(0);
  readonly #rowsOfKey = new Map<string, Uint8Array>();

  constructor(profile: Profile) {
    this.#profile = profile;
    this.#types = profile.sampleTypes.length;
    this.#values = halves(profile.samples.values);
    this.#labelTexts = new RecentTexts(profile.strings);
    const { labelStart, labels } = profile.samples;
    this.#labelStart = labelStart;
    this.#labelKey = labels.key;
    this.#labelText = labels.str;
  }

  get depth(): number {
    const { stackStart } = this.#profile.samples;
    return stackStart[this.row + 1]! - stackStart[this.row]!;
  }

  location(depth: number): number | undefined {
    const { stackStart, stackLocations } = this.#profile.samples;
    return depth < this.depth ? stackLocations[stackStart[this.row]! + depth] : undefined;
  }

  eachFrame(order: FrameOrder, visit: FrameVisitor): void {
    const { stackStart, stackLocations } = this.#profile.samples;
    const start = stackStart[this.row]!;
    const end = stackStart[this.row + 1]!;
    if (order === 'leaf-first') {
      for (let entry = start; entry < end; entry++) if (!this.#eachLine(stackLocations[entry]!, 1, visit)) return;
    } else {
      for (let entry = end - 1; entry >= start; entry--) if (!this.#eachLine(stackLocations[entry]!, -1, visit)) return;
    }
  }

  calls(functions: Uint8Array): boolean {
    const { samples, locations } = this.#profile;
    const { lineStart, lines } = locations;
    const end = samples.stackStart[this.row + 1]!;
    for (let entry = samples.stackStart[this.row]!; entry < end; entry++) {
      const location = samples.stackLocations[entry]!;
      const lineEnd = lineStart[location + 1]!;
      for (let line = lineStart[location]!; line < lineEnd; line++) {
        if (functions[lines.function[line]!] === 1) return true;
      }
    }
    return false;
  }

  functionName(functionRow: number): string {
    if (functionRow === NO_ROW) return '';
    let name = this.#names[functionRow];
    if (name === undefined) {
      name = stringAt(this.#profile.strings, this.#profile.functions.name[functionRow]!);
      this.#names[functionRow] = name;
    }
    return name;
  }

  value(type: number): number {
    const at = (this.row * this.#types + type) * 2;
    return (this.#values[at + 1]! | 0) * TWO_32 + this.#values[at]!;
  }

  bigValue(type: number): bigint {
    return this.#profile.samples.values[this.row * this.#types + type]!;
  }

  label(key: string): string | undefined {
    const isKey = key === this.#key ? this.#keyRows : this.#lookUp(key);
    const starts = this.#labelStart;
    const end = starts[this.row + 1]!;
    for (let label = starts[this.row]!; label < end; label++) {
      const text = this.#labelText[label]!;
      if (isKey[this.#labelKey[label]!] === 1 && text !== 0) return this.#labelTexts.at(text);
    }
    return undefined;
  }

  numberLabel(key: string): number | undefined {
    const keyRows = key === this.#key ? this.#keyRows : this.#lookUp(key);
    const { labelStart, labels } = this.#profile.samples;
    const end = labelStart[this.row + 1]!;
    for (let label = labelStart[this.row]!; label < end; label++) {
      if (keyRows[labels.key[label]!] === 1 && labels.str[label] === 0) return Number(labels.num[label]);
    }
    return undefined;
  }

  /** @param step 1 for innermost inlined call first @returns false when the visitor stopped */
  #eachLine(location: number, step: 1 | -1, visit: FrameVisitor): boolean {
    const { lineStart, lines } = this.#profile.locations;
    const start = lineStart[location]!;
    const end = lineStart[location + 1]!;
    if (start === end) return visit(NO_ROW, NO_ROW, location) !== false;
    for (let line = step === 1 ? start : end - 1; line >= start && line < end; line += step) {
      if (visit(lines.function[line]!, line, location) === false) return false;
    }
    return true;
  }

  #lookUp(key: string): Uint8Array {
    let rows = this.#rowsOfKey.get(key);
    if (rows === undefined) {
      rows = rowsOfText(this.#profile.strings, key);
      this.#rowsOfKey.set(key, rows);
    }
    this.#key = key;
    this.#keyRows = rows;
    return rows;
  }
}

/**
 * The texts that were asked for last, by the low bits of their rows: labels have few values that come again and again, or so many that
 * room for all strings costs more than to decode them.
 */
class RecentTexts {
  readonly #strings: StringTable;
  readonly #rows = new Uint32Array(RECENT);
  readonly #texts: string[] = new Array(RECENT).fill('');

  constructor(strings: StringTable) {
    this.#strings = strings;
  }

  at(row: number): string {
    const place = row % RECENT;
    if (this.#rows[place] !== row) {
      this.#texts[place] = internalized(stringAt(this.#strings, row));
      this.#rows[place] = row;
    }
    return this.#texts[place]!;
  }
}

/** The same text as V8 holds names of properties and texts of code: that is compared with `===` by its address, not by its characters. */
function internalized(text: string): string {
  const [name] = Object.keys({ [text]: 0 });
  return name!;
}

/** 1 for each string row that holds a text. Compared as bytes: nothing is decoded. */
function rowsOfText({ length, bytes, starts }: StringTable, text: string): Uint8Array {
  const wanted = new TextEncoder().encode(text);
  const rows = new Uint8Array(length);
  for (let row = 0, start = 0; row < length; row++) {
    const end = starts[row + 1]!;
    let same = end - start === wanted.length ? 0 : -1;
    while (same >= 0 && same < wanted.length && bytes[start + same] === wanted[same]) same++;
    if (same === wanted.length) rows[row] = 1;
    start = end;
  }
  return rows;
}
