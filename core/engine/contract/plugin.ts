/**
 * The contracts of the five kinds of plugins. The built-ins under plugins/ use these and nothing else; so do third parties,
 * through core/index.ts.
 *
 * Life cycle, in every worker (and in the main thread for sources and sinks): `create(options, context)` once per use in a
 * pipeline, with options that passed the schema and have their defaults; the work, any number of times; `close()` at the end
 * (idempotent). Stages, codecs and aggregates do not read files themselves: they ask `context.binaries`, and `create` for small ones that
 * options name.
 */
import type { BinaryStore } from '../../binary/store.js';
import type { Capability, JsonSchema, OptionProblem, PluginKind } from '../../config/catalogue.js';
import type { FormatError } from '../../formats/errors.js';
import type { ByteInput } from '../../formats/input.js';
import type { Limits } from '../../formats/limits.js';
import type { Profile } from '../../profile/profile.js';

export type { Capability, JsonSchema, OptionProblem, PluginKind } from '../../config/catalogue.js';

/** Version of these contracts; a plugin's `api` is a semver range that must contain it. */
export const API_VERSION = '1.0.0';

export interface PluginMeta<Kind extends PluginKind, Options> {
  readonly kind: Kind;
  /** The name in YAML: one word, lower case, `-` allowed. */
  readonly name: string;
  readonly version: string;
  /** Semver range of API_VERSION. */
  readonly api: string;
  /** One sentence, for `pipe list`. */
  readonly summary: string;
  /** Schema of the options. Required, `type: object`, with `additionalProperties: false`. */
  readonly schema: JsonSchema;
  /**
   * What the schema cannot say: an expression that does not compile, two options that exclude each other. Called in the main thread when a
   * pipeline is checked, with options that passed the schema and have their defaults; `pipe lint` shows each problem at its place.
   */
  checkOptions?(options: Options): readonly OptionProblem[] | Promise<readonly OptionProblem[]>;
  /** Whether it asks `context.binaries`, which refuse it otherwise: what reads executables is much, and loaded only for those who do. */
  readonly readsBinaries?: boolean;
  readonly needs?: readonly Capability[];
  readonly provides?: readonly Capability[];
}

/** What `create` gets. */
export interface CreateContext {
  /** Executables and libraries, shared by all stages of one worker. */
  readonly binaries: BinaryStore;
  readonly limits: Limits;
  /** Aborted when the run stops at once (second signal, deadline). */
  readonly signal: AbortSignal;
  /**
   * A whole file that an option names (`format: path` in the schema), as its bytes are.
   * @throws Error that names the path: not there, not a regular file, over the limit `fileBytes`
   */
  readFile(path: string): Uint8Array;
  /** What an option names that takes files or folders of them: the path itself, or those of the folder, in order of their names. */
  listFiles(path: string): readonly string[];
  /**
   * A profile that an option of a stage names, decoded as the pipeline's inputs are. For stages and aggregates only.
   * @throws Error that names the path: see `readFile`; or what a codec finds
   */
  readProfile(path: string): Promise<Profile>;
}

/** What is known of one item, besides its bytes. */
export interface ItemInfo {
  /** Place in the order of the source, from 0. */
  readonly index: number;
  /** Base name without `.pb.gz`, `.pprof`, `.gz` …; what `{name}` in an output path means. */
  readonly name: string;
  /** How messages call it: the path as given, or "-" for stdin. */
  readonly uri: string;
  /** SHA-256 of the bytes as they came: 32 bytes. Orders inputs where an order must not depend on arrival. */
  readonly digest: Uint8Array;
  /**
   * When the run got to it, or one before that wrote some of its windows: milliseconds since 1970. Of others never less than that of an item
   * before it. Absent for what is no input.
   */
  readonly arrivalMs?: number;
  /** An aggregate adds it to none of its windows that ended until then, in milliseconds since 1970: a run before has written it there. */
  readonly writtenUntilMs?: number;
}

