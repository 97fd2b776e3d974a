/** JSON text as a Profile. The layout is schemas/profile.schema.json; keys may come in any order. */
import {
  Budget,
  type ByteInput,
  FormatError,
  type IdColumn,
  type LimitName,
  type Limits,
  MappingFlag,
  type Profile,
  ProfileBuilder,
  type ProfileHeader,
} from '../../../core/index.js';
import { FORMAT, VERSION } from './format.js';
import { type JsonObject, JsonValue } from './shape.js';

/** V8's longest string is a little shorter than this. */
const MAX_TEXT_BYTES = 2 ** 29 - 25;

const tables = ['mappings', 'functions', 'locations', 'samples'] as const;
const headerKeys = [
  'sampleTypes',
  'defaultSampleType',
  'periodType',
  'period',
  'timeNanos',
  'durationNanos',
  'comments',
  'dropFrames',
  'keepFrames',
  'docUrl',
] as const;
type Table = (typeof tables)[number];
type Root = JsonObject<'format' | 'version' | 'invalidUtf8' | Table | (typeof headerKeys)[number]>;

/** @throws FormatError E_UTF8, E_JSON_SYNTAX, E_JSON, E_VERSION, E_LIMIT */
export async function decodeProfile(input: ByteInput, limits: Limits): Promise<Profile> {
  const bytes = await input.readAll(Math.min(limits.decompressedBytes, MAX_TEXT_BYTES));
  return readProfile(parse(bytes), new Budget(limits));
}

function parse(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new FormatError('E_UTF8', 'text is no UTF-8', { section: 'json' }, { cause });
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    // V8 says where for some errors, and quotes the text around the place for the others.
    const reason = cause instanceof Error ? cause.message : String(cause);
    const position = /at position (\d+)/.exec(reason)?.[1];
    const place = position === undefined ? '' : ` ${lineAndColumn(text, Number(position))}`;
    throw new FormatError('E_JSON_SYNTAX', `no JSON: ${reason}`, { section: `json${place}` }, { cause });
  }
}

function lineAndColumn(text: string, position: number): string {
  const before = text.slice(0, position);
  return `${before.split('\n').length}:${position - before.lastIndexOf('\n')}`;
}

function readProfile(parsed: unknown, budget: Budget): Profile {
  const root: Root = new JsonValue(parsed).object(['format', 'version', 'invalidUtf8', ...tables, ...headerKeys]);
  if (root.get('format').text() !== FORMAT) root.get('format').fail(`"${FORMAT}" wanted`);
  if (root.get('version').value !== VERSION) {
    throw new FormatError('E_VERSION', 'version of the JSON layout not known', {
      section: 'version',
      got: String(root.get('version').value).slice(0, 80),
      limit: VERSION,
    });
  }
  const lengths = Object.fromEntries(
    tables.map((name) => {
      const { length } = root.get(name).array();
      within(budget, 'tableRows', length, root.get(name));
      return [name, length];
    }),
  ) as { readonly [name in Table]: number };

  const texts = (value: JsonValue): string => {
    const text = value.text();
    within(budget, 'stringBytes', text.length, value);
    return text;
  };
  const header = readHeader(root, texts);
  const builder = new ProfileBuilder(header);
  const ids = {
    mappings: new IdReader(lengths.mappings),
    functions: new IdReader(lengths.functions),
    locations: new IdReader(lengths.locations),
  };
  for (const value of root.get('mappings').items()) ids.mappings.read(readMapping(builder, value, texts));
  for (const value of root.get('functions').items()) ids.functions.read(readFunction(builder, value, texts));
  for (const value of root.get('locations').items()) ids.locations.read(readLocation(builder, value, lengths, budget));
  for (const value of root.get('samples').items()) {
    readSample(builder, value, { types: header.sampleTypes.length, locations: lengths.locations, texts, budget });
  }
  const profile = builder.finish();
  return {
    ...profile,
    mappings: { ...profile.mappings, id: ids.mappings.finish() },
    functions: { ...profile.functions, id: ids.functions.finish() },
    locations: { ...profile.locations, id: ids.locations.finish() },
  };
}

/** Budget.check, where the place is only put together for an error. */
function within(budget: Budget, limit: LimitName, amount: number, value: JsonValue): void {
  if (amount > budget.limits[limit]) budget.check(limit, amount, { section: value.path });
}

type ReadText = (value: JsonValue) => string;

function readHeader(root: Root, text: ReadText): ProfileHeader {
  const int64 = (value: JsonValue) => value.int64();
  const periodType = root.optional('periodType', (value) => readValueType(value, text));
  return {
    sampleTypes: Array.from(root.get('sampleTypes').items(), (value) => readValueType(value, text)),
    ...(periodType === undefined ? {} : { periodType }),
    period: root.optional('period', int64) ?? 0n,
    timeNanos: root.optional('timeNanos', int64) ?? 0n,
    durationNanos: root.optional('durationNanos', int64) ?? 0n,
    comments: root.optional('comments', (value) => Array.from(value.items(), text)) ?? [],
    defaultSampleType: root.optional('defaultSampleType', text) ?? '',
    dropFrames: root.optional('dropFrames', text) ?? '',
    keepFrames: root.optional('keepFrames', text) ?? '',
    docUrl: root.optional('docUrl', text) ?? '',
  };
}

