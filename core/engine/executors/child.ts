/** Entry of a worker process (`isolation: process`): the first message is its setup, every other one a task. */
import { writeSync } from 'node:fs';
import type { Task, TaskReply, WorkerSetup } from '../contract/protocol.js';
import { type Trace, traceRecord } from '../contract/trace.js';
import { createReplier, type Replier } from './replies.js';

export interface ChildTask {
  readonly id: number;
  readonly task: Task;
}

export interface ChildReply {
  readonly id: number;
  readonly reply: TaskReply;
}

/** Where the parent reads how far this process is: a pipe, since a message would wait until the work lets go of the event loop. */
const TRACE_FD = 4;

const write = (record: Uint8Array): void => {
  for (;;) {
    try {
      writeSync(TRACE_FD, record);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
    }
  }
};
const trace: Trace = {
  begin: (item) => write(traceRecord('begin', item)),
  enter: (place) => write(traceRecord('enter', place)),
  end: (hasFailed) => write(traceRecord(hasFailed ? 'failed' : 'done', 0)),
};

// The terminal sends them to the whole group; the parent decides.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
// Taken before plugins are loaded: the guards (strangers/guards.ts) refuse process.exit to what a plugin's call has caused.
const exit = process.exit.bind(process);
process.on('disconnect', () => exit());

const send = process.send!.bind(process);
let replier: Replier | undefined;
process.on('message', async (message: WorkerSetup | ChildTask) => {
  if (replier === undefined) {
    replier = createReplier(message as WorkerSetup);
    return;
  }
  const { id, task } = message as ChildTask;
  send({ id, reply: await replier.answer(task, trace) } satisfies ChildReply);
});