/** What the work on one item may say besides its result. All of it reaches the summary, but only if the item is delivered. */
export interface ItemContext {
  readonly item: ItemInfo;
  readonly limits: Limits;
  readonly signal: AbortSignal;
  /** Adds to a counter of this plugin, e.g. `count('locations_unsymbolized.no_binary', 12)`. */
  count(counter: string, amount?: number): void;
  /** A warning about this item, shown once per (code, message) with the number of items. */
  warn(code: string, message: string): void;
}

/** What `decode` gets. */
export interface WholeContext extends ItemContext {
  /**
   * Nobody has the profile any more when this codec decodes the next one: its columns may be memory of the codec's own, to be written over
   * then.
   */
  readonly isUsedUp?: boolean;
}

/**
 * A profile a bounded number of samples at a time. Each piece has its header and all of its tables, and some of its samples; all together
 * have all samples, in their order. Rows of a sample's table are those of the piece.
 */
export interface ProfilePieces {
  /** At least one. The memory of a piece's samples may be used again once the next one is asked for. */
  readonly pieces: AsyncIterable<Profile>;
}

/** What `decodeParts` gets. */
export interface DecodeContext extends WholeContext {
  /**
   * The bytes are spoilt from some place on, but what came before is good and is given: the item is delivered and the run says
   * what it lacks (exit code 20).
   */
  breaksOff(error: FormatError): void;
}

/** What the plugin's `report` value is for: see `StagePlugin.mergeReports`. */
export interface StageItemContext<Report> extends ItemContext {
  /** Gives this item's report; reports of all delivered items are merged and shown in the summary. */
  report(value: Report): void;
}

/** One stage in use. */
export interface Stage<Report = never> {
  /** A pure function: does not mutate `profile`, gives the same result for the same input. May return its input. */
  process(profile: Profile, context: StageItemContext<Report>): Profile | Promise<Profile>;
  close?(): void | Promise<void>;
}

/** A table in the run's summary. Cells are text ready to print; numbers right-aligned by `align`. */
export interface ReportTable {
  readonly title: string;
  readonly columns: readonly { readonly name: string; readonly align?: 'left' | 'right' }[];
  readonly rows: readonly (readonly string[])[];
  /** Sentences under the table: how sure it is, what it does not say. */
  readonly notes: readonly string[];
}

export interface StagePlugin<Options = unknown, Report = never> extends PluginMeta<'stage', Options> {
  create(options: Options, context: CreateContext): Stage<Report> | Promise<Stage<Report>>;
  /** Reports of two items (or merges of items) as one: associative and commutative. Plain, structured-clonable data. */
  mergeReports?(a: Report, b: Report): Report;
  /** The merged report for a person. */
  renderReport?(report: Report, options: Options): ReportTable;
  /** The merged report for a machine: JSON values, 64-bit numbers as decimal strings when beyond 2^53. Default: the report itself. */
  reportJson?(report: Report, options: Options): unknown;
}

/** Several workers decode one large file together: each reads all of it, and makes profiles of its own share of the parts. */
export interface Share {
  /** From 0. */
  readonly index: number;
  /** Number of shares. */
  readonly of: number;
}

/** One codec in use. It decodes in one of the two ways, or encodes, or both. */
export interface Codec {
  /** @throws FormatError for bytes that are not a valid profile of this format */
  decode?(input: ByteInput, context: WholeContext): Profile | Promise<Profile>;
  /**
   * Beside `decode`, and asked instead where nothing but an aggregate that takes pieces comes next: large profiles then need not be in
   * memory whole.
   * @throws FormatError as `decode`; what is wrong may show only when pieces are asked for
   */
  decodeInPieces?(input: ByteInput, context: WholeContext): Promise<Profile | ProfilePieces>;
  /**
   * Instead of `decode`, for inputs that do not fit in memory: the profile in parts. Each goes by itself through the stages up to the last
   * one that needs captures, then all are merged, and the other stages get the whole. A part's captures may lie in memory that is used
   * again once the next part is asked for.
   * @param share the parts to give, in their order, when the codec `sharesParts`: parts `index`, `index + of` … Which records are in which
   * part must not depend on the share; what is said of the input as a whole (`count`, `warn`, `breaksOff`), share 0 says
   * @throws FormatError as `decode`
   */
  decodeParts?(input: ByteInput, context: DecodeContext, share: Share): AsyncIterable<Profile>;
  /** The bytes, in pieces. The same profile gives the same bytes, on every machine. */
  encode?(profile: Profile, context: ItemContext): readonly Uint8Array[] | Promise<readonly Uint8Array[]>;
  close?(): void | Promise<void>;
}

