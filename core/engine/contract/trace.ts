/**
 * Where a worker is, told while it is there: when it hangs or dies, nobody can ask it any more. In memory that threads share:
 *
 *     [items done, items failed]  then a slot for each running task:  [steps, item + 1, place, thread]
 *
 * `steps` grows with every item, so a task whose slot stays the same is at one item.
 */

/** What a worker says while it works. */
export interface Trace {
  /** An item of the task is begun: its place in the task's list. */
  begin(item: number): void;
  /** Work at a place of the plan (places.ts) begins, or ends: ENGINE_PLACE. */
  enter(place: number): void;
  end(hasFailed: boolean): void;
}

/** What the main thread sees of a running task. */
export interface Whereabouts {
  /** Changes with every item; 0 as long as the task waits for a thread. */
  readonly steps: number;
  /** Place in the task's list; undefined between items. */
  readonly item: number | undefined;
  readonly place: number;
  /** Node's number of the thread that has the task; 0 as long as it waits for one, and where it is in no worker thread. */
  readonly thread: number;
}

const HEAD = 2;
const SLOT = 4;

export function shareTraces(slots: number): Int32Array {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT * (HEAD + SLOT * slots)));
}

/** @param thread that works */
export function traceIn(memory: Int32Array, slot: number, thread = 0): Trace {
  const at = HEAD + SLOT * slot;
  Atomics.store(memory, at + 3, thread);
  return {
    begin(item) {
      Atomics.store(memory, at + 1, item + 1);
      Atomics.add(memory, at, 1);
    },
    enter(place) {
      Atomics.store(memory, at + 2, place);
    },
    end(hasFailed) {
      Atomics.store(memory, at + 1, 0);
      Atomics.add(memory, at, 1);
      Atomics.add(memory, 0, 1);
      if (hasFailed) Atomics.add(memory, 1, 1);
    },
  };
}

export function clearTrace(memory: Int32Array, slot: number): void {
  for (let field = 0; field < SLOT; field++) Atomics.store(memory, HEAD + SLOT * slot + field, 0);
}

export function readTrace(memory: Int32Array, slot: number): Whereabouts {
  const at = HEAD + SLOT * slot;
  const item = Atomics.load(memory, at + 1);
  return {
    steps: Atomics.load(memory, at),
    item: item === 0 ? undefined : item - 1,
    place: Atomics.load(memory, at + 2),
    thread: Atomics.load(memory, at + 3),
  };
}

/** Items done and failed by all workers together. */
export function itemsDone(memory: Int32Array): { readonly done: number; readonly failed: number } {
  return { done: Atomics.load(memory, 0), failed: Atomics.load(memory, 1) };
}

/** The same told through a pipe, for a worker that shares no memory: a byte that says what, four that say which. */
const recordKinds = ['begin', 'enter', 'done', 'failed'] as const;
const RECORD_BYTES = 5;

export function traceRecord(kind: (typeof recordKinds)[number], value: number): Uint8Array {
  const record = new Uint8Array(RECORD_BYTES);
  record[0] = recordKinds.indexOf(kind);
  new DataView(record.buffer).setUint32(1, value);
  return record;
}

/** Puts records, in whatever pieces they come, into a trace. */
export class TraceReader {
  readonly #trace: Trace;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(trace: Trace) {
    this.#trace = trace;
  }

  take(piece: Uint8Array): void {
    const bytes = Buffer.concat([this.#rest, piece]);
    const whole = bytes.length - (bytes.length % RECORD_BYTES);
    for (let at = 0; at < whole; at += RECORD_BYTES) {
      const value = bytes.readUInt32BE(at + 1);
      switch (recordKinds[bytes[at]!]) {
        case 'begin':
          this.#trace.begin(value);
          break;
        case 'enter':
          this.#trace.enter(value);
          break;
        case 'done':
          this.#trace.end(false);
          break;
        case 'failed':
          this.#trace.end(true);
          break;
      }
    }
    this.#rest = bytes.subarray(whole);
  }
}
