/** What symbolize says in the summary: by mapping, and by samples. */
import type { ReportTable } from '../../../core/index.js';

export interface MappingReport {
  readonly file: string;
  readonly buildId: string;
  /** Sources that gave frames: "gopclntab". */
  readonly sources: readonly string[];
  /** What these have besides names: "lines", "columns", "inlines", "start_lines". */
  readonly gives: readonly string[];
  readonly locations: number;
  /** Had lines already, and kept them. */
  readonly kept: number;
  readonly symbolized: number;
  /** Locations without lines, by reason. */
  readonly reasons: { readonly [reason: string]: number };
}

/** Samples, and their values of one type, by what is known of their stacks. */
export interface SampleReport {
  /** "cpu/nanoseconds". */
  readonly valueType: string;
  readonly samples: number;
  /** Sum of the values of all samples; of those whose leaf has lines; of those whose frames all have. */
  readonly total: bigint;
  readonly leaf: bigint;
  readonly all: bigint;
}

export interface SymbolizeReport {
  /** In order of file and build ID, each pair once. */
  readonly mappings: readonly MappingReport[];
  /** In order of value type. */
  readonly samples: readonly SampleReport[];
}

/** A report of rows in any order; several of one mapping become one. */
export function makeReport(mappings: readonly MappingReport[], samples: readonly SampleReport[]): SymbolizeReport {
  return {
    mappings: mergeRows(mappings, ({ file, buildId }) => `${file}\0${buildId}`, mergeMappings),
    samples: mergeRows(samples, ({ valueType }) => valueType, mergeSamples),
  };
}

/** Associative and commutative. */
export function mergeReports(a: SymbolizeReport, b: SymbolizeReport): SymbolizeReport {
  return makeReport([...a.mappings, ...b.mappings], [...a.samples, ...b.samples]);
}

export function renderReport({ mappings, samples }: SymbolizeReport): ReportTable {
  return {
    title: 'Symbols',
    columns: [
      { name: 'mapping' },
      { name: 'symbols from' },
      { name: 'locations', align: 'right' },
      { name: 'symbolized', align: 'right' },
      { name: 'had lines', align: 'right' },
      { name: 'without' },
    ],
    rows: mappings.map(({ file, sources, locations, symbolized, kept, reasons }) => [
      file === '' ? '(no mapping)' : file,
      sources.join(', '),
      String(locations),
      String(symbolized),
      String(kept),
      Object.entries(reasons)
        .map(([reason, count]) => `${count} ${reason.replaceAll('_', ' ')}`)
        .join(', '),
    ]),
    notes: samples.map(
      ({ valueType, total, leaf, all }) =>
        `${valueType}: ${percent(leaf, total)} of it in samples with a symbolized leaf, ${percent(all, total)} in fully symbolized stacks`,
    ),
  };
}

export function reportJson({ mappings, samples }: SymbolizeReport): unknown {
  return {
    mappings,
    samples: samples.map((row) => ({
      ...row,
      total: exact(row.total),
      leaf: exact(row.leaf),
      all: exact(row.all),
    })),
  };
}

function mergeMappings(a: MappingReport, b: MappingReport): MappingReport {
  const reasons: { [reason: string]: number } = { ...a.reasons };
  for (const [reason, count] of Object.entries(b.reasons)) reasons[reason] = (reasons[reason] ?? 0) + count;
  return {
    ...a,
    sources: union(a.sources, b.sources),
    gives: union(a.gives, b.gives),
    locations: a.locations + b.locations,
    kept: a.kept + b.kept,
    symbolized: a.symbolized + b.symbolized,
    reasons: Object.fromEntries(Object.entries(reasons).sort(([x], [y]) => (x < y ? -1 : 1))),
  };
}

function union(a: readonly string[], b: readonly string[]): string[] {
  return [...new Set([...a, ...b])].sort();
}

function mergeSamples(a: SampleReport, b: SampleReport): SampleReport {
  return {
    valueType: a.valueType,
    samples: a.samples + b.samples,
    total: a.total + b.total,
    leaf: a.leaf + b.leaf,
    all: a.all + b.all,
  };
}

/** Rows of one key merged into one, in order of the key. */
function mergeRows<Row>(rows: readonly Row[], keyOf: (row: Row) => string, merge: (a: Row, b: Row) => Row): Row[] {
  const byKey = new Map<string, Row>();
  for (const row of rows) {
    const key = keyOf(row);
    const known = byKey.get(key);
    byKey.set(key, known === undefined ? row : merge(known, row));
  }
  return [...byKey].sort(([x], [y]) => (x < y ? -1 : 1)).map(([, row]) => row);
}

function percent(part: bigint, whole: bigint): string {
  return whole === 0n ? '–' : `${((Number(part) / Number(whole)) * 100).toFixed(1)} %`;
}

/** JSON holds integers exactly up to 2^53; beyond that as decimal text. */
function exact(value: bigint): number | string {
  return BigInt.asIntN(54, value) === value ? Number(value) : String(value);
}