export interface CodecPlugin<Options = unknown> extends PluginMeta<'codec', Options> {
  readonly decodes: boolean;
  readonly encodes: boolean;
  /** Whether its `decodeParts` can give a share of the parts. */
  readonly sharesParts?: boolean;
  /** Endings of file names it writes, the usual one first: [".pb.gz", ".pprof"]. An output path picks its codec by them. */
  readonly extensions: readonly string[];
  /**
   * Whether decompressed bytes look like this format. `head` is the first up to 4 KiB of the input, all of it if shorter.
   * @returns 0 (no) … 1 (sure); the highest wins
   */
  detect?(head: Uint8Array): number;
  create(options: Options, context: CreateContext): Codec | Promise<Codec>;
}

/**
 * One aggregate in use: a barrier with algebra. `merge` is associative and commutative **down to the bytes** of
 * `encode(finish(x))`, so neither the number of workers nor the order of arrival shows in the result.
 */
export interface Aggregate<Partial> {
  empty(): Partial;
  /** Adds a profile; may reuse and change `partial`, never `profile`. On a throw `partial` is as it was before. */
  add(partial: Partial, profile: Profile, item: ItemInfo): Partial;
  /** May reuse and change both. */
  merge(a: Partial, b: Partial): Partial;
  /** The partial as bytes, to cross threads (the buffers are transferred) or machines. */
  encode(partial: Partial): readonly Uint8Array[];
  /** May take over the memory of `bytes`: nobody else reads them. */
  decode(bytes: readonly Uint8Array[]): Partial;
  /**
   * Bytes that `encode` would give, or about. Without it a partial that has a `memoryLimit` is encoded after every few profiles, to see
   * whether it has to go to disk.
   */
  sizeOf?(partial: Partial): number;
  /** @throws FormatError E_OVERFLOW … when the result cannot be said exactly */
  finish(partial: Partial, context: AggregateContext): Profile;
  /** Asked instead of `finish` where there is one: several profiles, each of a group, in an order that does not depend on arrival. */
  finishGroups?(partial: Partial, context: AggregateContext): Iterable<GroupResult>;
  /** Absent where what becomes of a sample depends on others of its profile, or where nobody cared. */
  readonly pieces?: AggregatePieces<Partial>;
  /** There where `AggregatePlugin.windowRules` gives rules. */
  readonly windows?: AggregateWindows<Partial>;
  close?(): void | Promise<void>;
}

/** How an aggregate takes a profile that comes in pieces: they are added to a partial of their own, which is joined once all are there. */
export interface AggregatePieces<Partial> {
  /**
   * Adds a piece to a partial that has those before it and nothing else; keeps none of the piece's memory.
   * @param samplesBefore how many samples those have
   */
  add(own: Partial, piece: Profile, item: ItemInfo, samplesBefore: number): Partial;
  /**
   * What `add` of the whole profile to `partial` would be, down to the bytes of the result. On a throw `partial` is as it was before.
   * @param header the profile, without samples
   */
  join(partial: Partial, own: Partial, header: Profile, item: ItemInfo): Partial;
}

/** Windows of time that an aggregate's results are of. Of a source without an end each is written when it has ended. */
export interface AggregateWindows<Partial> {
  /**
   * When the windows end that the profile goes to: milliseconds since 1970, ascending. [] where the profile has no time: then its
   * result is written with the next window that ends.
   */
  endsOf(profile: Profile, item: ItemInfo): readonly number[];
  /** Takes out of the partial what goes to windows that ended at `untilMs` or before, or to none. @returns that, as a partial */
  takeEnded(partial: Partial, untilMs: number): Partial;
}

