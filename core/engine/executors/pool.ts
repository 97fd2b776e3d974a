/** The executor with threads: piscina's, with deadlines, and lost tasks told from failed ones. */
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { type Executor, fromReplies, stoppedAtWork, TaskLost } from '../contract/executor.js';
import { type Task, type TaskReply, transferablesOf, type WorkerSetup } from '../contract/protocol.js';
import { clearTrace, itemsDone, readTrace, shareTraces, type Whereabouts } from '../contract/trace.js';
import { Rota } from './rota.js';
import { type Overrun, Watch } from './watch.js';
import { workerMemory, YOUNG_HEAP_MIB } from './worker-memory.js';

export function poolExecutor(setup: WorkerSetup, threads: number): Executor {
  const { plan } = setup;
  const { heapMib, processBytes } = workerMemory(plan, threads);
  // A pool for each thread: in one of several nobody says which of them a task goes to.
  const pools = Array.from({ length: threads }, () => {
    const pool = new Piscina({
      filename: fileURLToPath(new URL('./worker.js', import.meta.url)),
      minThreads: 1,
      maxThreads: 1,
      workerData: setup,
      resourceLimits: { maxOldGenerationSizeMb: heapMib, maxYoungGenerationSizeMb: YOUNG_HEAP_MIB },
      recordTiming: false,
    });
    // A thread that dies between tasks is replaced.
    return pool.on('error', () => {});
  });
  const ends = new Map<number, Promise<void>>();
  /** Once: a pool that is destroyed again while its thread ends would begin another one. */
  const endPool = (worker: number): Promise<void> => {
    const end = ends.get(worker) ?? pools[worker]!.destroy();
    ends.set(worker, end);
    return end;
  };
  const memory = shareTraces(threads);
  const rota = new Rota(threads);
  let isClosed = false;
  const watch = new Watch(plan, processBytes, () => process.memoryUsage.rss());

  async function ask(task: Task, wanted?: number): Promise<TaskReply> {
    const worker = await rota.take(wanted);
    clearTrace(memory, worker);
    const whereabouts = () => readTrace(memory, worker);
    const ended = new AbortController();
    const end = async (why: Overrun) => ended.abort({ ...why, stack: await stackAt(why, whereabouts()) } satisfies End);
    const watched = watch.add({ task, whereabouts, end });
    try {
      const traced = { task, trace: { memory, slot: worker } };
      const options = { signal: ended.signal, transferList: transferablesOf(task) };
      return (await pools[worker]!.run(traced, options)) as TaskReply;
    } catch (error) {
      if (isClosed) throw stoppedAtWork();
      throw lost(error, ended.signal.reason as End | undefined, whereabouts(), heapMib);
    } finally {
      watch.remove(watched);
      rota.give(worker);
    }
  }

  return {
    lanes: threads,
    isHere: false,
    progress: () => itemsDone(memory),
    ...fromReplies(ask),
    async retire(worker) {
      await rota.take(worker);
      await endPool(worker);
    },
    async close() {
      isClosed = true;
      watch.close();
      await Promise.all(pools.map((_, worker) => endPool(worker)));
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
