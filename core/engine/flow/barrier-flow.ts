/**
 * The way through a barrier: batches are added to the partials of lanes, which stay in their workers where nothing is written before the
 * end; large partials go to disk; and where results are of windows those that have ended are written while the run goes on.
 *
 *     batch ─▶ lane's partial ─▶ (a window has ended) all lanes' ─▶ merge, take what has ended ─▶ finish ─▶ commit
 *                                                       ▲                    │
 *                                                       └── what is open ────┘
 */

import { TaskFailed, TaskLost } from '../contract/executor.js';
import type { WindowRules } from '../contract/plugin.js';
import type { PartialBytes, TaskResult } from '../contract/protocol.js';
import type { Spill } from '../tasks/spill.js';
import type { Batch } from './batches.js';
import { type Done, type Lane, Lanes } from './lanes.js';
import { giveBack, runBatch, type Workshop } from './run-batch.js';
import { WindowClock } from './window-clock.js';

/** What is done with what comes out of the barrier. */
export interface WholeFlow {
  /** Where partials go that are too large for memory. */
  readonly spill: Spill | undefined;
  readonly windows: WindowRules | undefined;
  /** Windows that have ended are written at once; otherwise all are at the end. */
  readonly isEndless: boolean;
  /** Windows that ended until then are about to be written. Called at the moment at which what was added so far is taken. */
  beginWindows(untilMs: number): WindowsUnderWay;
}

export interface WindowsUnderWay {
  /** Writes them. */
  commit(result: TaskResult): Promise<void>;
  /** All that was taken is lost, with the task that was to write it. */
  lose(error: TaskLost | TaskFailed): Promise<void>;
}

/** What is left of a barrier for `finish`. */
export interface BarrierRest {
  readonly partials: PartialBytes[];
  /** There is more in this worker. */
  readonly onto?: 'kept';
  readonly worker?: number;
}

interface BatchFlow extends Workshop {
  /** Whether workers may end before the run does. */
  readonly retires: boolean;
  commit(result: TaskResult, batch: Batch): Promise<void>;
}

/** Partials that `finish` merges by itself: as soon done as in pairs by several workers, with all of them encoded and decoded anew. */
const MOST_AT_FINISH = 8;

/** A timer takes no more than 2^31 ms; it is set again. */
const LONGEST_TIMER_MS = 3_600_000;

export class BarrierFlow {
  readonly #flow: BatchFlow;
  readonly #whole: WholeFlow;
  readonly #clock: WindowClock | undefined;
  readonly #lanes: Lanes;
  /** What is of windows that were open when others were written. */
  #open: PartialBytes | undefined;
  #closing: Promise<void> | undefined;
  #isOver = false;
  #timer: NodeJS.Timeout | undefined;
  /** Rejects when a window cannot be written; never resolves. */
  readonly failed: Promise<never>;
  #fail: (error: unknown) => void = () => {};

  constructor(flow: BatchFlow, whole: WholeFlow) {
    this.#flow = flow;
    this.#whole = whole;
    this.#clock = whole.windows === undefined ? undefined : new WindowClock(whole.windows);
    this.#lanes = new Lanes(flow.executor.lanes);
    this.failed = new Promise((_, reject) => {
      this.#fail = reject;
    });
  }