export interface WindowRules {
  /** How long a window is. */
  readonly lengthMs: number;
  /** Whose time tells the window: the profile's own, or that of the item's arrival. */
  readonly clock: 'profile' | 'arrival';
  /** By the profiles' own time: a window has ended when the newest profile is this much newer than its end. */
  readonly latenessMs: number;
  /** What is done with a profile that comes when a window of it has been written: it goes to another output of the window, or is none. */
  readonly late: 'add' | 'dead-letter';
}

export type AggregateContext = Omit<ItemContext, 'item'>;

/** One profile of a grouping aggregate. */
export interface GroupResult {
  /** What its members have in common, by field: output paths take it as `${group.FIELD}`. No two results of a run are alike in all fields. */
  readonly group: Readonly<Record<string, string>>;
  /** Called once, before the next result is asked for. A throw costs this group only. */
  finish(): Profile;
}

export interface AggregatePlugin<Options = unknown, Partial = unknown> extends PluginMeta<'aggregate', Options> {
  /** Fields that its groups have with these options; [] for one result without a group. Lint checks output paths by it. */
  groupFields?(options: Options): readonly string[];
  /** Bytes that the partials may take in memory; beyond that the engine keeps them on disk. Absent: no limit. */
  memoryLimit?(options: Options): number;
  /** Absent or undefined: results are written when the input ends. */
  windowRules?(options: Options): WindowRules | undefined;
  create(options: Options, context: CreateContext): Aggregate<Partial> | Promise<Aggregate<Partial>>;
}

/** How far the windows of an item are written. All in milliseconds since 1970. */
export interface WindowsWritten {
  /** When the run got to the item. */
  readonly arrivalMs: number;
  /** Those of its windows that ended until then are written, no other. */
  readonly untilMs: number;
}

/** One input: bytes at hand, a file that the worker reads by itself, or a stream. */
export interface SourceItem {
  readonly uri: string;
  readonly name: string;
  /**
   * A path is bytes where it is no valid UTF-8. Streams are standard input's, no third party's: read as it comes where the run decodes in the
   * main thread, else held whole. Who reads one again gets all, or an error.
   */
  readonly data:
    | { readonly path: string | Uint8Array }
    | { readonly bytes: Uint8Array }
    | { readonly stream: AsyncIterable<Uint8Array> };
  /** Bytes, if known. */
  readonly size?: number;
  /** Labels that every sample of its profile gets, in place of those of that key. */
  readonly labels?: { readonly [key: string]: string };
  /** What `partlySettled` was told last of the item, when a run before did not settle it: it goes to its other windows only. */
  readonly written?: WindowsWritten;
  /**
   * Called once the item cannot be lost any more: its outputs are durable, or its dead letter is. Behind a barrier that is when the
   * barrier's output is. Never called for an item that the run did not get to, or that it was stopped at.
   */
  settled?(outcome: 'delivered' | 'dead-lettered'): void | Promise<void>;
  /** Called before `settled`, each time that some windows of the item are durable while it is in others that are open. */
  partlySettled?(written: WindowsWritten): void | Promise<void>;
}

/** An item that is there but cannot be read. */
export interface UnreadableItem {
  readonly uri: string;
  readonly name: string;
  readonly error: Error;
}

/** What a source did besides its items, for the summary. */
export interface SourceFacts {
  readonly counters: { readonly [counter: string]: number };
  readonly warnings: readonly { readonly code: string; readonly message: string; readonly times: number }[];
}

