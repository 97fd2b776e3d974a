/** A batch in the executor: what it gives, whatever becomes of the worker. */

import { describeFailure, type ItemFailure } from '../contract/errors.js';
import { type Executor, PartialLost, TaskFailed, TaskLost } from '../contract/executor.js';
import { ENGINE_PLACE, type Site } from '../contract/places.js';
import {
  type NumberedItem,
  nothingDone,
  type TaskResult,
  type WindowTimes,
  type WorkTask,
} from '../contract/protocol.js';
import type { Batch } from './batches.js';
import type { Done, ItemGroup, Lane } from './lanes.js';

/** Where batches run. */
export interface Workshop {
  readonly executor: Executor;
  /** How many workers decode an item together, where its codec can give shares of its parts. */
  readonly sharesPerItem: number;
  /** A lane's partial stays in its worker up to that size; undefined: it is given back after every task. */
  readonly keepBytes: number | undefined;
  /** Who works at a place of the plan. */
  siteAt(place: number): Pick<Site, 'stage' | 'plugin'>;
}

/**
 * One batch as one task. When the task is lost, the item that it was at is put aside and the others run again; then that one runs alone,
 * since another one's leftovers may have killed its thread. Of a hang there is no doubt. Where nobody knows the item, all run alone.
 *
 * @returns what is done by now: with a lane also of batches before, and not always all of this one
 */
export async function runBatch(
  workshop: Workshop,
  batch: Batch,
  lane?: Lane,
  windows?: WindowTimes,
): Promise<readonly Done[]> {
  const { unreadable, items } = batch;
  const done = unreadable.length === 0 ? [] : [{ batch, result: { ...nothingDone, failures: unreadable } }];
  const group = { batch, items, windows, isLast: false };
  return [...done, ...(await runGroups(workshop, items.length === 0 ? [] : [group], lane))];
}

/** The lane's partial is given to the main thread, whatever becomes of the worker. @returns what is done with that */
export async function giveBack(workshop: Workshop, lane: Lane): Promise<readonly Done[]> {
  try {
    const { partial } = await workshop.executor.run({ kind: 'merge', partials: [], onto: 'kept' }, lane.worker);
    return lane.gave(partial!);
  } catch (error) {
    if (!(error instanceof TaskLost || error instanceof TaskFailed)) throw error;
    return runGroups(workshop, lane.lose(), lane, true);
  }
}

/** @param isCareful workers are known to be lost: copies of the lane's partial are asked for at once */
async function runGroups(
  { executor, sharesPerItem, keepBytes, siteAt }: Workshop,
  groups: ItemGroup[],
  lane: Lane | undefined,
  isCareful = false,
): Promise<Done[]> {
  const done: Done[] = [];
  for (let group = groups.shift(); group !== undefined; group = groups.shift()) {
    const { batch, items, windows, isLast } = group;
    const enqueue = (some: readonly NumberedItem[], last = false) => {
      if (some.length > 0) groups.push({ batch, items: some, windows, isLast: last });
    };
    try {
      const copy = isCareful || lane?.isCopyDue(group) === true;
      const keep = lane === undefined || keepBytes === undefined ? {} : { keep: { mostBytes: keepBytes, copy } };
      const times = windows === undefined ? {} : { windows };
      const task = { kind: 'items', items, ...lane?.onto(), ...keep, ...times } as const;
      const result = await (isLast || sharesPerItem === 1
        ? executor.run(task, lane?.worker)
        : runShared(executor, task, sharesPerItem, lane?.worker));
      done.push(...(lane === undefined ? [{ batch, result }] : lane.took(group, result)));
    } catch (error) {
      if (!(error instanceof TaskLost || error instanceof TaskFailed)) throw error;
      isCareful = true;
      groups.unshift(...(lane?.lose() ?? []));
      if (error instanceof PartialLost) {
        groups.push(group);
        continue;
      }
      const isCertain = isLast || error instanceof TaskFailed || error.code === 'E_TIMEOUT';
      const at = items.length === 1 ? 0 : error instanceof TaskLost ? error.whereabouts?.item : undefined;
      const suspect = at === undefined ? undefined : items[at];
      if (suspect === undefined) for (const item of items) enqueue([item], true);
      else {
        enqueue(items.filter((item) => item !== suspect));
        if (!isCertain) enqueue([suspect], true);
        else done.push({ batch, result: { ...nothingDone, failures: [failureOfLost(error, suspect, siteAt)] } });
      }
    }
  }
  return done;
}

/** Of one item alone, its shares side by side, and then a task that puts them together. */
async function runShared(
  executor: Executor,
  task: Extract<WorkTask, { kind: 'items' }>,
  of: number,
  worker: number | undefined,
): Promise<TaskResult> {
  const [item] = task.items;
  if (item === undefined || task.items.length > 1) return executor.run(task, worker);
  const results = await Promise.all(
    Array.from({ length: of }, (_, index) => executor.run({ kind: 'share', item, share: { index, of } })),
  );
  const failed = results.find(({ failures }) => failures.length > 0);
  if (failed !== undefined) return failed;
  const shares = results.flatMap(({ share }) => share ?? []);
  return executor.run(shares.length < of ? task : { ...task, shares }, worker);
}

function failureOfLost(error: TaskLost | TaskFailed, item: NumberedItem, siteAt: Workshop['siteAt']): ItemFailure {
  const { uri, index } = item;
  if (error instanceof TaskFailed) return { ...error.failure, uri, index };
  const { stage, plugin } = siteAt(error.whereabouts?.place ?? ENGINE_PLACE);
  const known = plugin === undefined ? 'worker' : stage;
  return { ...describeFailure(error, { uri, index, stage: known, plugin }), code: error.code, message: error.message };
}
