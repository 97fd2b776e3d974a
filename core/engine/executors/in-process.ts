/** The executor without threads: for small runs, and for debugging with `--in-process`. */
import { UsageError } from '../contract/errors.js';
import { type Executor, stoppedAtWork } from '../contract/executor.js';
import type { WorkerSetup } from '../contract/protocol.js';
import { itemsDone, shareTraces, traceIn } from '../contract/trace.js';
import { createRunner, type TaskRunner } from '../tasks/task-runner.js';

export function inProcessExecutor(setup: WorkerSetup): Executor {
  const abort = new AbortController();
  const created = createRunner(setup, abort.signal);
  const memory = shareTraces(1);
  const trace = traceIn(memory, 0);
  // Looked at in `ready`; a rejection before that is no unhandled one.
  created.catch(() => {});
  let runner: TaskRunner | undefined;
  /** Fails the task at work: one that waits for a stream does not hear of the end. */
  let endTask: ((error: Error) => void) | undefined;
  return {
    lanes: 1,
    isHere: true,
    progress: () => itemsDone(memory),
    async ready() {
      try {
        runner = await created;
      } catch (error) {
        if (error instanceof UsageError) throw error;
        throw new UsageError('plugin-refuses', error instanceof Error ? error.message : String(error), {
          cause: error,
        });
      }
    },
    // No race with a promise that lasts as long as the run: that would hold each task's result until then.
    run: (task) =>
      new Promise((resolve, reject) => {
        endTask = reject;
        runner!.run(task, trace).then(resolve, reject);
      }),
    async retire() {},
    async close() {
      abort.abort();
      endTask?.(stoppedAtWork());
      await runner?.close();
      runner = undefined;
    },
  };
}
