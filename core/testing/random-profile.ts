/**
 * Random profiles that use everything a Profile can hold: sparse and huge ids, values and addresses over the whole 64-bit range,
 * labels of both kinds, several values a key, columns, unknown fields, empty stacks, recursion, strings that are twice in the
 * table, unreferenced rows, bytes that are no UTF-8, names that are traps.
 */
import { NO_ROW, type Profile, type StringTable, type UnknownFields, UnknownIn } from '../profile/profile.js';
import { rowsOfMessage } from '../profile/unknown.js';

export interface ProfileFeatures {
  readonly invalidUtf8: boolean;
  readonly unknownFields: boolean;
  readonly sparseIds: boolean;
}

const everything: ProfileFeatures = { invalidUtf8: true, unknownFields: true, sparseIds: true };

/** The same seed, size and features give the same profile. @param size upper bound of the rows of each table */
export function randomProfile(seed: number, size: number, features: Partial<ProfileFeatures> = {}): Profile {
  return new Generator(seed, size, { ...everything, ...features }).profile();
}

const oddNames = [
  '__proto__',
  'constructor',
  'a;b',
  '\u001b[31mred',
  'tab\there',
  'a\nb',
  '\u202eevil',
  '😀',
  '<script>',
  'é',
];
const extremes = [0n, 1n, -1n, 2n ** 53n, 2n ** 53n - 1n, -(2n ** 53n), 2n ** 63n - 1n, -(2n ** 63n), 127n, 128n, 300n];

class Generator {
  #state: number;
  readonly #size: number;
  readonly #features: ProfileFeatures;
  #strings = 1;

  constructor(seed: number, size: number, features: ProfileFeatures) {
    this.#state = (Math.imul(seed, 0x9e3779b1) ^ 0x5bd1e995) | 1;
    this.#size = size;
    this.#features = features;
  }

