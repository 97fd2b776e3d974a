/** What crosses between the main thread and a worker. Plain data; byte arrays are transferred where nobody needs them any more. */
import type { Plan } from '../../config/plan.js';
import type { ItemFailure, Refusal } from './errors.js';
import type { Share, SourceItem } from './plugin.js';
import type { TaskFacts } from './telemetry.js';

/** Given to every worker at its start. */
export interface WorkerSetup {
  readonly plan: Plan;
  /** file: URL of the module that exports `builtins: Plugin[]`. */
  readonly registryModule: string;
  /** Label keys that the sinks' paths need. */
  readonly labelKeys: readonly string[];
}

/** What a function would be in the way of is left out. */
export interface NumberedItem extends Omit<SourceItem, 'settled' | 'partlySettled'> {
  readonly index: number;
}

/** Where an item of a partial is in time: milliseconds since 1970. */
export interface ItemWindows {
  readonly index: number;
  /** Of its own or of its arrival, whichever tells the window; undefined where it has none. */
  readonly timeMs: number | undefined;
  /** See `ItemInfo`. */
  readonly arrivalMs: number;
  /** See `AggregateWindows.endsOf`. */
  readonly endsMs: readonly number[];
}

/** What the windows of a stream are at when a task begins. */
export interface WindowTimes {
  /** Of all items of the task. */
  readonly arrivalMs: number;
  /** Windows that ended until then are written. */
  readonly closedMs: number;
}

/** A partial aggregate, encoded. */
export type PartialBytes = readonly Uint8Array[];

/** A share of an item's parts. */
export interface ItemShare {
  /** Undefined when there was no part for it. */
  readonly partial: PartialBytes | undefined;
  readonly facts: TaskFacts;
  /** Why the parts are not all of the item. */
  readonly broken: ItemFailure | undefined;
}

export type Task = SetupTask | WorkTask;

/** A task on its way to a thread. */
export interface TracedTask {
  readonly task: Task;
  /** Where the thread says how far it is: trace.ts. */
  readonly trace: { readonly memory: Int32Array; readonly slot: number };
}

/** Makes the plan's plugins, and says whether that worked. */
export interface SetupTask {
  readonly kind: 'setup';
}

/** Whether the worker keeps the partial that a task ends with, so that the next one goes on with it. */
export interface Keep {
  /** One of more bytes is given away instead, and so is one whose aggregate does not say how large it is, unless any may stay. */
  readonly mostBytes: number;
  /** A copy of what is kept is wanted beside. */
  readonly copy: boolean;
}

export type WorkTask =
  /** Per-profile stages on a batch; with a barrier, `onto` is the partial to add to, taken out as for `merge`. `shares`: all of the only item, decoded before. */
  | {
      readonly kind: 'items';
      readonly items: readonly NumberedItem[];
      readonly onto?: Uint8Array[] | 'kept';
      readonly keep?: Keep;
      readonly windows?: WindowTimes;
      readonly shares?: readonly ItemShare[];
    }
  /** A share of an item's parts, decoded and through the stages that need captures. */
  | { readonly kind: 'share'; readonly item: NumberedItem; readonly share: Share }
  /** Partials as one, with that of the worker. They are taken out: nobody may hold them while they are merged. */
  | { readonly kind: 'merge'; readonly partials: PartialBytes[]; readonly onto?: 'kept' }
  /**
   * Partials, taken out as for `merge`, with that of the worker and those in files, as one, finished, through the stages behind the
   * barrier, encoded. With `untilMs` only what goes to windows that ended by then: the rest is the result's `partial`.
   */
  | {
      readonly kind: 'finish';
      readonly partials: PartialBytes[];
      readonly onto?: 'kept';
      readonly spilled: readonly string[];
      readonly untilMs?: number;
    };

/** One profile, encoded for every output of the plan. Equal encodings share their pieces. */
export interface EncodedItem {
  readonly index: number;
  readonly uri: string;
  readonly name: string;
  readonly labels: { readonly [key: string]: string };
  readonly group?: Readonly<Record<string, string>>;
  /** See `SinkItem.part`. */
  readonly part?: number;
  /** By output. */
  readonly outputs: readonly (readonly Uint8Array[])[];
}

export interface TaskResult {
  /** Without a barrier, in the order of the batch; of a `finish`, one a group. */
  readonly encoded: readonly EncodedItem[];
  readonly partial?: PartialBytes;
  /** Whether the worker keeps the partial; `partial` is a copy then, if it is there. */
  readonly isKept?: boolean;
  /** Of items that went into the partial, where there are windows. */
  readonly windows?: readonly ItemWindows[];
  /** Of a `share`, unless it failed or the item's codec shares no parts. */
  readonly share?: ItemShare;
  /** Items that went into the partial, or were encoded. */
  readonly delivered: number;
  readonly failures: readonly ItemFailure[];
  readonly facts: TaskFacts;
}

/** Of a task that has come to nothing yet. */
export const nothingDone: TaskResult = {
  encoded: [],
  delivered: 0,
  failures: [],
  facts: { counters: {}, warnings: {}, reports: {}, work: {}, samples: 0 },
};

export type TaskReply =
  | { readonly kind: 'ready' }
  /** A plugin's `create` threw: the plan cannot run. */
  | { readonly kind: 'unusable'; readonly refusal: Refusal }
  /** The worker has not kept what the task goes on with: it is another one. */
  | { readonly kind: 'gone' }
  /** The task as a whole threw. */
  | { readonly kind: 'failed'; readonly failure: ItemFailure }
  | { readonly kind: 'done'; readonly result: TaskResult };

/** Byte buffers of a result that may be moved instead of copied: those that nothing else refers to. */
export function transferables({ partial = [], isKept = false, share, encoded }: TaskResult): ArrayBuffer[] {
  return movable([
    ...(isKept ? [] : partial),
    ...(share?.partial ?? []),
    ...encoded.flatMap(({ outputs }) => outputs.flat()),
  ]);
}

/** The same of a task: partials that are merged are used up. What an `items` task adds to is not, since it may run again. */
export function transferablesOf(task: Task): ArrayBuffer[] {
  return task.kind === 'merge' || task.kind === 'finish' ? movable(task.partials.flat()) : [];
}

/** Above this, a view of half of a buffer has it for itself: Node's pool, whose pieces have neighbours, has 8 KiB. */
const OWN_BYTES = 64 * 1024;

function movable(pieces: readonly Uint8Array[]): ArrayBuffer[] {
  const buffers = new Set<ArrayBuffer>();
  for (const { buffer, byteLength } of pieces) {
    if (!(buffer instanceof ArrayBuffer)) continue;
    const isOwn = byteLength >= OWN_BYTES && 2 * byteLength >= buffer.byteLength;
    if (isOwn || byteLength === buffer.byteLength) buffers.add(buffer);
  }
  return [...buffers];
}
