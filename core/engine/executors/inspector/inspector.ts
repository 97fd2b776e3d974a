/**
 * V8's inspector, asked from within: about this thread, and through it about the worker threads that it started, also one that is in an
 * endless loop. Its protocol is Chrome's; what leads to workers is Node's own domain, NodeWorker.
 */
import { Session } from 'node:inspector/promises';

type Listener = (params: unknown) => void;

/** What answers questions of the protocol. */
export interface Inspected {
  /** Undefined for the thread that asks. */
  readonly threadId: number | undefined;
  /** @throws Error when it refuses, or is gone */
  ask(method: string, params?: object): Promise<unknown>;
}

export interface InspectedWorker extends Inspected {
  readonly threadId: number;
  /** Calls it for each event of that name from now on. */
  on(event: string, listener: Listener): void;
}

export class Inspector {
  readonly #session = new Session();
  readonly #workers = new Map<string, Channel>();
  readonly #onWorker: (worker: InspectedWorker) => void;

  /** @param onWorker is told of every worker there is, and then of each that starts */
  constructor(onWorker: (worker: InspectedWorker) => void) {
    this.#onWorker = onWorker;
    const session = this.#session;
    session.connect();
    session.on('NodeWorker.attachedToWorker', ({ params: { sessionId, workerInfo } }) => {
      // "[worker 3]", and behind it the name that the thread was given.
      const threadId = Number(/^\[worker (\d+)\]/.exec(workerInfo.title)?.[1]);
      if (Number.isNaN(threadId)) return;
      const send = (message: string) => session.post('NodeWorker.sendMessageToWorker', { sessionId, message });
      const channel = new Channel(threadId, send);
      this.#workers.set(sessionId, channel);
      this.#onWorker(channel);
    });
    session.on('NodeWorker.receivedMessageFromWorker', ({ params: { sessionId, message } }) => {
      this.#workers.get(sessionId)?.receive(message);
    });
    session.on('NodeWorker.detachedFromWorker', ({ params: { sessionId } }) => {
      this.#workers.get(sessionId)?.close();
      this.#workers.delete(sessionId);
    });
    session.post('NodeWorker.enable', { waitForDebuggerOnStart: false }).catch(() => {});
  }

  get thisThread(): Inspected {
    const post = this.#session.post.bind(this.#session) as (method: string, params?: object) => Promise<unknown>;
    return { threadId: undefined, ask: post };
  }

  close(): void {
    this.#session.disconnect();
    for (const worker of this.#workers.values()) worker.close();
  }
}

/** Questions and answers as messages. */
class Channel implements InspectedWorker {
  readonly threadId: number;
  readonly #send: (message: string) => Promise<unknown>;
  readonly #asked = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  readonly #listeners = new Map<string, Listener>();
  #lastId = 0;
  #hasEnded = false;

  constructor(threadId: number, send: (message: string) => Promise<unknown>) {
    this.threadId = threadId;
    this.#send = send;
  }

  ask(method: string, params: object = {}): Promise<unknown> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      // Node takes messages to a thread that has ended, and nobody answers.
      if (this.#hasEnded) throw this.#gone();
      this.#asked.set(id, { resolve, reject });
      this.#send(JSON.stringify({ id, method, params })).catch(reject);
    });
  }

  on(event: string, listener: Listener): void {
    this.#listeners.set(event, listener);
  }

  receive(text: string): void {
    const message = JSON.parse(text) as { id?: number; result?: unknown; error?: { message: string } } & {
      method?: string;
      params?: unknown;
    };
    if (message.id === undefined) {
      this.#listeners.get(message.method ?? '')?.(message.params);
      return;
    }
    const asked = this.#asked.get(message.id);
    this.#asked.delete(message.id);
    if (message.error === undefined) asked?.resolve(message.result);
    else asked?.reject(new Error(message.error.message));
  }

  close(): void {
    this.#hasEnded = true;
    for (const { reject } of this.#asked.values()) reject(this.#gone());
    this.#asked.clear();
  }

  #gone(): Error {
    return new Error(`thread ${this.threadId} has ended`);
  }
}