  /** Not more at a time than there are lanes. */
  async add(batch: Batch): Promise<void> {
    await this.#lanes.use(async (lane) => {
      const done = await runBatch(this.#flow, batch, lane, this.#clock?.begin(Date.now()));
      // The run was stopped: what its end did to the task is no fault of the items.
      if (this.#isOver) return;
      if (!lane.isKept && (await this.#spillIfLarge(lane.copy))) lane.take();
      await this.#commit(done);
    });
    this.#closeEnded();
  }

  /** No more batches come. @returns what is not written yet, merged side by side until `finish` can take it as it is */
  async end(): Promise<BarrierRest> {
    this.close();
    await this.#closing;
    const home = await this.#giveAllButOne();
    let partials = await this.#lanes.gather((gathered) => this.#withOpen(gathered));
    while (partials.length > MOST_AT_FINISH) {
      const pairs = Array.from({ length: Math.ceil(partials.length / 2) }, (_, pair) =>
        partials.slice(2 * pair, 2 * pair + 2),
      );
      partials = await Promise.all(
        pairs.map(async (pair) =>
          pair.length === 1 ? pair[0]! : (await this.#flow.executor.run({ kind: 'merge', partials: pair })).partial!,
        ),
      );
    }
    return home === undefined ? { partials } : { partials, onto: 'kept', worker: home.worker };
  }

  /** What workers have kept is given to the main thread but for that of one, who can finish with it. @returns that one, if there is any */
  async #giveAllButOne(): Promise<Lane | undefined> {
    const [home, ...others] = this.#lanes.all.filter(({ isKept }) => isKept);
    if (home === undefined) return undefined;
    const { executor, retires } = this.#flow;
    // One after the other: each takes memory twice, until its worker has ended. The last one ends while what it gave is merged.
    let ending: Promise<void> | undefined;
    for (const lane of others) {
      await ending;
      await this.#commit(await giveBack(this.#flow, lane));
      // Others are needed to merge what is given.
      if (retires && others.length <= MOST_AT_FINISH) ending = executor.retire(lane.worker);
    }
    await this.#commit(home.settle());
    home.take();
    return home;
  }

  async #commit(done: readonly Done[]): Promise<void> {
    for (const { batch, result } of done) {
      await this.#flow.commit(result, batch);
      this.#clock?.add(result.windows ?? []);
    }
  }

  /** No window is written any more that is not being written. Idempotent. */
  close(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  /** Writes the windows that have ended, or looks again when one may have. One writing at a time. */
  #closeEnded(): void {
    const clock = this.#clock;
    if (clock === undefined || this.#closing !== undefined || this.#isOver || !this.#whole.isEndless) return;
    clearTimeout(this.#timer);
    const nowMs = Date.now();
    const untilMs = clock.ended(nowMs);
    if (untilMs === undefined) {
      const nextMs = clock.nextMs();
      if (nextMs === undefined) return;
      const waitMs = Math.min(Math.max(nextMs - nowMs, 1), LONGEST_TIMER_MS);
      this.#timer = setTimeout(() => this.#closeEnded(), waitMs);
      return;
    }
    this.#closing = this.#closeWindows(clock, untilMs).then(() => {
      this.#closing = undefined;
      this.#closeEnded();
    });
    this.#closing.catch(this.#fail);
  }

  async #closeWindows(clock: WindowClock, untilMs: number): Promise<void> {
    const { spill } = this.#whole;
    const { partials, underWay } = await this.#lanes.gather((gathered) => {
      // Batches that begin from here on see the windows as written.
      clock.close(untilMs);
      return { partials: this.#withOpen(gathered), underWay: this.#whole.beginWindows(untilMs) };
    });
    const spilled = spill?.take() ?? [];
    try {
      const result = await this.#flow.executor.run({ kind: 'finish', partials, spilled, untilMs });
      this.#open = (await this.#spillIfLarge(result.partial)) ? undefined : result.partial;
      await underWay.commit(result);
    } catch (error) {
      if (!(error instanceof TaskLost || error instanceof TaskFailed)) throw error;
      await underWay.lose(error);
    } finally {
      await spill?.remove(spilled);
    }
  }

  #withOpen(partials: PartialBytes[]): PartialBytes[] {
    if (this.#open !== undefined) partials.push(this.#open);
    this.#open = undefined;
    return partials;
  }

  async #spillIfLarge(partial: PartialBytes | undefined): Promise<boolean> {
    const { spill } = this.#whole;
    if (spill === undefined || partial === undefined) return false;
    const bytes = partial.reduce((sum, piece) => sum + piece.length, 0);
    if (bytes <= spill.partialBytes) return false;
    await spill.write(partial);
    return true;
  }
}
