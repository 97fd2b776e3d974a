/**
 * The flow of a run, and the only file that knows rxjs: batches come in against credits, run in the executor, and leave in the
 * order of the source.
 *
 *     without a barrier   batches ─credits─▶ tasks (side by side) ─▶ in order ─▶ commit
 *     with a barrier      batches ─credits─▶ tasks, each onto its lane's partial ─▶ merge ─▶ finish ─▶ commit
 */
// By file: `rxjs` itself loads two hundred of them, which takes longer than a small run (measured: 150 ms of CPU against 75).
import { lastValueFrom } from 'rxjs/internal/lastValueFrom';
import { Observable } from 'rxjs/internal/Observable';
import { concatMap } from 'rxjs/internal/operators/concatMap';
import { map } from 'rxjs/internal/operators/map';
import { mergeMap } from 'rxjs/internal/operators/mergeMap';
import { takeUntil } from 'rxjs/internal/operators/takeUntil';
import type { TaskResult } from '../contract/protocol.js';
import { BarrierFlow, type BarrierRest, type WholeFlow } from './barrier-flow.js';
import type { Batch } from './batches.js';
import { runBatch, type Workshop } from './run-batch.js';

export interface Flow extends Workshop {
  readonly batches: AsyncIterable<Batch>;
  /** What there is behind a barrier; undefined: there is none. */
  readonly whole: WholeFlow | undefined;
  /** No new batch is taken once this is aborted; what runs is finished. */
  readonly drain: AbortSignal;
  /** Whether workers may end before the run does. */
  readonly retires: boolean;
  /** Takes what a task gave: counts, dead-letters, writes. Called one at a time, in the order of the source (no barrier). */
  commit(result: TaskResult, batch: Batch): Promise<void>;
}

/** Batches that may be under way per lane: one at work, one ready behind it. */
const CREDITS_PER_LANE = 2;

/**
 * Runs to the end of the batches, or until the drain.
 * @returns what is not written yet; undefined without a barrier
 */
export async function runFlow(flow: Flow): Promise<BarrierRest | undefined> {
  const { executor, whole } = flow;
  const credits = new Credits(executor.lanes * CREDITS_PER_LANE);
  const batches = pull(flow.batches, credits, flow.drain);
  if (whole === undefined) {
    // `map` starts a batch at once, `concatMap` waits for them in order.
    const results = batches.pipe(
      map((batch) => {
        const done = runBatch(flow, batch);
        // Nobody waits for those behind one that failed.
        done.catch(() => {});
        return { done };
      }),
      concatMap(async ({ done }) => {
        for (const { batch, result } of await done) await flow.commit(result, batch);
        credits.release();
      }),
    );
    await lastValueFrom(results, { defaultValue: undefined });
    return undefined;
  }
  const barrier = new BarrierFlow(flow, whole);
  const done = batches.pipe(
    mergeMap(async (batch) => {
      await barrier.add(batch);
      credits.release();
    }, executor.lanes),
    takeUntil(barrier.failed),
  );
  try {
    await lastValueFrom(done, { defaultValue: undefined });
    return await barrier.end();
  } finally {
    barrier.close();
  }
}

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
    (async () => {
      while (!unsubscribed) {
        if ((await orDrained(credits.acquire(), drain)) === DRAINED) break;
        const next = await orDrained(iterator.next(), drain);
        if (next === DRAINED || next.done === true) break;
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

const DRAINED = Symbol('drained');

/** A race against one promise of the whole run would keep every batch until its end: what lost stays with the promise. */
function orDrained<T>(promise: Promise<T>, drain: AbortSignal): Promise<T | typeof DRAINED> {
  return new Promise((resolve, reject) => {
    const onDrain = () => resolve(DRAINED);
    if (drain.aborted) onDrain();
    drain.addEventListener('abort', onDrain, { once: true });
    promise.then(resolve, reject).finally(() => drain.removeEventListener('abort', onDrain));
  });
}
