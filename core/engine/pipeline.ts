/**
 * The flow of a run, and the only file that knows rxjs: batches come in against credits, run in the executor, and leave in the
 * order of the source.
 *
 *     without a barrier   batches ─credits─▶ tasks (side by side) ─▶ in order ─▶ commit
 *     with a barrier      batches ─credits─▶ tasks, each onto its lane's partial ─▶ merge pairwise ─▶ finish ─▶ commit
 */
// By file: `rxjs` itself loads two hundred of them, which takes longer than a small run (measured: 150 ms of CPU against 75).
import { lastValueFrom } from 'rxjs/internal/lastValueFrom';
import { Observable } from 'rxjs/internal/Observable';
import { concatMap } from 'rxjs/internal/operators/concatMap';
import { map } from 'rxjs/internal/operators/map';
import { mergeMap } from 'rxjs/internal/operators/mergeMap';
import type { Site } from './attempt.js';
import type { Batch } from './batches.js';
import { describeFailure, type ItemFailure } from './errors.js';
import { type Executor, TaskFailed, TaskLost } from './executor.js';
import { ENGINE_PLACE } from './places.js';
import type { NumberedItem, PartialBytes, TaskResult } from './protocol.js';
import type { Spill } from './spill.js';

export interface Flow {
  readonly batches: AsyncIterable<Batch>;
  readonly executor: Executor;
  readonly barrier: boolean;
  /** Who works at a place of the plan. */
  siteAt(place: number): Pick<Site, 'stage' | 'plugin'>;
  /** Where partials go that are too large for memory. */
  readonly spill?: Spill | undefined;
  /** No new batch is taken once this is aborted; what runs is finished. */
  readonly drain: AbortSignal;
  /** Takes what a task gave: counts, dead-letters, writes. Called one at a time, in the order of the source (no barrier). */
  commit(result: TaskResult, batch: Batch): Promise<void>;
}

/** Batches that may be under way per lane: one at work, one ready behind it. */
const CREDITS_PER_LANE = 2;

/** Runs to the end of the batches, or until the drain. @returns partials of the lanes, merged down to two at most; [] without a barrier */
export async function runFlow(flow: Flow): Promise<readonly PartialBytes[]> {
  const { executor, barrier } = flow;
  const credits = new Credits(executor.lanes * CREDITS_PER_LANE);
  const batches = pull(flow.batches, credits, flow.drain);
  if (!barrier) {
    // `map` starts a batch at once, `concatMap` waits for them in order.
    const results = batches.pipe(
      map((batch) => ({ batch, results: runBatch(flow, batch) })),
      concatMap(async ({ batch, results }) => {
        for (const result of await results) await flow.commit(result, batch);
        credits.release();
      }),
    );
    await lastValueFrom(results, { defaultValue: undefined });
    return [];
  }
  const lanes: Lane[] = Array.from({ length: executor.lanes }, () => ({ partial: undefined }));
  const idle = [...lanes];
  const done = batches.pipe(
    mergeMap(async (batch) => {
      const lane = idle.pop()!;
      const results = await runBatch(flow, batch, lane);
      await spillLarge(lane, flow.spill);
      idle.push(lane);
      for (const result of results) await flow.commit(result, batch);
      credits.release();
    }, executor.lanes),
  );
  await lastValueFrom(done, { defaultValue: undefined });
  return mergePairwise(
    executor,
    lanes.flatMap((lane) => (lane.partial === undefined ? [] : [lane.partial])),
  );
}

/** A worker's place in a barrier: the partial that its next batch is added to. */
interface Lane {
  partial: PartialBytes | undefined;
}

async function spillLarge(lane: Lane, spill: Spill | undefined): Promise<void> {
  if (spill === undefined || lane.partial === undefined) return;
  const bytes = lane.partial.reduce((sum, piece) => sum + piece.length, 0);
  if (bytes <= spill.partialBytes) return;
  await spill.write(lane.partial);
  lane.partial = undefined;
}

/** Merges side by side until two are left: `finish` takes those as they are. */
async function mergePairwise(executor: Executor, partials: readonly PartialBytes[]): Promise<readonly PartialBytes[]> {
  let left = partials;
  while (left.length > 2) {
    const pairs = Array.from({ length: Math.ceil(left.length / 2) }, (_, pair) => left.slice(2 * pair, 2 * pair + 2));
    left = await Promise.all(
      pairs.map(async (pair) =>
        pair.length === 1 ? pair[0]! : (await executor.run({ kind: 'merge', partials: pair })).partial!,
      ),
    );
  }
  return left;
}

