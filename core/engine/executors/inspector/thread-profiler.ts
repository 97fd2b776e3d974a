/** CPU profiles of this thread and of its workers, by V8's sampling profiler. */
import type { Profiler } from 'node:inspector';
import { within } from '../../plugins/main-thread.js';
import { type Inspected, Inspector } from './inspector.js';

/** Nodes of a call tree, samples as ids of nodes, and microseconds between them. */
export type V8Profile = Profiler.Profile;

export interface ThreadProfile {
  /** "main", "worker 1" */
  readonly thread: string;
  readonly profile: V8Profile;
}

/** The same for all threads, so that their samples weigh the same. */
export const INTERVAL_MICROSECONDS = 1_000;

/** For a thread to answer; those that hang do not keep the others from being told. */
const ANSWER_MS = 10_000;

export class ThreadProfiler {
  readonly #inspector: Inspector;
  readonly #threads: { readonly inspected: Inspected; readonly begun: Promise<void> }[] = [];

  /** Profiles this thread from now on, and workers from their start. */
  constructor() {
    this.#inspector = new Inspector((worker) => this.#begin(worker));
    this.#begin(this.#inspector.thisThread);
  }

  /** @returns what it has of the threads that are alive: what one did that has ended is lost */
  async stop(): Promise<readonly ThreadProfile[]> {
    const profiles: ThreadProfile[] = [];
    for (const { inspected, begun } of this.#threads) {
      const { threadId } = inspected;
      const thread = threadId === undefined ? 'main' : `worker ${threadId}`;
      const ended = within(
        ANSWER_MS,
        begun.then(() => endProfile(inspected)),
      );
      const profile = await ended.catch(() => undefined);
      if (profile !== undefined) profiles.push({ thread, profile });
    }
    this.#inspector.close();
    return profiles;
  }

  #begin(inspected: Inspected): void {
    const begun = beginProfile(inspected);
    // Looked at when it is stopped.
    begun.catch(() => {});
    this.#threads.push({ inspected, begun });
  }
}

async function beginProfile(thread: Inspected): Promise<void> {
  await thread.ask('Profiler.enable');
  await thread.ask('Profiler.setSamplingInterval', { interval: INTERVAL_MICROSECONDS });
  await thread.ask('Profiler.start');
}

async function endProfile(thread: Inspected): Promise<V8Profile> {
  return ((await thread.ask('Profiler.stop')) as { readonly profile: V8Profile }).profile;
}
