/**
 * A Profile from nothing: for codecs of text formats, tests and third parties. Takes texts and numbers, gives out rows.
 *
 *     const builder = new ProfileBuilder({ sampleTypes: [{ type: 'cpu', unit: 'nanoseconds' }] });
 *     const leaf = builder.function({ name: 'main.leaf', filename: 'main.go' });
 *     const location = builder.location({ address: 0x401000, lines: [{ function: leaf, line: 12 }] });
 *     builder.addSample({ stack: [location], values: [10_000_000] });
 *     const profile = builder.finish();
 *
 * `function`, `location` and `mapping` give equal things one row; `add…` always makes a new one, as a decoder that keeps rows wants it.
 */
import { byteColumn, rowColumn, signedColumn, unsignedColumn } from '../columns.js';
import { int64, uint64 } from '../int64.js';
import { NO_ROW, type Profile } from '../profile.js';
import { requireRow } from '../rows.js';
import { FunctionInterner, type FunctionSpec } from './function-interner.js';
import type { NewLine } from './location-edits.js';
import { StringInterner } from './string-interner.js';

export interface ValueTypeSpec {
  readonly type: string;
  readonly unit: string;
}

export interface ProfileHeader {
  readonly sampleTypes: readonly ValueTypeSpec[];
  readonly periodType?: ValueTypeSpec;
  readonly period?: number | bigint;
  readonly timeNanos?: number | bigint;
  readonly durationNanos?: number | bigint;
  readonly comments?: readonly string[];
  readonly defaultSampleType?: string;
  readonly dropFrames?: string;
  readonly keepFrames?: string;
  readonly docUrl?: string;
}

export interface MappingSpec {
  readonly memoryStart?: number | bigint;
  readonly memoryLimit?: number | bigint;
  readonly fileOffset?: number | bigint;
  readonly filename?: string;
  readonly buildId?: string;
  /** Bits of MappingFlag. */
  readonly flags?: number;
}

export interface LocationSpec {
  /** Mapping row; default: none. */
  readonly mapping?: number;
  readonly address?: number | bigint;
  readonly isFolded?: boolean;
  /** Innermost inlined callee first, the physical function last. */
  readonly lines?: readonly NewLine[];
}

/** A label of a sample: a string, or a number with an optional unit. Both where an input has both. */
export interface LabelSpec {
  readonly key: string;
  readonly str?: string;
  readonly num?: number | bigint;
  readonly numUnit?: string;
}

export interface SampleSpec {
  /** Location rows, leaf first. */
  readonly stack: readonly number[];
  /** One for each sample type. */
  readonly values: readonly (number | bigint)[];
  readonly labels?: readonly LabelSpec[];
}

