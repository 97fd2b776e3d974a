/**
 * The executor with child processes under Node's permission model, for `isolation: process`: no file is written, no process or worker
 * started, no native addon loaded; from Node 25 on, nothing connects to a network. A process that dies takes nothing else with it.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type Executor, fromReplies, stoppedAtWork, TaskLost } from '../contract/executor.js';
import type { Task, TaskReply, WorkerSetup } from '../contract/protocol.js';
import { clearTrace, itemsDone, readTrace, shareTraces, TraceReader, traceIn } from '../contract/trace.js';
import type { ChildReply, ChildTask } from './child.js';
import { Rota } from './rota.js';
import { type Overrun, Watch } from './watch.js';
import { workerMemory } from './worker-memory.js';

const entry = fileURLToPath(new URL('./child.js', import.meta.url));
/** Of Linux: what /proc counts in. */
const PAGE_BYTES = 4_096;

export function processExecutor(setup: WorkerSetup, count: number): Executor {
  const { heapMib, processBytes } = workerMemory(setup.plan, count);
  const memory = shareTraces(count);
  const children = Array.from({ length: count }, (_, slot) => new Child(setup, heapMib, memory, slot));
  const rota = new Rota(count);
  let isClosed = false;
  const watch = new Watch(setup.plan, processBytes, () =>
    children.reduce((sum, child) => sum + child.residentBytes(), 0),
  );

  async function ask(task: Task, wanted?: number): Promise<TaskReply> {
    const worker = await rota.take(wanted);
    const child = children[worker]!;
    clearTrace(memory, worker);
    const watched = watch.add({
      task,
      whereabouts: () => readTrace(memory, worker),
      end: (why) => child.end(why),
    });
    try {
      return await child.run(task);
    } catch (error) {
      throw isClosed ? stoppedAtWork() : error;
    } finally {
      watch.remove(watched);
      rota.give(worker);
    }
  }

  return {
    lanes: count,
    isHere: false,
    progress: () => itemsDone(memory),
    ...fromReplies(ask),
    async retire(worker) {
      await rota.take(worker);
      children[worker]!.close();
    },
    async close() {
      isClosed = true;
      watch.close();
      for (const child of children) child.close();
    },
  };
}

/** One process at a time, and the next when it has ended. */
class Child {
  readonly slot: number;
  readonly #setup: WorkerSetup;
  readonly #heapMib: number;
  readonly #memory: Int32Array;
  #process: ChildProcess;
  #id = 0;
  #running: { readonly resolve: (reply: TaskReply) => void; readonly reject: (error: TaskLost) => void } | undefined;
  #overrun: Overrun | undefined;
  #isClosed = false;

  constructor(setup: WorkerSetup, heapMib: number, memory: Int32Array, slot: number) {
    this.#setup = setup;
    this.#heapMib = heapMib;
    this.#memory = memory;
    this.slot = slot;
    this.#process = this.#start();
  }

  run(task: Task): Promise<TaskReply> {
    this.#id += 1;
    return new Promise((resolve, reject) => {
      this.#running = { resolve, reject };
      this.#process.send({ id: this.#id, task } satisfies ChildTask, (error) => {
        // It ends, or has ended: its exit says what there is to say.
        if (error !== null) this.#process.kill('SIGKILL');
      });
    });
  }

  end(why: Overrun): void {
    this.#overrun ??= why;
    this.#process.kill('SIGKILL');
  }

  close(): void {
    this.#isClosed = true;
    this.#process.kill('SIGKILL');
  }

  /** 0 where the system does not say. */
  residentBytes(): number {
    try {
      return Number(readFileSync(`/proc/${this.#process.pid}/statm`, 'utf8').split(' ')[1]) * PAGE_BYTES;
    } catch {
      return 0;
    }
  }

  #start(): ChildProcess {
    const child = fork(entry, [], {
      serialization: 'advanced',
      // What a plugin prints is no result.
      stdio: ['ignore', 2, 2, 'ipc', 'pipe'],
      execArgv: [...permissionFlags(), `--max-old-space-size=${this.#heapMib}`],
    });
    const reader = new TraceReader(traceIn(this.#memory, this.slot));
    (child.stdio[4] as Readable).on('data', (piece: Uint8Array) => reader.take(piece));
    child.on('message', (message: Partial<ChildReply> | null) => {
      if (message?.id !== this.#id || message.reply === undefined) return;
      this.#running?.resolve(message.reply);
      this.#running = undefined;
    });
    // A process that cannot be started, or no longer be talked to: `close` follows, or nothing ever does.
    child.on('error', (error) => this.#lose(error.message));
    // Not `exit`: by `close` all that it said of its place was read.
    child.on('close', (code, signal) => {
      if (signal === 'SIGABRT') this.#overrun ??= { code: 'E_WORKER_OOM', message: outOfHeap(this.#heapMib) };
      this.#lose(signal === null ? `with exit code ${code}` : `by ${signal}`);
      if (!this.#isClosed) this.#process = this.#start();
    });
    child.send(this.#setup);
    return child;
  }

  #lose(how: string): void {
    const { code, message } = this.#overrun ?? { code: 'E_WORKER_DIED', message: `the process ended ${how}` };
    this.#running?.reject(new TaskLost(code, message, readTrace(this.#memory, this.slot)));
    this.#running = undefined;
    this.#overrun = undefined;
  }
}

/** Node aborts then. */
const outOfHeap = (heapMib: number): string =>
  `the process aborted, as it does when its ${heapMib} MiB of heap are full`;

/** Reading stays allowed: inputs, binaries and plugins are anywhere. */
function permissionFlags(): string[] {
  const isStable = process.allowedNodeEnvironmentFlags.has('--permission');
  return [isStable ? '--permission' : '--experimental-permission', '--allow-fs-read=*', '--no-warnings'];
}
