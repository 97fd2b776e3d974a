/** Batches on partials that stay in workers, of which any may end at any time: no item is lost or counted twice. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Executor, PartialLost, TaskFailed, TaskLost } from '../contract/executor.js';
import { nothingDone, type PartialBytes, type TaskResult, type WorkTask } from '../contract/protocol.js';
import { BarrierFlow } from './barrier-flow.js';
import type { Batch } from './batches.js';

/** Indexes of the items in a partial. */
const encode = (partial: readonly number[]): PartialBytes => [new TextEncoder().encode(JSON.stringify(partial))];
const decode = ([bytes]: PartialBytes): number[] => JSON.parse(new TextDecoder().decode(bytes));

/** What goes wrong with a task. */
type Fate = 'well' | 'ends before' | 'ends within' | 'ends unknown' | 'times out' | 'throws';

interface World {
  readonly lanes: number;
  readonly batches: readonly number[];
  /** Of the tasks, in their order; those behind go well. */
  readonly fates: readonly Fate[];
  /** Items that fail by themselves. */
  readonly bad: readonly number[];
  /** Undefined: nothing stays in a worker. */
  readonly keepBytes: number | undefined;
  /** Bytes above which a partial is written to disk. */
  readonly spillBytes: number | undefined;
}

/** Workers that add up indexes, and meet the fates of the world. */
class Workers implements Executor {
  readonly isHere = false;
  readonly lanes: number;
  readonly #kept: (number[] | undefined)[];
  readonly #fates: Fate[];
  readonly #bad: ReadonlySet<number>;
  readonly retired = new Set<number>();

  constructor({ lanes, fates, bad }: World) {
    this.lanes = lanes;
    this.#kept = Array.from({ length: lanes }, () => undefined);
    this.#fates = [...fates];
    this.#bad = new Set(bad);
  }

  progress = () => ({ done: 0, failed: 0 });
  ready = async () => {};
  close = async () => {};

  async retire(worker: number): Promise<void> {
    this.retired.add(worker);
  }

