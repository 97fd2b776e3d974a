/** The executor with threads: piscina, with deadlines, and lost tasks told from failed ones. */
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { type Executor, fromReplies, TaskLost } from './executor.js';
import { type Task, type TaskReply, transferablesOf, type WorkerSetup } from './protocol.js';
import { clearTrace, itemsDone, readTrace, shareTraces } from './trace.js';
import { type Overrun, Watch } from './watch.js';
import { workerMemory } from './worker-memory.js';

/** Tasks that may be asked for at a time, per thread: two batches, and one end of a merge. */
const SLOTS_PER_THREAD = 4;

export function poolExecutor(setup: WorkerSetup, threads: number): Executor {
  const { plan } = setup;
  const { heapMib, processBytes } = workerMemory(plan, threads);
  const pool = new Piscina({
    filename: fileURLToPath(new URL('./worker.js', import.meta.url)),
    minThreads: threads,
    maxThreads: threads,
    workerData: setup,
    resourceLimits: { maxOldGenerationSizeMb: heapMib },
    recordTiming: false,
  });
  // A thread that dies between tasks is replaced; its tasks reject by themselves.
  pool.on('error', () => {});
  const memory = shareTraces(threads * SLOTS_PER_THREAD);
  const free = Array.from({ length: threads * SLOTS_PER_THREAD }, (_, slot) => slot);
  const watch = new Watch(plan, processBytes, () => process.memoryUsage.rss());

  async function ask(task: Task): Promise<TaskReply> {
    const slot = free.pop();
    if (slot === undefined) throw new Error('more tasks are asked for than the pool has slots');
    clearTrace(memory, slot);
    const end = new AbortController();
    const watched = watch.add({ task, whereabouts: () => readTrace(memory, slot), end: (why) => end.abort(why) });
    try {
      const traced = { task, trace: { memory, slot } };
      return (await pool.run(traced, { signal: end.signal, transferList: transferablesOf(task) })) as TaskReply;
    } catch (error) {
      throw lost(error, end.signal.reason as Overrun | undefined, readTrace(memory, slot), heapMib);
    } finally {
      watch.remove(watched);
      free.push(slot);
    }
  }

  return {
    lanes: threads,
    progress: () => itemsDone(memory),
    ...fromReplies(ask),
    async close() {
      watch.close();
      await pool.destroy();
    },
  };
}

function lost(
  error: unknown,
  overrun: Overrun | undefined,
  whereabouts: ReturnType<typeof readTrace>,
  heapMib: number,
): TaskLost {
  const options = { cause: error };
  if (overrun !== undefined) return new TaskLost(overrun.code, overrun.message, whereabouts, options);
  const message = error instanceof Error ? error.message : String(error);
  if ((error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return new TaskLost('E_WORKER_OOM', `the thread ran out of its ${heapMib} MiB of heap`, whereabouts, options);
  }
  return new TaskLost('E_WORKER_DIED', `the thread ended: ${message}`, whereabouts, options);
}
