/** The source in use: looks at the folder every so often, yields what is complete, writes down what is settled. */
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { itemName, type Source, type SourceFacts, type SourceItem, type WindowsWritten } from '../../../core/index.js';
import { Arrivals, versionOf } from './arrivals.js';
import { Checkpoint } from './checkpoint.js';
import type { FileVersion, PartlyDone } from './checkpoint-lines.js';
import { type Lock, takeLock } from './lock.js';
import { isUnchanged, type ScanOptions, type SeenFile, scanFolder, textOf } from './scan.js';

export interface WatchOptions extends ScanOptions {
  readonly path: string;
  readonly checkpoint: string;
  readonly everyMs: number;
  readonly settleMs: number;
}

export class Watcher implements Source {
  readonly isEndless = true;
  readonly #options: WatchOptions;
  readonly #checkpoint: Checkpoint;
  readonly #lock: Lock;
  readonly #arrivals: Arrivals;
  /** By key: the version that is under way. */
  readonly #underWay = new Map<string, string>();
  readonly #closed = new AbortController();
  /** By what was yielded. */
  readonly #files = new WeakMap<SourceItem, FileVersion>();
  #failedScans = 0;
  #scanError = '';

  private constructor(options: WatchOptions, checkpoint: Checkpoint, lock: Lock) {
    this.#options = options;
    this.#checkpoint = checkpoint;
    this.#lock = lock;
    this.#arrivals = new Arrivals(options.settleMs);
  }

  /** @throws UsageError in-use, bad-checkpoint, output-unwritable; RunStopped E_WRITE */
  static async open(options: WatchOptions): Promise<Watcher> {
    const lock = await takeLock(`${options.checkpoint}.lock`);
    try {
      return new Watcher(options, await Checkpoint.open(options.checkpoint), lock);
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  async *items(): AsyncGenerator<SourceItem> {
    const { signal } = this.#closed;
    while (!signal.aborted) {
      const files = this.#scan();
      const complete = this.#arrivals.complete(files, (file) => this.#isKnown(file), performance.now());
      for (const file of complete) {
        // The run takes its time with many files.
        if (isUnchanged(file, this.#options.links)) yield this.#item(file);
      }
      // An empty folder may be a share that is not there.
      if (files.length > 0) await this.#checkpoint.compact(new Set(files.map(({ key }) => key)));
      await sleep(this.#options.everyMs, undefined, { signal }).catch(() => {});
    }
  }

  settling(
    items: readonly SourceItem[],
    destinations: readonly string[],
    partly: ReadonlyMap<SourceItem, WindowsWritten>,
  ): void {
    // What went to standard output cannot be looked for.
    if (destinations.includes('-')) return;
    // Of versions of a file, which come in their order, the checkpoint knows the last.
    const files = new Map<string, FileVersion>();
    for (const item of items) {
      const file = this.#files.get(item);
      if (file !== undefined) files.set(file[0], file);
    }
    const parts = new Map<string, PartlyDone>();
    for (const [item, written] of partly) {
      const file = this.#files.get(item);
      if (file !== undefined) parts.set(file[0], partlyDone(file, written));
    }
    const outputs = destinations.map((destination) => resolve(destination));
    this.#checkpoint.promise({ files: [...files.values()], partly: [...parts.values()], outputs });
  }

  facts(): SourceFacts {
    if (this.#failedScans === 0) return { counters: {}, warnings: [] };
    const message = `the folder could not be listed: ${this.#scanError}`;
    return {
      counters: { failed_scans: this.#failedScans },
      warnings: [{ code: 'watch_failed', message, times: this.#failedScans }],
    };
  }

  close(): void {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort();
    this.#checkpoint.close();
    this.#lock.release();
  }

  /** A folder that cannot be listed (a share that is gone) is looked at again. */
  #scan(): SeenFile[] {
    try {
      return scanFolder(this.#options.path, this.#options);
    } catch (error) {
      this.#failedScans += 1;
      this.#scanError = (error as Error).message;
      return [];
    }
  }

  #isKnown(file: SeenFile): boolean {
    const version = versionOf(file);
    return this.#checkpoint.version(file.key) === version || this.#underWay.get(file.key) === version;
  }

  #item(file: SeenFile): SourceItem {
    const { key, path, size } = file;
    const version = versionOf(file);
    const text = path.toString('utf8');
    const name = this.#nameOf(file);
    const written = this.#checkpoint.written([key, version]);
    this.#underWay.set(key, version);
    const item: SourceItem = {
      uri: text,
      name,
      data: { path: Buffer.from(text).equals(path) ? text : new Uint8Array(path) },
      size,
      ...(written === undefined ? {} : { written }),
      partlySettled: (now) => this.#checkpoint.recordPartly(partlyDone([key, version], now)),
      settled: () => {
        this.#checkpoint.record([key, version]);
        if (this.#underWay.get(key) === version) this.#underWay.delete(key);
      },
    };
    this.#files.set(item, [key, version]);
    return item;
  }

  /** A file that is written again under its name is another item: its time tells it from the first, also after a restart. */
  #nameOf({ key, modifiedNs }: SeenFile): string {
    const name = itemName(textOf(key).replaceAll('/', '-'));
    if (this.#checkpoint.version(key) === undefined && !this.#underWay.has(key)) return name;
    return `${name}@${new Date(Number(modifiedNs / 1_000_000n)).toISOString().replaceAll(/[-:]/g, '')}`;
  }
}

function partlyDone([key, version]: FileVersion, { arrivalMs, untilMs }: WindowsWritten): PartlyDone {
  return [key, version, arrivalMs, untilMs];
}
