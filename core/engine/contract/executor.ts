/** Where tasks run: in a pool of worker threads, or in this thread. */
import { type ItemFailure, PluginRefusal, RunStopped, UsageError } from './errors.js';
import type { Task, TaskReply, TaskResult, WorkTask } from './protocol.js';
import type { Whereabouts } from './trace.js';

export interface Executor {
  /** How many tasks run at the same time: one a worker. */
  readonly lanes: number;
  /** Whether tasks run in this thread: then an item may be a stream. */
  readonly isHere: boolean;
  /** Items done and failed so far, for a progress bar. */
  progress(): { readonly done: number; readonly failed: number };
  /** Waits until the plan's plugins are made. @throws UsageError when one refuses */
  ready(): Promise<void>;
  /**
   * Rejects with a TaskLost when the task's thread died, ran out of memory or missed its deadline: then nothing of the task
   * counts, and the thread has been replaced; with a TaskFailed when the task as a whole threw. Either way what the worker kept is gone.
   * With a RunStopped when its worker, unlike the one that was asked by `ready`, could not make the plugins.
   *
   * @param worker below `lanes`: the one that has kept what the task goes on with. Absent: whichever is free
   */
  run(task: WorkTask, worker?: number): Promise<TaskResult>;
  /** Ends a worker that is asked nothing any more: the others may need its memory. */
  retire(worker: number): Promise<void>;
  /** Stops now: tasks that run reject with a RunStopped, which no item is to blame for. Idempotent. */
  close(): Promise<void>;
}

/** `ready` and `run` over the answers of workers, wherever these are. @param ask rejects with TaskLost, or with RunStopped when the executor was closed */
export function fromReplies(ask: (task: Task, worker?: number) => Promise<TaskReply>): Pick<Executor, 'ready' | 'run'> {
  return {
    async ready() {
      const reply = await ask({ kind: 'setup' }).catch((error: TaskLost | RunStopped) => {
        if (error instanceof RunStopped) throw error;
        throw new UsageError('plugin-refuses', `the plugins were not made: ${error.message}`, { cause: error });
      });
      if (reply.kind === 'unusable') throw new PluginRefusal(reply.refusal);
    },
    async run(task, worker) {
      const reply = await ask(task, worker);
      if (reply.kind === 'gone') throw new PartialLost();
      if (reply.kind === 'failed') throw new TaskFailed(reply.failure);
      if (reply.kind === 'unusable') {
        throw new RunStopped('E_WORKER', `a worker could not make the plugins: ${reply.refusal.message}`);
      }
      if (reply.kind !== 'done') throw new Error(`a worker answered "${reply.kind}" to a task of kind "${task.kind}"`);
      return reply.result;
    },
  };
}

/** For a task of an executor that was closed. */
export const stoppedAtWork = () => new RunStopped('E_INTERRUPTED', 'stopped before the running items were done');

export class TaskLost extends Error {
  override readonly name = 'TaskLost';
  readonly code: 'E_WORKER_DIED' | 'E_WORKER_OOM' | 'E_TIMEOUT';
  /** Where the task was, if it had begun. */
  readonly whereabouts: Whereabouts | undefined;

  /** @param options `stack`: where the thread was, as lines of an Error's stack, innermost first */
  constructor(
    code: TaskLost['code'],
    message: string,
    whereabouts?: Whereabouts,
    { stack, ...options }: ErrorOptions & { readonly stack?: string | undefined } = {},
  ) {
    const [innermost] = stack?.split('\n', 1) ?? [];
    super(innermost === undefined ? message : `${message} (${innermost.trim()})`, options);
    if (stack !== undefined) this.stack = `${this.name}: ${this.message}\n${stack}`;
    this.code = code;
    this.whereabouts = whereabouts;
  }
}

/** The task has not begun: its worker is not the one any more that kept the partial to go on with. */
export class PartialLost extends TaskLost {
  constructor() {
    super('E_WORKER_DIED', 'the thread with the partial ended between two tasks');
  }
}

/** What failed was not one of the task's items: an aggregate's `empty`, `merge`, `encode` or `decode`. */
export class TaskFailed extends Error {
  override readonly name = 'TaskFailed';
  /** As a failure of the first item, or of the whole. */
  readonly failure: ItemFailure;

  constructor(failure: ItemFailure) {
    super(failure.message);
    this.failure = failure;
  }
}
