/** What the configuration needs to know of plugins: their descriptions, and how they check options beyond their schemas. */

export type PluginKind = 'source' | 'codec' | 'stage' | 'aggregate' | 'sink';

/**
 * What a profile may have at a point of the pipeline; lint checks that what a stage needs was provided before it.
 * A codec provides by what it decodes; `symbols` are function names, `lines` places in files.
 */
export type Capability = 'addresses' | 'symbols' | 'lines' | 'binary' | 'capture';

/**
 * A JSON Schema (2020-12) of an options object: plain data. A string with `format: "path"` is a path: relative ones are
 * resolved against the file that names them (the current folder for `--set`) before a plugin sees them. `format: "existing-path"`
 * is one where something must be, which is looked at when the pipeline is checked. `format: "path-template"`
 * is one with `{name}`, `{index}` or `{label:KEY}` in it; `format: "path-glob"` may hold wildcards (what looks like one in
 * the folder that was put in front is escaped: `\\(`, `[{]`).
 */
export type JsonSchema = { readonly [key: string]: unknown };

/** Something wrong with options that passed their schema. */
export interface OptionProblem {
  /** Keys and indexes to the value: `['paths', 0]`; [] for the options as a whole. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

export interface CatalogueEntry {
  readonly kind: PluginKind;
  readonly name: string;
  readonly version: string;
  readonly summary: string;
  readonly schema: JsonSchema;
  /** See `PluginMeta.checkOptions`. */
  checkOptions?(options: unknown): readonly OptionProblem[] | Promise<readonly OptionProblem[]>;
  readonly needs?: readonly Capability[];
  readonly provides?: readonly Capability[];
  /** Codecs. */
  readonly decodes?: boolean;
  readonly encodes?: boolean;
  readonly extensions?: readonly string[];
  /** Sinks. */
  readonly defaultCodec?: string;
  /** Aggregates: see `AggregatePlugin.groupFields`. */
  groupFields?(options: unknown): readonly string[];
  /** "built-in", or the file: URL of the module that it came from. */
  readonly origin: string;
}

export interface Catalogue {
  find(kind: PluginKind, name: string): CatalogueEntry | undefined;
  list(): readonly CatalogueEntry[];
}
