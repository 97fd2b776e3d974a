/** `pipe run --profile FILE`: what the run itself spent, as a pprof profile. */

import { type ThreadProfile, ThreadProfiler } from '../../engine/executors/inspector/thread-profiler.js';
import { prepareTarget, writeFileAtomically } from '../../engine/outputs/atomic-file.js';
import { encodeProfile } from '../encode-profile.js';
import { loadPlugins } from '../plugins.js';
import { profileOfThreads } from './v8-profile.js';

export class RunProfile {
  readonly #path: string;
  readonly #started = Date.now();
  readonly #profiler = new ThreadProfiler();
  #threads: readonly ThreadProfile[] = [];

  private constructor(path: string) {
    this.#path = path;
  }

  /** Profiles from now on. @throws UsageError when the file cannot be written */
  static async start(path: string): Promise<RunProfile> {
    await prepareTarget(path);
    return new RunProfile(path);
  }

  /** As long as the workers are there. */
  async stop(): Promise<void> {
    this.#threads = await this.#profiler.stop();
  }

  /** @throws RunStopped when it cannot be written */
  async write(): Promise<void> {
    const profile = profileOfThreads(this.#threads, this.#started);
    await writeFileAtomically(this.#path, await encodeProfile(profile, await loadPlugins(), this.#path));
  }
}
