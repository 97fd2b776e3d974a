/** Entry of a worker thread: makes its own registry, plugins and binaries once, then runs tasks. */
import { move, transferableSymbol, valueSymbol, workerData } from 'piscina';
import { PluginRefusal, type Refusal } from './errors.js';
import { type Task, type TaskReply, transferables, type WorkerSetup } from './protocol.js';
import { createRunner, type TaskRunner } from './task-runner.js';

// Begun when the thread starts, while the main thread still looks for inputs. Awaited by the first task, which can answer for it.
const runner: Promise<TaskRunner | Error> = createRunner(workerData as WorkerSetup, new AbortController().signal).catch(
  (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
);

function refusalOf(error: Error): Refusal {
  if (!(error instanceof PluginRefusal))
    return { code: 'plugin-refuses', message: error.message, where: '', option: [] };
  const { code, message, where, option } = error;
  return { code, message, where, option };
}

/** Answers with data only: an error's own fields do not survive the way to the main thread. */
export default async function runTask(task: Task): Promise<TaskReply> {
  const made = await runner;
  if (made instanceof Error) return { kind: 'unusable', refusal: refusalOf(made) };
  if (task.kind === 'setup') return { kind: 'ready' };
  const result = await made.run(task);
  const reply = { kind: 'done', result } as const;
  return move({ [transferableSymbol]: transferables(result), [valueSymbol]: reply } as never) as unknown as TaskReply;
}