/** One source in use; runs in the main thread. */
export interface Source {
  /**
   * Items in a stable order. The engine pulls: it asks for the next only when the pool has room.
   * An item that is there but cannot be read is yielded as an error, never thrown: the others continue.
   */
  items(): AsyncIterable<SourceItem | UnreadableItem>;
  /** Number of items, and bytes of all of them, if known before reading. A small run does without worker threads. */
  readonly count?: number;
  readonly totalBytes?: number;
  /** All names, if known before reading: lets the engine refuse two items with one output before anything is read. */
  readonly names?: readonly string[];
  /** Absolute paths of the files that its items are, if known before reading: no output takes the place of one. */
  readonly files?: readonly string[];
  /** It ends only when it is told to: a first SIGINT or SIGTERM is then the regular end of the run, with exit code 0. */
  readonly isEndless?: boolean;
  /**
   * These items, if any, are settled together, once there are outputs at all of these destinations; there is none yet. For a source that
   * must not give an item twice, also when it is killed before it hears of `settled`: it writes the last of these down, and looks at its
   * next start whether all are there. If they are not it removes those that are: its items come again.
   * @param partly items that are settled as far as that, with the others
   */
  settling?(
    items: readonly SourceItem[],
    destinations: readonly string[],
    partly: ReadonlyMap<SourceItem, WindowsWritten>,
  ): void | Promise<void>;
  /** Asked once, when the run is over. */
  facts?(): SourceFacts;
  /** Ends waits that `items` is in: what was yielded is done by then, nothing more is asked for. */
  close?(): void | Promise<void>;
}

export interface SourcePlugin<Options = unknown> extends PluginMeta<'source', Options> {
  create(options: Options, context: CreateContext): Source | Promise<Source>;
}

/** One output for one item or for the whole run. */
export interface SinkItem {
  /** The input's name; the pipeline's name behind a barrier. */
  readonly name: string;
  /** Place in the order of the source; behind a barrier that of the group, 0 without groups. */
  readonly index: number;
  /** Values of the labels that `Sink.labelKeys` asked for; absent where the profile has none or several. */
  readonly labels: { readonly [key: string]: string };
  /** See `GroupResult.group`; absent where nothing was grouped. */
  readonly group?: Readonly<Record<string, string>>;
  /** From 2 on for what comes after an output was written for the same: a run without an end goes on behind a barrier. */
  readonly part?: number;
  readonly bytes: readonly Uint8Array[];
}

/** One sink in use; runs in the main thread. */
export interface Sink {
  /** Label keys that the path needs. */
  readonly labelKeys: readonly string[];
  /** What this item's output is called: a path, or "-". Two items with the same destination are refused. */
  destination(item: Omit<SinkItem, 'bytes'>): string;
  /** Whether something is at a destination already, of this run or one before. Absent: it cannot know. */
  isThere?(destination: string): boolean;
  /** Checks that it can be written, before anything is read: folder there or makable, no symlink in the way. @throws Error */
  prepare(): Promise<void>;
  /** Writes it whole or not at all, durable when it returns. @returns where it is, for the summary */
  write(item: SinkItem): Promise<{ readonly destination: string; readonly bytes: number }>;
  close?(): void | Promise<void>;
}

export interface SinkPlugin<Options = unknown> extends PluginMeta<'sink', Options> {
  /** Codec when neither `codec:` nor the path's ending says one. */
  readonly defaultCodec?: string;
  create(options: Options, context: CreateContext): Sink | Promise<Sink>;
}

/** Of any option, report and partial types: what the registry holds. */
export type Plugin =
  | SourcePlugin<any>
  | CodecPlugin<any>
  | StagePlugin<any, any>
  | AggregatePlugin<any, any>
  | SinkPlugin<any>;

/** These only check the type; what is wrong at run time is found by the registry, at lint time. */
export const defineSource = <Options>(plugin: Omit<SourcePlugin<Options>, 'kind'>): SourcePlugin<Options> => ({
  ...plugin,
  kind: 'source',
});
export const defineCodec = <Options>(plugin: Omit<CodecPlugin<Options>, 'kind'>): CodecPlugin<Options> => ({
  ...plugin,
  kind: 'codec',
});
export const defineStage = <Options, Report = never>(
  plugin: Omit<StagePlugin<Options, Report>, 'kind'>,
): StagePlugin<Options, Report> => ({
  ...plugin,
  kind: 'stage',
});
export const defineAggregate = <Options, Partial>(
  plugin: Omit<AggregatePlugin<Options, Partial>, 'kind'>,
): AggregatePlugin<Options, Partial> => ({
  ...plugin,
  kind: 'aggregate',
});
export const defineSink = <Options>(plugin: Omit<SinkPlugin<Options>, 'kind'>): SinkPlugin<Options> => ({
  ...plugin,
  kind: 'sink',
});
