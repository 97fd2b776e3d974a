/**
 * Every invariant of a Profile, one message each: the bug of a codec or stage shows here instead of three steps later.
 * For tests and for plugin authors; a run does not pay for it.
 */
import { type IdColumn, NO_ROW, type Profile, type UnknownFields } from './profile.js';
import { rowsOfMessage } from './unknown.js';

/** A table with one bad column has as many complaints as rows: the first ones say enough. */
const MAX_PROBLEMS = 100;

/** What is wrong with a profile, in its order: tables, then references; at most 100 messages. [] for a valid one. */
export function checkProfile(profile: Profile): string[] {
  const problems: string[] = [];
  const check = new Checker(problems);
  const { strings, sampleTypes, samples, locations, functions, mappings } = profile;
  const { labels } = samples;
  const { lines } = locations;

  check.starts('strings.starts', strings.starts, strings.length, strings.bytes.length);
  check.that(strings.length > 0 && strings.starts[1] === 0, () => 'string 0 is not ""');
  check.starts('samples.stackStart', samples.stackStart, samples.length, samples.stackLocations.length);
  check.starts('samples.labelStart', samples.labelStart, samples.length, labels.length);
  check.starts('locations.lineStart', locations.lineStart, locations.length, lines.length);

  check.length('samples.values', samples.values, samples.length * sampleTypes.length);
  check.that(
    samples.length === 0 || sampleTypes.length > 0,
    () => `${samples.length} samples, but the profile has no sample types`,
  );
  check.lengths('samples.labels', labels.length, columnsOf(labels));
  check.lengths('locations', locations.length, {
    mapping: locations.mapping,
    address: locations.address,
    isFolded: locations.isFolded,
  });
  check.lengths('locations.lines', lines.length, columnsOf(lines));
  check.lengths('functions', functions.length, columnsOf(functions));
  check.lengths('mappings', mappings.length, columnsOf(mappings));
  check.that(
    lines.column === undefined || lines.length === 0 || lines.column.some((column) => column !== 0n),
    () => 'locations.lines.column: every column is 0; leave the column out',
  );

  const headerStrings = [profile.defaultSampleType, profile.dropFrames, profile.keepFrames, profile.docUrl];
  const types = profile.periodType === undefined ? sampleTypes : [...sampleTypes, profile.periodType];
  check.rows('header string', Uint32Array.from(headerStrings), strings.length);
  check.rows('value type string', Uint32Array.from(types.flatMap(({ type, unit }) => [type, unit])), strings.length);
  check.rows('comment string', profile.comments, strings.length);
  check.rows('label key string', labels.key, strings.length);
  check.rows('label str string', labels.str, strings.length);
  check.rows('label unit string', labels.numUnit, strings.length);
  check.rows('function name string', functions.name, strings.length);
  check.rows('function system name string', functions.systemName, strings.length);
  check.rows('function file string', functions.filename, strings.length);
  check.rows('mapping file string', mappings.filename, strings.length);
  check.rows('mapping build id string', mappings.buildId, strings.length);
  check.rows('stack location', samples.stackLocations, locations.length);
  check.rows('location mapping', locations.mapping, mappings.length, NO_ROW);
  check.rows('line function', lines.function, functions.length);
  check.labelKinds(labels);

  check.ids('location', locations.id, locations.length);
  check.ids('function', functions.id, functions.length);
  check.ids('mapping', mappings.id, mappings.length);
  if (profile.unknown !== undefined) check.unknown(profile.unknown, profile);
  return problems;
}

/** A table without its length. */
function columnsOf<Table extends { readonly length: number }>({ length, ...columns }: Table): Omit<Table, 'length'> {
  return columns;
}

class Checker {
  readonly #problems: string[];

  constructor(problems: string[]) {
    this.#problems = problems;
  }

  that(holds: boolean, problem: () => string): void {
    if (!holds && this.#problems.length < MAX_PROBLEMS) this.#problems.push(problem());
  }

  /** @param column undefined: an optional one that is not there */
  length(name: string, column: ArrayLike<unknown> | undefined, length: number): void {
    if (column === undefined) return;
    this.that(column.length === length, () => `${name}: ${column.length} rows, ${length} wanted`);
  }

  lengths(table: string, length: number, columns: { readonly [name: string]: ArrayLike<unknown> | undefined }): void {
    for (const [name, column] of Object.entries(columns)) this.length(`${table}.${name}`, column, length);
  }

  /** `rows + 1` offsets that start at 0, never fall, and end at `total`. */
  starts(name: string, starts: Uint32Array, rows: number, total: number): void {
    this.length(name, starts, rows + 1);
    this.that(starts[0] === 0, () => `${name}: starts at ${starts[0]}, not 0`);
    for (let row = 1; row < starts.length; row++) {
      this.that(starts[row]! >= starts[row - 1]!, () => `${name}: falls at row ${row}`);
    }
    this.that(starts.at(-1) === total, () => `${name}: ends at ${starts.at(-1)}, not ${total}`);
  }

  rows(what: string, column: Uint32Array, length: number, none?: number): void {
    for (let row = 0; row < column.length; row++) {
      const to = column[row]!;
      this.that(to < length || to === none, () => `${what} ${row}: row ${to} of ${length}`);
    }
  }

  labelKinds({ length, str, num, numUnit }: Profile['samples']['labels']): void {
    for (let row = 0; row < length; row++) {
      const both = str[row] !== 0 && (num[row] !== 0n || numUnit[row] !== 0);
      this.that(!both, () => `label ${row}: both a string and a number`);
    }
  }

  ids(what: string, ids: IdColumn, length: number): void {
    if (ids === undefined) return;
    this.length(`${what} ids`, ids, length);
    const rowOfId = new Map<bigint, number>();
    ids.forEach((id, row) => {
      this.that(id !== 0n, () => `${what} ${row}: id 0`);
      this.that(!rowOfId.has(id), () => `${what} ${row}: id ${id}, as ${what} ${rowOfId.get(id)}`);
      rowOfId.set(id, row);
    });
  }

  unknown(unknown: UnknownFields, profile: Profile): void {
    this.lengths('unknown', unknown.length, { message: unknown.message, row: unknown.row });
    this.starts('unknown.starts', unknown.starts, unknown.length, unknown.bytes.length);
    for (let entry = 0; entry < unknown.length; entry++) {
      const message = unknown.message[entry]!;
      const row = unknown.row[entry]!;
      const rows = rowsOfMessage(profile, message);
      this.that(row < rows, () => `unknown field ${entry}: row ${row} of ${rows} of message ${message}`);
      const previous = entry === 0 ? -1 : unknown.message[entry - 1]! * 2 ** 32 + unknown.row[entry - 1]!;
      this.that(
        message * 2 ** 32 + row >= previous,
        () => `unknown field ${entry}: not in the order of message and row`,
      );
    }
  }
}
