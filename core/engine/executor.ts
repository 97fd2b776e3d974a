/** Where tasks run: in a pool of worker threads, or in this thread. */
import type { TaskResult, WorkTask } from './protocol.js';

export interface Executor {
  /** How many tasks run at the same time. */
  readonly lanes: number;
  /** Waits until the plan's plugins are made. @throws UsageError when one refuses */
  ready(): Promise<void>;
  /**
   * Rejects with a TaskLost when the task's thread died, ran out of memory or missed its deadline: then nothing of the task
   * counts, and the thread has been replaced.
   */
  run(task: WorkTask): Promise<TaskResult>;
  /** Stops now; running tasks are lost. Idempotent. */
  close(): Promise<void>;
}

export class TaskLost extends Error {
  override readonly name = 'TaskLost';
  readonly code: 'E_WORKER_DIED' | 'E_WORKER_OOM' | 'E_TIMEOUT';

  constructor(code: TaskLost['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