export class ProfileBuilder {
  readonly #header: ProfileHeader;
  readonly #strings = new StringInterner();
  readonly #functions = new FunctionInterner(this.#strings, {
    length: 0,
    name: new Uint32Array(0),
    systemName: new Uint32Array(0),
    filename: new Uint32Array(0),
    startLine: new BigInt64Array(0),
  });
  readonly #mappings = {
    memoryStart: unsignedColumn(),
    memoryLimit: unsignedColumn(),
    fileOffset: unsignedColumn(),
    filename: rowColumn(),
    buildId: rowColumn(),
    flags: byteColumn(),
  };
  readonly #locations = {
    mapping: rowColumn(),
    address: unsignedColumn(),
    isFolded: byteColumn(),
    lineStart: rowColumn(),
  };
  readonly #lines = { function: rowColumn(), line: signedColumn(), column: signedColumn() };
  #hasColumns = false;
  readonly #samples = {
    stackStart: rowColumn(),
    stackLocations: rowColumn(),
    values: signedColumn(),
    labelStart: rowColumn(),
  };
  readonly #labels = { key: rowColumn(), str: rowColumn(), num: signedColumn(), numUnit: rowColumn() };
  readonly #mappingOfKey = new Map<string, number>();
  readonly #locationOfKey = new Map<string, number>();

  constructor(header: ProfileHeader) {
    this.#header = header;
    this.#locations.lineStart.push(0);
    this.#samples.stackStart.push(0);
    this.#samples.labelStart.push(0);
  }

  /** Row of a string. */
  string(text: string): number {
    return this.#strings.row(text);
  }

  /** Row of a function: one for each (name, systemName, filename, startLine). */
  function(spec: FunctionSpec): number {
    return this.#functions.row(spec);
  }

  addFunction(spec: FunctionSpec): number {
    return this.#functions.add(spec);
  }

  /** Row of a mapping: one for each set of fields. */
  mapping(spec: MappingSpec): number {
    const { memoryStart = 0, memoryLimit = 0, fileOffset = 0, filename = '', buildId = '', flags = 0 } = spec;
    const texts = `${this.#strings.row(filename)},${this.#strings.row(buildId)}`;
    return intern(this.#mappingOfKey, `${memoryStart},${memoryLimit},${fileOffset},${texts},${flags}`, () =>
      this.addMapping(spec),
    );
  }

  addMapping(spec: MappingSpec): number {
    const columns = this.#mappings;
    columns.memoryStart.push(uint64(spec.memoryStart ?? 0));
    columns.memoryLimit.push(uint64(spec.memoryLimit ?? 0));
    columns.fileOffset.push(uint64(spec.fileOffset ?? 0));
    columns.filename.push(this.#strings.row(spec.filename ?? ''));
    columns.buildId.push(this.#strings.row(spec.buildId ?? ''));
    columns.flags.push(spec.flags ?? 0);
    return columns.flags.length - 1;
  }

  /** Row of a location: one for each (mapping, address, isFolded, lines). */
  location(spec: LocationSpec): number {
    const { mapping = NO_ROW, address = 0, isFolded = false, lines = [] } = spec;
    const lineKeys = lines.map((line) => `${line.function}:${line.line}:${line.column ?? 0}`);
    return intern(this.#locationOfKey, `${mapping},${address},${isFolded},${lineKeys.join()}`, () =>
      this.addLocation(spec),
    );
  }

  addLocation(spec: LocationSpec): number {
    const { mapping = NO_ROW, lines = [] } = spec;
    if (mapping !== NO_ROW) requireRow('mapping', mapping, this.#mappings.flags.length);
    for (const line of lines) {
      requireRow('function', line.function, this.#functions.length);
      this.#lines.function.push(line.function);
      this.#lines.line.push(int64(line.line));
      const column = int64(line.column ?? 0);
      this.#lines.column.push(column);
      this.#hasColumns ||= column !== 0n;
    }
    const columns = this.#locations;
    columns.mapping.push(mapping);
    columns.address.push(uint64(spec.address ?? 0));
    columns.isFolded.push(spec.isFolded === true ? 1 : 0);
    columns.lineStart.push(this.#lines.function.length);
    return columns.mapping.length - 1;
  }

  addSample(spec: SampleSpec): number {
    const types = this.#header.sampleTypes.length;
    if (spec.values.length !== types)
      throw new RangeError(`${spec.values.length} values, profile has ${types} sample types`);
    const columns = this.#samples;
    for (const location of spec.stack) {
      requireRow('location', location, this.#locations.mapping.length);
      columns.stackLocations.push(location);
    }
    columns.stackStart.push(columns.stackLocations.length);
    for (const value of spec.values) columns.values.push(int64(value));
    for (const label of spec.labels ?? []) {
      this.#labels.key.push(this.#strings.row(label.key));
      this.#labels.str.push(this.#strings.row(label.str ?? ''));
      this.#labels.num.push(int64(label.num ?? 0));
      this.#labels.numUnit.push(this.#strings.row(label.numUnit ?? ''));
    }
    columns.labelStart.push(this.#labels.key.length);
    return columns.stackStart.length - 2;
  }

  finish(): Profile {
    const header = this.#header;
    const text = (value: string | undefined) => this.#strings.row(value ?? '');
    const valueType = (spec: ValueTypeSpec) => ({ type: text(spec.type), unit: text(spec.unit) });
    const known = {
      sampleTypes: header.sampleTypes.map(valueType),
      ...(header.periodType === undefined ? {} : { periodType: valueType(header.periodType) }),
      period: int64(header.period ?? 0),
      timeNanos: int64(header.timeNanos ?? 0),
      durationNanos: int64(header.durationNanos ?? 0),
      comments: Uint32Array.from(header.comments ?? [], text),
      defaultSampleType: text(header.defaultSampleType),
      dropFrames: text(header.dropFrames),
      keepFrames: text(header.keepFrames),
      docUrl: text(header.docUrl),
    };
    return {
      strings: this.#strings.finish(),
      ...known,
      samples: {
        length: this.#samples.stackStart.length - 1,
        ...finished(this.#samples),
        labels: { length: this.#labels.key.length, ...finished(this.#labels) },
      },
      locations: {
        length: this.#locations.mapping.length,
        ...finished(this.#locations),
        lines: {
          length: this.#lines.function.length,
          function: this.#lines.function.finish(),
          line: this.#lines.line.finish(),
          ...(this.#hasColumns ? { column: this.#lines.column.finish() } : {}),
        },
      },
      functions: this.#functions.finish(),
      mappings: { length: this.#mappings.flags.length, ...finished(this.#mappings) },
    };
  }
}

function finished<Columns extends { readonly [name: string]: { finish(): unknown } }>(
  columns: Columns,
): { [Name in keyof Columns]: ReturnType<Columns[Name]['finish']> } {
  const arrays = Object.entries(columns).map(([name, column]) => [name, column.finish()]);
  return Object.fromEntries(arrays) as { [Name in keyof Columns]: ReturnType<Columns[Name]['finish']> };
}

function intern(rows: Map<string, number>, key: string, add: () => number): number {
  let row = rows.get(key);
  if (row === undefined) {
    row = add();
    rows.set(key, row);
  }
  return row;
}
