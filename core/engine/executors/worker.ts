/** Entry of a worker thread: makes its own registry, plugins and binaries once, then runs tasks. */
import { threadId } from 'node:worker_threads';
import { move, transferableSymbol, valueSymbol, workerData } from 'piscina';
import { type TaskReply, type TracedTask, transferables, type WorkerSetup } from '../contract/protocol.js';
import { traceIn } from '../contract/trace.js';
import { createReplier } from './replies.js';

// Begun when the thread starts, while the main thread still looks for inputs. Awaited by the first task, which can answer for it.
const replier = createReplier(workerData as WorkerSetup);

export default async function runTask({ task, trace: { memory, slot } }: TracedTask): Promise<TaskReply> {
  const reply = await replier.answer(task, traceIn(memory, slot, threadId));
  if (reply.kind !== 'done') return reply;
  return move({
    [transferableSymbol]: transferables(reply.result),
    [valueSymbol]: reply,
  } as never) as unknown as TaskReply;
}
