/** Whether what a third party's plugin returned is a profile: its shape first, since everything else trusts it, then its invariants. */
import { types } from 'node:util';
import { checkProfile } from '../../profile/check.js';
import { ProfileBuilder } from '../../profile/edit/builder.js';
import { NO_ROW, type Profile } from '../../profile/profile.js';
import { ItemError } from '../contract/errors.js';

/** Has every column that must be there. */
const model = new ProfileBuilder({ sampleTypes: [] }).finish();

/** Columns that may be absent. */
const optional: Readonly<Record<string, string>> = {
  'locations.id': 'BigUint64Array',
  'locations.lines.column': 'BigInt64Array',
  'functions.id': 'BigUint64Array',
  'mappings.id': 'BigUint64Array',
};

/** A column of each table that tells its rows; `extra` of them begin nothing. */
const rowsOf: Readonly<Record<string, { readonly column: string; readonly extra: number }>> = {
  strings: { column: 'starts', extra: 1 },
  samples: { column: 'stackStart', extra: 1 },
  'samples.labels': { column: 'key', extra: 0 },
  locations: { column: 'mapping', extra: 0 },
  'locations.lines': { column: 'function', extra: 0 },
  functions: { column: 'name', extra: 0 },
  mappings: { column: 'filename', extra: 0 },
};

/** More of them say the same. */
const SHOWN_PROBLEMS = 3;

/** @throws ItemError E_PLUGIN_RUBBISH with what is wrong */
export function assertProfile(value: unknown): asserts value is Profile {
  const shape = shapeProblem('', model, value) ?? optionalProblem(value as Profile);
  const problems = shape === undefined ? checkProfile(value as Profile) : [shape];
  if (problems.length === 0) return;
  const more = problems.length > SHOWN_PROBLEMS ? ` (and ${problems.length - SHOWN_PROBLEMS} more)` : '';
  throw new ItemError(
    'E_PLUGIN_RUBBISH',
    `returned no valid profile: ${problems.slice(0, SHOWN_PROBLEMS).join('; ')}${more}`,
  );
}

/** @throws ItemError E_PLUGIN_RUBBISH unless it is a list of byte arrays */
export function assertPieces(value: unknown): asserts value is readonly Uint8Array[] {
  if (Array.isArray(value) && !types.isProxy(value) && value.every((piece) => types.isUint8Array(piece))) return;
  throw new ItemError('E_PLUGIN_RUBBISH', `returned ${nameOf(value)}, not a list of Uint8Array`);
}

/** @throws ItemError E_PLUGIN_RUBBISH for a promise, where the contract has none */
export function assertAtOnce(value: unknown, method: string): void {
  if (typeof (value as { then?: unknown } | null | undefined)?.then !== 'function') return;
  throw new ItemError('E_PLUGIN_RUBBISH', `${method} returned a promise; it gives its result at once`);
}

/**
 * Whether every reference of a profile that was valid still leads to a row: what a plugin that returns its input can have broken by
 * writing into it. A tenth of the time of `checkProfile`.
 */
export function referencesHold({ strings, samples, locations, functions, mappings }: Profile): boolean {
  const { labels } = samples;
  const { lines } = locations;
  return (
    isWithin(samples.stackLocations, locations.length) &&
    isWithin(lines.function, functions.length) &&
    rises(samples.stackStart, samples.stackLocations.length) &&
    rises(samples.labelStart, labels.length) &&
    rises(locations.lineStart, lines.length) &&
    rises(strings.starts, strings.bytes.length) &&
    [labels.key, labels.str, labels.numUnit].every((column) => isWithin(column, strings.length)) &&
    [functions.name, functions.systemName, functions.filename].every((column) => isWithin(column, strings.length)) &&
    isWithin(locations.mapping, mappings.length, NO_ROW)
  );
}

/**
 * Without a branch for each row: half of the time, which every call of a stage takes.
 * @param rows below 2^31 @param none what stands for no row, where there may be none
 */
