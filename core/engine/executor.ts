/** Where tasks run: in a pool of worker threads, or in this thread. */
import type { ItemFailure } from './errors.js';
import type { TaskResult, WorkTask } from './protocol.js';
import type { Whereabouts } from './trace.js';

export interface Executor {
  /** How many tasks run at the same time. */
  readonly lanes: number;
  /** Items done and failed so far, for a progress bar. */
  progress(): { readonly done: number; readonly failed: number };
  /** Waits until the plan's plugins are made. @throws UsageError when one refuses */
  ready(): Promise<void>;
  /**
   * Rejects with a TaskLost when the task's thread died, ran out of memory or missed its deadline: then nothing of the task
   * counts, and the thread has been replaced; with a TaskFailed when the task as a whole threw.
   */
  run(task: WorkTask): Promise<TaskResult>;
  /** Stops now; running tasks are lost. Idempotent. */
  close(): Promise<void>;
}

export class TaskLost extends Error {
  override readonly name = 'TaskLost';
  readonly code: 'E_WORKER_DIED' | 'E_WORKER_OOM' | 'E_TIMEOUT';
  /** Where the task was, if it had begun. */
  readonly whereabouts: Whereabouts | undefined;

  constructor(code: TaskLost['code'], message: string, whereabouts?: Whereabouts, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.whereabouts = whereabouts;
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