/**
 * One batch as one task. When the task is lost, the item that it was at is put aside and the others run again; then that one runs alone,
 * since another one's leftovers may have killed its thread. Of a hang there is no doubt. Where nobody knows the item, all run alone.
 * A lane's partial is a copy in the worker: it outlives the task.
 */
async function runBatch(flow: Flow, batch: Batch, lane?: Lane): Promise<readonly TaskResult[]> {
  const results: TaskResult[] = batch.unreadable.length === 0 ? [] : [{ ...nothing, failures: batch.unreadable }];
  const groups: { readonly items: readonly NumberedItem[]; readonly isLast: boolean }[] = [];
  const enqueue = (items: readonly NumberedItem[], isLast = false) => {
    if (items.length > 0) groups.push({ items, isLast });
  };
  const giveUp = (item: NumberedItem, error: TaskLost | TaskFailed) =>
    results.push({ ...nothing, failures: [failureOfLost(error, item, flow.siteAt)] });
  enqueue(batch.items);
  for (let group = groups.shift(); group !== undefined; group = groups.shift()) {
    const { items, isLast } = group;
    try {
      const onto = lane?.partial === undefined ? {} : { onto: lane.partial };
      const result = await flow.executor.run({ kind: 'items', items, ...onto });
      if (lane !== undefined) lane.partial = result.partial;
      results.push(result);
    } catch (error) {
      if (!(error instanceof TaskLost || error instanceof TaskFailed)) throw error;
      const isCertain = isLast || error instanceof TaskFailed || error.code === 'E_TIMEOUT';
      const at = items.length === 1 ? 0 : error instanceof TaskLost ? error.whereabouts?.item : undefined;
      const suspect = at === undefined ? undefined : items[at];
      if (suspect === undefined) for (const item of items) enqueue([item], true);
      else {
        enqueue(items.filter((item) => item !== suspect));
        if (isCertain) giveUp(suspect, error);
        else enqueue([suspect], true);
      }
    }
  }
  return results;
}

function failureOfLost(error: TaskLost | TaskFailed, item: NumberedItem, siteAt: Flow['siteAt']): ItemFailure {
  const { uri, index } = item;
  if (error instanceof TaskFailed) return { ...error.failure, uri, index };
  const { stage, plugin } = siteAt(error.whereabouts?.place ?? ENGINE_PLACE);
  const known = plugin === undefined ? 'worker' : stage;
  return { ...describeFailure(error, { uri, index, stage: known, plugin }), code: error.code, message: error.message };
}

const nothing: TaskResult = {
  encoded: [],
  delivered: 0,
  failures: [],
  facts: { counters: {}, warnings: {}, reports: {}, work: {}, samples: 0 },
};

/** How many batches may be under way. */
class Credits {
  #free: number;
  #waiting: (() => void)[] = [];

  constructor(free: number) {
    this.#free = free;
  }

  async acquire(): Promise<void> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}

/** An async iterable as an Observable that asks for the next item only against a credit: rxjs has no backpressure of its own. */
function pull<T>(items: AsyncIterable<T>, credits: Credits, drain: AbortSignal): Observable<T> {
  return new Observable((subscriber) => {
    let unsubscribed = false;
    const iterator = items[Symbol.asyncIterator]();
    const drained = new Promise<'drained'>((resolve) => {
      if (drain.aborted) resolve('drained');
      else drain.addEventListener('abort', () => resolve('drained'), { once: true });
    });
    (async () => {
      while (!unsubscribed) {
        if ((await Promise.race([credits.acquire(), drained])) === 'drained') break;
        const next = await Promise.race([iterator.next(), drained]);
        if (next === 'drained' || next.done === true) break;
        subscriber.next(next.value);
      }
      // A source that waits for bytes (stdin) may never answer: its end is not waited for.
      iterator.return?.().catch(() => {});
      subscriber.complete();
    })().catch((error: unknown) => subscriber.error(error));
    return () => {
      unsubscribed = true;
    };
  });
}