  /** As a worker does, in one turn. */
  async run(task: WorkTask, worker = this.#free()): Promise<TaskResult> {
    assert.ok(!this.retired.has(worker), 'a worker that was ended is asked');
    await new Promise((resolve) => setImmediate(resolve));
    if (task.kind === 'share') throw new RangeError('no shares here');
    // A whole that is lost is the run's end; here only what comes before it.
    const fate = task.kind === 'items' || task.partials.length === 0 ? (this.#fates.shift() ?? 'well') : 'well';
    if (fate === 'ends before') this.#kept[worker] = undefined;
    const isOntoKept = task.onto === 'kept';
    if (isOntoKept && this.#kept[worker] === undefined) throw new PartialLost();
    const begin = isOntoKept ? this.#kept[worker]! : task.onto === undefined ? [] : decode(task.onto as PartialBytes);
    if (isOntoKept || fate !== 'well') this.#kept[worker] = undefined;
    this.#meet(fate, task);
    const good = task.kind === 'items' ? task.items.filter(({ index }) => !this.#bad.has(index)) : [];
    const failed = task.kind === 'items' ? task.items.filter(({ index }) => this.#bad.has(index)) : [];
    const merged = task.kind === 'items' ? [] : task.partials.splice(0).flatMap(decode);
    const partial = [...begin, ...good.map(({ index }) => index), ...merged];
    const failures = failed.map(({ uri, index }) => ({ uri, index, code: 'E_BAD', message: '', stage: 'decode' }));
    const result = { ...nothingDone, delivered: good.length, failures };
    const keep = task.kind === 'items' ? task.keep : undefined;
    if (keep === undefined || encode(partial)[0]!.length > keep.mostBytes) {
      return { ...result, partial: encode(partial) };
    }
    this.#kept[worker] = partial;
    return { ...result, isKept: true, ...(keep.copy ? { partial: encode(partial) } : {}) };
  }

  #meet(fate: Fate, task: WorkTask): void {
    const item = task.kind === 'items' ? task.items.length - 1 : 0;
    const at = { steps: 1, item: fate === 'ends unknown' ? undefined : item, place: 0, thread: 0 };
    if (fate === 'times out') throw new TaskLost('E_TIMEOUT', 'no end', at);
    if (fate === 'throws') throw new TaskFailed({ uri: '', index: 0, code: 'E_X', message: '', stage: 'engine' });
    if (fate === 'ends within' || fate === 'ends unknown') throw new TaskLost('E_WORKER_DIED', 'ended', at);
  }

  #free(): number {
    return Array.from({ length: this.lanes }, (_, worker) => worker).find((worker) => !this.retired.has(worker))!;
  }

  /** What the finish gets. */
  take(worker: number | undefined): readonly number[] {
    return (worker === undefined ? undefined : this.#kept[worker]) ?? [];
  }
}

function batchesOf(sizes: readonly number[]): Batch[] {
  let index = 0;
  return sizes.map((size) => ({
    items: Array.from({ length: size }, () => {
      const name = `${index}`;
      return { uri: name, name, index: index++, size: 2 ** 23, data: { path: name } };
    }),
    unreadable: [],
    settled: new Map(),
  }));
}

async function runWorld(world: World) {
  const executor = new Workers(world);
  const delivered: number[] = [];
  let deliveredCount = 0;
  const failed: number[] = [];
  const spilled: PartialBytes[] = [];
  const { spillBytes } = world;
  const spill = spillBytes === undefined ? undefined : spillTo(spilled, spillBytes);
  const flow = new BarrierFlow(
    {
      executor,
      sharesPerItem: 1,
      keepBytes: world.keepBytes,
      retires: true,
      siteAt: () => ({ stage: 'engine' }),
      async commit(result) {
        deliveredCount += result.delivered;
        failed.push(...result.failures.map(({ index }) => index));
      },
    },
    { spill, windows: undefined, isEndless: false, beginWindows: () => assert.fail('no windows') },
  );
  const waiting = batchesOf(world.batches);
  const lane = async () => {
    for (let batch = waiting.shift(); batch !== undefined; batch = waiting.shift()) await flow.add(batch);
  };
  await Promise.all(Array.from({ length: world.lanes }, lane));
  const { partials, worker } = await flow.end();
  delivered.push(...[...partials, ...spilled].flatMap(decode), ...executor.take(worker));
  return { delivered: delivered.sort((a, b) => a - b), deliveredCount, failed: failed.sort((a, b) => a - b) };
}

const spillTo = (spilled: PartialBytes[], partialBytes: number) => ({
  partialBytes,
  write: async (partial: PartialBytes) => void spilled.push(partial),
  take: () => [],
  remove: async () => {},
  close: async () => {},
});

const worlds: fc.Arbitrary<World> = fc.record({
  lanes: fc.integer({ min: 1, max: 5 }),
  // Some are large enough that copies are asked for on the way.
  batches: fc.array(fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 1, max: 6 }) }, fc.constant(140)), {
    maxLength: 24,
  }),
  fates: fc.array(
    fc.oneof(
      { weight: 6, arbitrary: fc.constant<Fate>('well') },
      fc.constantFrom<Fate>('ends before', 'ends within', 'ends unknown', 'times out', 'throws'),
    ),
    { maxLength: 40 },
  ),
  bad: fc.uniqueArray(fc.nat(60), { maxLength: 10 }),
  keepBytes: fc.constantFrom(undefined, 40, 400, Number.POSITIVE_INFINITY),
  spillBytes: fc.constantFrom(undefined, 40, 400),
});

test('every item is in the result once, or has failed once, whatever becomes of workers', async () => {
  await fc.assert(
    fc.asyncProperty(worlds, async (world) => {
      const { delivered, deliveredCount, failed } = await runWorld(world);
      const all = Array.from({ length: world.batches.reduce((sum, size) => sum + size, 0) }, (_, index) => index);
      assert.deepEqual(
        [...delivered, ...failed].sort((a, b) => a - b),
        all,
      );
      assert.equal(deliveredCount, delivered.length);
    }),
    { numRuns: 300 },
  );
});

test('what is lost between two tasks costs no item', async () => {
  const fates: Fate[] = ['well', 'well', 'ends before', 'well', 'ends before', 'ends before', 'well', 'ends before'];
  const world = { lanes: 1, batches: [3, 3, 3, 3], fates, bad: [4], keepBytes: Number.POSITIVE_INFINITY };
  const { delivered, failed } = await runWorld({ ...world, spillBytes: undefined });
  assert.deepEqual(failed, [4]);
  assert.equal(delivered.length, 11);
});