function isWithin(column: Uint32Array, rows: number, none?: number): boolean {
  const { length } = column;
  const last = rows - 1;
  // Negative as soon as one reference is behind the last row, or not below 2^31.
  let signs = 0;
  for (let at = 0; at < length; at++) {
    const row = column[at]! | 0;
    signs |= (last - row) | row;
  }
  return signs >= 0 || (none !== undefined && column.every((row) => row < rows || row === none));
}

function rises(starts: Uint32Array, end: number): boolean {
  for (let row = 1; row < starts.length; row++) if (starts[row]! < starts[row - 1]!) return false;
  return starts[0] === 0 && starts[starts.length - 1] === end;
}

/** The first thing that is not as in the model. Recursion ends with the model: a profile is three levels deep. */
function shapeProblem(path: string, wanted: unknown, got: unknown): string | undefined {
  const where = path === '' ? 'it' : path;
  if (types.isProxy(got)) return `${where} is a Proxy`;
  if (Array.isArray(wanted)) return Array.isArray(got) ? valueTypesProblem(path, got) : wrong(where, wanted, got);
  if (ArrayBuffer.isView(wanted)) return nameOf(got) === nameOf(wanted) ? undefined : wrong(where, wanted, got);
  if (typeof wanted !== 'object' || wanted === null) {
    return typeof got === typeof wanted || wanted === undefined ? undefined : wrong(where, wanted, got);
  }
  if (typeof got !== 'object' || got === null) return wrong(where, wanted, got);
  for (const [key, inner] of Object.entries(wanted)) {
    const member = path === '' ? key : `${path}.${key}`;
    const problem = shapeProblem(member, inner, (got as Record<string, unknown>)[key]);
    if (problem !== undefined) return problem;
  }
  return 'length' in wanted ? lengthProblem(path, got as Record<string, unknown>) : undefined;
}

function optionalProblem(profile: Profile): string | undefined {
  for (const [path, type] of Object.entries(optional)) {
    const value = path.split('.').reduce<unknown>((table, key) => (table as Record<string, unknown>)[key], profile);
    if (value !== undefined && nameOf(value) !== type) return `${path} is ${nameOf(value)}, not ${type}`;
  }
  const { periodType, unknown } = profile;
  if (periodType !== undefined) {
    const problem = valueTypesProblem('periodType', [periodType]);
    if (problem !== undefined) return problem;
  }
  if (unknown === undefined) return undefined;
  const columns = [unknown.message, unknown.row, unknown.starts, unknown.bytes].map(nameOf).join();
  return columns === 'Uint8Array,Uint32Array,Uint32Array,Uint8Array' ? undefined : `unknown has columns ${columns}`;
}

/** A length that no column has would be walked to its end. */
function lengthProblem(path: string, table: Record<string, unknown>): string | undefined {
  const { column, extra } = rowsOf[path]!;
  const rows = (table[column] as ArrayLike<unknown>).length - extra;
  return rows === table.length
    ? undefined
    : `${path}.length is ${String(table.length)}, and ${path}.${column} has ${rows} rows`;
}

function valueTypesProblem(path: string, list: readonly unknown[]): string | undefined {
  const index = list.findIndex(
    (entry) =>
      typeof entry !== 'object' ||
      entry === null ||
      !Number.isInteger((entry as { type?: unknown }).type) ||
      !Number.isInteger((entry as { unit?: unknown }).unit),
  );
  return index < 0 ? undefined : `${path}[${index}] is no value type`;
}

function wrong(where: string, wanted: unknown, got: unknown): string {
  return `${where} is ${nameOf(got)}, not ${nameOf(wanted)}`;
}

function nameOf(value: unknown): string {
  if (value === null) return 'null';
  if (types.isTypedArray(value)) return value[Symbol.toStringTag];
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : typeof value;
}
