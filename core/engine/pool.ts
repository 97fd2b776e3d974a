/** The executor with threads: piscina, with deadlines, and lost tasks told from failed ones. */
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { PluginRefusal } from './errors.js';
import { type Executor, TaskLost } from './executor.js';
import { type Task, type TaskReply, transferablesOf, type WorkerSetup, type WorkTask } from './protocol.js';

/** What one item may take, read to encoded; a batch gets it per item. */
const ITEM_DEADLINE_MS = 300_000;
/** Put together, a merge or finish of partials. */
const BARRIER_DEADLINE_MS = 1_800_000;
/** A heap limit of a thread, so that one item's runaway objects end that thread and not the process. */
const THREAD_HEAP_MB = 4_096;

export function poolExecutor(setup: WorkerSetup, threads: number): Executor {
  const pool = new Piscina({
    filename: fileURLToPath(new URL('./worker.js', import.meta.url)),
    minThreads: threads,
    maxThreads: threads,
    workerData: setup,
    resourceLimits: { maxOldGenerationSizeMb: THREAD_HEAP_MB },
    recordTiming: false,
  });
  // A thread that dies between tasks is replaced; its tasks reject by themselves.
  pool.on('error', () => {});

  async function ask(task: Task, deadlineMs: number): Promise<TaskReply> {
    const deadline = AbortSignal.timeout(deadlineMs);
    try {
      return (await pool.run(task, { signal: deadline, transferList: transferablesOf(task) })) as TaskReply;
    } catch (error) {
      throw lost(error, deadline.aborted, deadlineMs);
    }
  }

  return {
    lanes: threads,
    async ready() {
      const reply = await ask({ kind: 'setup' }, ITEM_DEADLINE_MS);
      if (reply.kind === 'unusable') throw new PluginRefusal(reply.refusal);
    },
    async run(task: WorkTask) {
      const reply = await ask(task, task.kind === 'items' ? ITEM_DEADLINE_MS * task.items.length : BARRIER_DEADLINE_MS);
      if (reply.kind !== 'done') throw new Error(`a worker answered "${reply.kind}" to a task of kind "${task.kind}"`);
      return reply.result;
    },
    close: () => pool.destroy(),
  };
}

function lost(error: unknown, timedOut: boolean, deadlineMs: number): TaskLost {
  if (timedOut)
    return new TaskLost('E_TIMEOUT', `no answer within ${deadlineMs / 1000} s; the thread was ended`, { cause: error });
  const message = error instanceof Error ? error.message : String(error);
  if ((error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return new TaskLost('E_WORKER_OOM', `the thread ran out of its ${THREAD_HEAP_MB} MiB of heap`, { cause: error });
  }
  return new TaskLost('E_WORKER_DIED', `the thread ended: ${message}`, { cause: error });
}
