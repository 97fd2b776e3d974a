/** What code each process had where, and how its threads are called, over time: MMAP, COMM and FORK applied in order. */
import type { MadeCode } from './made-code.js';
import { ProcessSpace } from './process-space.js';
import { Space } from './space.js';

/**
 * Processes and threads that are known at a time; the oldest are forgotten beyond this. They outlive their EXIT: the last samples of a
 * thread may come behind it, and a number that is used again begins with a FORK.
 */
const MAX_KNOWN = 1 << 16;

export class Processes {
  readonly kernel = new Space();
  readonly #spaces = new Map<number, ProcessSpace>();
  readonly #made: MadeCode;
  /** By thread. The idle thread has no COMM. */
  readonly #comms = new Map<number, string>([[0, 'swapper']]);

  /** @param made code that processes made */
  constructor(made: MadeCode) {
    this.#made = made;
  }

  get haveMadeCode(): boolean {
    return this.#made.size > 0;
  }

  space(pid: number): ProcessSpace {
    let space = this.#spaces.get(pid);
    if (space === undefined) {
      space = new ProcessSpace(this.#made.get(pid));
      remember(this.#spaces, pid, space);
    }
    return space;
  }

  /** A thread's name, its process' where nothing told it; undefined when nothing told that. */
  comm(pid: number, tid: number): string | undefined {
    return this.#comms.get(tid) ?? this.#comms.get(pid);
  }

  rename(pid: number, tid: number, comm: string, isExec: boolean): void {
    remember(this.#comms, tid, comm);
    if (isExec) remember(this.#spaces, pid, new ProcessSpace(this.#made.get(pid)));
  }

  /** A new process has its parent's mappings; a new thread shares them. @param isBare the mappings of the child will be told */
  fork(child: ThreadId, parent: ThreadId, isBare: boolean): void {
    const comm = this.comm(parent.pid, parent.tid);
    if (comm === undefined) this.#comms.delete(child.tid);
    else remember(this.#comms, child.tid, comm);
    if (child.pid === parent.pid) return;
    const inherited = isBare ? undefined : this.#spaces.get(parent.pid);
    const made = this.#made.get(child.pid);
    remember(this.#spaces, child.pid, inherited?.fork(made) ?? new ProcessSpace(made));
  }
}

export interface ThreadId {
  readonly pid: number;
  readonly tid: number;
}

function remember<Value>(known: Map<number, Value>, key: number, value: Value): void {
  if (known.size >= MAX_KNOWN && !known.has(key)) known.delete(known.keys().next().value!);
  known.set(key, value);
}