  profile(): Profile {
    const strings = this.#stringTable();
    const sampleTypes = this.#rows(1 + this.#below(3), () => ({ type: this.#string(), unit: this.#string() }));
    const mappingCount = this.#below(this.#size + 1);
    const mappings = {
      length: mappingCount,
      id: this.#ids(mappingCount),
      memoryStart: this.#unsigned(mappingCount),
      memoryLimit: this.#unsigned(mappingCount),
      fileOffset: this.#unsigned(mappingCount),
      filename: this.#stringRows(mappingCount),
      buildId: this.#stringRows(mappingCount),
      flags: Uint8Array.from(this.#rows(mappingCount, () => this.#below(16))),
    };
    const functionCount = this.#below(this.#size + 1);
    const functions = {
      length: functionCount,
      id: this.#ids(functionCount),
      name: this.#stringRows(functionCount),
      systemName: this.#stringRows(functionCount),
      filename: this.#stringRows(functionCount),
      startLine: this.#signed(functionCount),
    };
    const locations = this.#locationTable(mappingCount, functionCount);
    const samples = this.#sampleTable(sampleTypes.length, locations.length);
    const tables = { strings, sampleTypes, samples, locations, functions, mappings };
    const header = {
      ...(this.#chance(0.7) ? { periodType: { type: this.#string(), unit: this.#string() } } : {}),
      period: this.#int64(),
      timeNanos: this.#int64(),
      durationNanos: this.#int64(),
      comments: this.#stringRows(this.#below(4)),
      defaultSampleType: this.#string(),
      dropFrames: this.#string(),
      keepFrames: this.#string(),
      docUrl: this.#string(),
    };
    if (!this.#features.unknownFields || this.#chance(0.5)) return { ...tables, ...header };
    return { ...tables, ...header, unknown: this.#unknown({ ...tables, ...header }) };
  }

  #stringTable(): StringTable {
    const texts = this.#rows(this.#below(this.#size * 2 + 1), (): Uint8Array => {
      if (this.#chance(0.1)) return Buffer.from(oddNames[this.#below(oddNames.length)]!);
      if (this.#features.invalidUtf8 && this.#chance(0.1))
        return Buffer.from([0x66, 0xff, 0xc0, 0x80, this.#below(256)]);
      return Buffer.from(`name${this.#below(this.#size * 2)}`);
    });
    const all = [new Uint8Array(0), ...texts];
    this.#strings = all.length;
    return {
      length: all.length,
      bytes: new Uint8Array(Buffer.concat(all)),
      starts: offsets(all.map((text) => text.length)),
    };
  }

  #locationTable(mappings: number, functions: number): Profile['locations'] {
    const length = this.#below(this.#size + 1);
    const lineCounts = this.#rows(length, () => (functions === 0 ? 0 : this.#below(4)));
    const lines = lineCounts.reduce((sum, count) => sum + count, 0);
    const column = this.#signed(lines);
    const hasColumn = this.#chance(0.5) && column.some((value) => value !== 0n);
    return {
      length,
      id: this.#ids(length),
      mapping: Uint32Array.from(
        this.#rows(length, () => (mappings === 0 || this.#chance(0.2) ? NO_ROW : this.#below(mappings))),
      ),
      address: this.#unsigned(length),
      isFolded: Uint8Array.from(this.#rows(length, () => this.#below(2))),
      lineStart: offsets(lineCounts),
      lines: {
        length: lines,
        function: Uint32Array.from(this.#rows(lines, () => this.#below(functions))),
        line: this.#signed(lines),
        ...(hasColumn ? { column } : {}),
      },
    };
  }

  #sampleTable(types: number, locations: number): Profile['samples'] {
    const length = this.#below(this.#size + 1);
    const depths = this.#rows(length, () => (locations === 0 ? 0 : this.#below(this.#chance(0.1) ? 40 : 6)));
    const labelCounts = this.#rows(length, () => (this.#chance(0.5) ? 0 : this.#below(5)));
    const labels = labelCounts.reduce((sum, count) => sum + count, 0);
    const isText = this.#rows(labels, () => this.#strings > 1 && this.#chance(0.5));
    return {
      length,
      stackStart: offsets(depths),
      stackLocations: Uint32Array.from(depths.flatMap((depth) => this.#rows(depth, () => this.#below(locations)))),
      values: this.#signed(length * types),
      labelStart: offsets(labelCounts),
      labels: {
        length: labels,
        key: this.#stringRows(labels),
        str: Uint32Array.from(isText, (text) => (text ? 1 + this.#below(this.#strings - 1) : 0)),
        num: BigInt64Array.from(isText, (text) => (text ? 0n : this.#int64())),
        numUnit: Uint32Array.from(isText, (text) => (text ? 0 : this.#string())),
      },
    };
  }

  #unknown(profile: Profile): UnknownFields {
    const places = Object.values(UnknownIn).flatMap((message) =>
      Array.from({ length: rowsOfMessage(profile, message) }, (_, row) => ({ message, row })).filter(() =>
        this.#chance(0.2),
      ),
    );
    const fields = places.map(() => this.#field());
    return {
      length: places.length,
      message: Uint8Array.from(places, ({ message }) => message),
      row: Uint32Array.from(places, ({ row }) => row),
      starts: offsets(fields.map((field) => field.length)),
      bytes: Uint8Array.from(fields.flat()),
    };
  }

  /** Field 100 of any wire type but groups, tag and payload. */
  #field(): number[] {
    const wireType = [0, 1, 2, 5][this.#below(4)]!;
    const tag = [(((100 << 3) | wireType) & 0x7f) | 0x80, (100 << 3) >> 7];
    const random = (count: number) => this.#rows(count, () => this.#below(256));
    if (wireType === 0) return [...tag, 0x80 | this.#below(128), this.#below(128)];
    if (wireType === 1) return [...tag, ...random(8)];
    if (wireType === 5) return [...tag, ...random(4)];
    const length = this.#below(6);
    return [...tag, length, ...random(length)];
  }

  /** Unique, never 0, anywhere in 64 bits. */
  #ids(length: number): BigUint64Array | undefined {
    if (!this.#features.sparseIds || this.#chance(0.5)) return undefined;
    const ids = new Set<bigint>();
    while (ids.size < length) ids.add(BigInt.asUintN(64, this.#int64()) || 7n + BigInt(ids.size));
    return BigUint64Array.from(ids);
  }

  #int64(): bigint {
    if (this.#chance(0.3)) return extremes[this.#below(extremes.length)]!;
    if (this.#chance(0.7)) return BigInt(this.#below(100_000));
    return BigInt.asIntN(64, (BigInt(this.#next()) << 32n) | BigInt(this.#next()));
  }

  #signed(length: number): BigInt64Array {
    return BigInt64Array.from(this.#rows(length, () => this.#int64()));
  }

  #unsigned(length: number): BigUint64Array {
    return BigUint64Array.from(this.#rows(length, () => this.#int64()));
  }

  #string(): number {
    return this.#below(this.#strings);
  }

  #stringRows(length: number): Uint32Array {
    return Uint32Array.from(this.#rows(length, () => this.#string()));
  }

  #rows<Value>(length: number, make: () => Value): Value[] {
    return Array.from({ length }, make);
  }

  #chance(probability: number): boolean {
    return this.#next() < probability * 2 ** 32;
  }

  #below(limit: number): number {
    return limit <= 0 ? 0 : this.#next() % limit;
  }

  /** xorshift32: 32 bits, never 0. */
  #next(): number {
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    return this.#state >>> 0;
  }
}

function offsets(counts: readonly number[]): Uint32Array {
  const starts = new Uint32Array(counts.length + 1);
  counts.forEach((count, index) => {
    starts[index + 1] = starts[index]! + count;
  });
  return starts;
}
