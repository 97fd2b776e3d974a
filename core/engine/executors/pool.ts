/** The executor with threads: piscina, with deadlines, and lost tasks told from failed ones. */
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { type Executor, fromReplies, TaskLost } from '../contract/executor.js';
import { type Task, type TaskReply, transferablesOf, type WorkerSetup } from '../contract/protocol.js';
import { clearTrace, itemsDone, readTrace, shareTraces, type Whereabouts } from '../contract/trace.js';
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
    const whereabouts = () => readTrace(memory, slot);
    const ended = new AbortController();
    const end = async (why: Overrun) => ended.abort({ ...why, stack: await stackAt(why, whereabouts()) } satisfies End);
    const watched = watch.add({ task, whereabouts, end });
    try {
      const traced = { task, trace: { memory, slot } };
      return (await pool.run(traced, { signal: ended.signal, transferList: transferablesOf(task) })) as TaskReply;
    } catch (error) {
      throw lost(error, ended.signal.reason as End | undefined, whereabouts(), heapMib);
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

/** Why a task was ended, and the stack that its thread had then. */
interface End extends Overrun {
  readonly stack: string | undefined;
}

/** Where a thread is that does not come back. Of one that fills the memory there is no time to ask. */
async function stackAt({ code }: Overrun, { thread }: Whereabouts): Promise<string | undefined> {
  if (code !== 'E_TIMEOUT' || thread === 0) return undefined;
  const { stackOfThread } = await import('./inspector/hang-stack.js');
  return stackOfThread(thread);
}

function lost(error: unknown, end: End | undefined, whereabouts: Whereabouts, heapMib: number): TaskLost {
  if (end !== undefined) return new TaskLost(end.code, end.message, whereabouts, { stack: end.stack });
  const options = { cause: error };
  const message = error instanceof Error ? error.message : String(error);
  if ((error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return new TaskLost('E_WORKER_OOM', `the thread ran out of its ${heapMib} MiB of heap`, whereabouts, options);
  }
  return new TaskLost('E_WORKER_DIED', `the thread ended: ${message}`, whereabouts, options);
}