function readValueType(value: JsonValue, text: ReadText) {
  const valueType = value.object(['type', 'unit']);
  return { type: text(valueType.get('type')), unit: text(valueType.get('unit')) };
}

const flagNames = Object.keys(MappingFlag) as (keyof typeof MappingFlag)[];

function readMapping(builder: ProfileBuilder, value: JsonValue, text: ReadText): JsonObject<'id'> {
  const keys = ['id', 'memoryStart', 'memoryLimit', 'fileOffset', 'filename', 'buildId', ...flagNames] as const;
  const mapping = value.object(keys);
  builder.addMapping({
    memoryStart: mapping.get('memoryStart').address(),
    memoryLimit: mapping.get('memoryLimit').address(),
    fileOffset: mapping.get('fileOffset').address(),
    filename: text(mapping.get('filename')),
    buildId: text(mapping.get('buildId')),
    flags: flagNames
      .filter((name) => mapping.optional(name, (flag) => flag.flag()))
      .reduce((flags, name) => flags | MappingFlag[name], 0),
  });
  return mapping;
}

function readFunction(builder: ProfileBuilder, value: JsonValue, text: ReadText): JsonObject<'id'> {
  const called = value.object(['id', 'name', 'systemName', 'filename', 'startLine']);
  builder.addFunction({
    name: text(called.get('name')),
    systemName: text(called.get('systemName')),
    filename: text(called.get('filename')),
    startLine: called.get('startLine').int64(),
  });
  return called;
}

function readLocation(
  builder: ProfileBuilder,
  value: JsonValue,
  lengths: { readonly mappings: number; readonly functions: number },
  budget: Budget,
): JsonObject<'id'> {
  const location = value.object(['id', 'mapping', 'address', 'isFolded', 'lines']);
  const mapping = location.optional('mapping', (row) => row.index(lengths.mappings));
  within(budget, 'inlineDepth', location.get('lines').array().length, value);
  builder.addLocation({
    ...(mapping === undefined ? {} : { mapping }),
    address: location.get('address').address(),
    isFolded: location.optional('isFolded', (flag) => flag.flag()) ?? false,
    lines: Array.from(location.get('lines').items(), (entry) => {
      const line = entry.object(['function', 'line', 'column']);
      return {
        function: line.get('function').index(lengths.functions),
        line: line.get('line').int64(),
        column: line.optional('column', (column) => column.int64()) ?? 0n,
      };
    }),
  });
  return location;
}

interface SampleContext {
  readonly types: number;
  readonly locations: number;
  readonly texts: ReadText;
  readonly budget: Budget;
}

function readSample(builder: ProfileBuilder, value: JsonValue, { types, locations, texts, budget }: SampleContext) {
  const sample = value.object(['values', 'stack', 'labels']);
  const values = Array.from(sample.get('values').items(), (entry) => entry.int64());
  if (values.length !== types) {
    throw new FormatError('E_VALUE_COUNT', `${values.length} values, profile has ${types} sample types`, {
      section: value.path,
      got: values.length,
      limit: types,
    });
  }
  if (types === 0) throw new FormatError('E_SAMPLE_TYPE', 'samples, but no sample types', { section: value.path });
  const stack = sample.get('stack').indexes(locations);
  within(budget, 'stackDepth', stack.length, value);
  const labels = sample.optional('labels', (list) => {
    within(budget, 'labelsPerSample', list.array().length, list);
    return Array.from(list.items(), (entry) => readLabel(entry, texts));
  });
  builder.addSample({ stack, values, labels: labels ?? [] });
}

function readLabel(value: JsonValue, text: ReadText) {
  const label = value.object(['key', 'str', 'num', 'numUnit']);
  const key = text(label.get('key'));
  if (!label.has('str')) {
    return { key, num: label.get('num').int64(), numUnit: label.optional('numUnit', text) ?? '' };
  }
  if (label.has('num') || label.has('numUnit')) value.fail('a label is a string or a number, not both');
  return { key, str: text(label.get('str')) };
}

/** Ids of a table: in all of its rows or in none; unique, never 0. */
class IdReader {
  readonly #length: number;
  readonly #ids: bigint[] = [];
  readonly #seen = new Set<bigint>();

  constructor(length: number) {
    this.#length = length;
  }

  read(row: JsonObject<'id'>): void {
    if (!row.has('id')) return;
    const value = row.get('id');
    const id = value.uint64();
    if (id === 0n) value.fail('id 0');
    if (this.#seen.has(id)) value.fail('id a second time');
    this.#seen.add(id);
    this.#ids.push(id);
  }

  /** @throws FormatError E_JSON when only some rows had one */
  finish(): IdColumn {
    if (this.#ids.length === 0) return undefined;
    if (this.#ids.length === this.#length) return BigUint64Array.from(this.#ids);
    throw new FormatError('E_JSON', `${this.#ids.length} of ${this.#length} rows of a table have an id`, {
      section: 'id',
    });
  }
}
