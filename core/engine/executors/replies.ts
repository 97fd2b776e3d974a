/** Tasks answered with data only, whatever happens: an error's own fields do not survive the way to the main thread. */
import { PluginRefusal, type Refusal } from '../contract/errors.js';
import { TaskFailed } from '../contract/executor.js';
import type { Task, TaskReply, WorkerSetup } from '../contract/protocol.js';
import type { Trace } from '../contract/trace.js';
import { createRunner, type TaskRunner } from '../tasks/task-runner.js';

export interface Replier {
  answer(task: Task, trace: Trace): Promise<TaskReply>;
}

export function createReplier(setup: WorkerSetup): Replier {
  const runner: Promise<TaskRunner | Error> = createRunner(setup, new AbortController().signal).catch(
    (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
  );
  return {
    async answer(task, trace) {
      const made = await runner;
      if (made instanceof Error) return { kind: 'unusable', refusal: refusalOf(made) };
      if (task.kind === 'setup') return { kind: 'ready' };
      if (!made.canRun(task)) return { kind: 'gone' };
      try {
        return { kind: 'done', result: await made.run(task, trace) };
      } catch (error) {
        if (!(error instanceof TaskFailed)) throw error;
        return { kind: 'failed', failure: error.failure };
      }
    },
  };
}

function refusalOf(error: Error): Refusal {
  if (!(error instanceof PluginRefusal))
    return { code: 'plugin-refuses', message: error.message, where: '', option: [] };
  const { code, message, where, option } = error;
  return { code, message, where, option };
}
