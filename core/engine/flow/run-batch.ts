/** A batch in the executor: what it gives, whatever becomes of the worker. */

import { describeFailure, type ItemFailure } from '../contract/errors.js';
import { type Executor, TaskFailed, TaskLost } from '../contract/executor.js';
import { ENGINE_PLACE, type Site } from '../contract/places.js';
import {
  type NumberedItem,
  nothingDone,
  type TaskResult,
  type WindowTimes,
  type WorkTask,
} from '../contract/protocol.js';
import type { Batch } from './batches.js';
import type { Lane } from './lanes.js';

/** Where batches run. */
export interface Workshop {
  readonly executor: Executor;
  /** How many workers decode an item together, where its codec can give shares of its parts. */
  readonly sharesPerItem: number;
  /** Who works at a place of the plan. */
  siteAt(place: number): Pick<Site, 'stage' | 'plugin'>;
}

/**
 * One batch as one task. When the task is lost, the item that it was at is put aside and the others run again; then that one runs alone,
 * since another one's leftovers may have killed its thread. Of a hang there is no doubt. Where nobody knows the item, all run alone.
 * A lane's partial is a copy in the worker: it outlives the task.
 */
export async function runBatch(
  { executor, sharesPerItem, siteAt }: Workshop,
  batch: Batch,
  lane?: Lane,
  windows?: WindowTimes,
): Promise<readonly TaskResult[]> {
  const results: TaskResult[] = batch.unreadable.length === 0 ? [] : [{ ...nothingDone, failures: batch.unreadable }];
  const groups: { readonly items: readonly NumberedItem[]; readonly isLast: boolean }[] = [];
  const enqueue = (items: readonly NumberedItem[], isLast = false) => {
    if (items.length > 0) groups.push({ items, isLast });
  };
  const giveUp = (item: NumberedItem, error: TaskLost | TaskFailed) =>
    results.push({ ...nothingDone, failures: [failureOfLost(error, item, siteAt)] });
  enqueue(batch.items);
  for (let group = groups.shift(); group !== undefined; group = groups.shift()) {
    const { items, isLast } = group;
    try {
      const onto = lane?.partial === undefined ? {} : { onto: [...lane.partial] };
      const times = windows === undefined ? {} : { windows };
      const task = { kind: 'items', items, ...onto, ...times } as const;
      const result = await (isLast || sharesPerItem === 1
        ? executor.run(task)
        : runShared(executor, task, sharesPerItem));
      if (lane !== undefined && result.partial !== undefined) lane.partial = result.partial;
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

/** Of one item alone, its shares side by side, and then a task that puts them together. */
async function runShared(
  executor: Executor,
  task: Extract<WorkTask, { kind: 'items' }>,
  of: number,
): Promise<TaskResult> {
  const [item] = task.items;
  if (item === undefined || task.items.length > 1) return executor.run(task);
  const results = await Promise.all(
    Array.from({ length: of }, (_, index) => executor.run({ kind: 'share', item, share: { index, of } })),
  );
  const failed = results.find(({ failures }) => failures.length > 0);
  if (failed !== undefined) return failed;
  const shares = results.flatMap(({ share }) => share ?? []);
  return executor.run(shares.length < of ? task : { ...task, shares });
}

function failureOfLost(error: TaskLost | TaskFailed, item: NumberedItem, siteAt: Workshop['siteAt']): ItemFailure {
  const { uri, index } = item;
  if (error instanceof TaskFailed) return { ...error.failure, uri, index };
  const { stage, plugin } = siteAt(error.whereabouts?.place ?? ENGINE_PLACE);
  const known = plugin === undefined ? 'worker' : stage;
  return { ...describeFailure(error, { uri, index, stage: known, plugin }), code: error.code, message: error.message };
}
