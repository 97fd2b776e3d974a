/** `pipe run --profile FILE`: what the run itself spent, as a pprof profile. */
import { basename } from 'node:path';
import { createBinaryStore } from '../../binary/file-store.js';
import { defaultOptions } from '../../config/default-options.js';
import { prepareTarget, writeFileAtomically } from '../../engine/atomic-file.js';
import { createContext } from '../../engine/create-context.js';
import { type ThreadProfile, ThreadProfiler } from '../../engine/inspector/thread-profiler.js';
import { defaultLimits } from '../../formats/limits.js';
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
    const registry = await loadPlugins();
    const { schema, create } = registry.get('codec', 'pprof');
    const { signal } = new AbortController();
    const codec = await create(defaultOptions(schema), createContext(createBinaryStore(), {}, signal));
    const item = { index: 0, name: basename(this.#path), uri: this.#path, digest: new Uint8Array(32) };
    const context = { item, limits: defaultLimits, signal, count: () => {}, warn: () => {} };
    await writeFileAtomically(this.#path, await codec.encode!(profile, context));
  }
}
