/** The source in use: asks when it is time, a few at once, and yields what was answered. */
import { ItemError, type Source, type SourceFacts, type SourceItem, type UnreadableItem } from '../../../core/index.js';
import type { Fetcher } from './fetch.js';
import { Schedule, type ScheduleOptions } from './schedule.js';
import type { Job } from './targets.js';

export interface ScrapeOptions extends ScheduleOptions {
  readonly timeoutMs: number;
  readonly concurrency: number;
}

type Yielded = SourceItem | UnreadableItem;

/** Different messages that are kept. */
const MAX_WARNINGS = 200;

export class Scraper implements Source {
  readonly isEndless: boolean;
  readonly count?: number;
  readonly #jobs: readonly Job[];
  readonly #options: ScrapeOptions;
  readonly #fetcher: Fetcher;
  readonly #closed = new AbortController();
  /** Answers that the run has not asked for yet: with those that are under way at most `concurrency`. */
  readonly #answers: Yielded[] = [];
  #wake = () => {};
  readonly #counters = { scrapes: 0, scrapes_failed: 0, scrapes_missed: 0, bytes: 0 };
  readonly #warnings = new Map<string, number>();
  readonly #isInsecure: boolean;

  constructor(jobs: readonly Job[], options: ScrapeOptions, fetcher: Fetcher, isInsecure: boolean) {
    this.isEndless = options.count === undefined;
    if (options.count !== undefined) this.count = options.count * jobs.length;
    this.#jobs = jobs;
    this.#options = options;
    this.#fetcher = fetcher;
    this.#isInsecure = isInsecure;
  }

  async *items(): AsyncGenerator<Yielded> {
    const { signal } = this.#closed;
    const schedule = new Schedule(this.#jobs, this.#options, performance.now());
    while (!signal.aborted) {
      this.#start(schedule);
      this.#counters.scrapes_missed = schedule.missed;
      const answer = this.#answers.shift();
      if (answer !== undefined) yield answer;
      else if (schedule.running === 0 && schedule.nextMs === undefined) return;
      else await this.#wait(schedule);
    }
  }

  facts(): SourceFacts {
    const warnings = [...this.#warnings].map(([message, times]) => ({ code: 'scrape_failed', message, times }));
    if (this.#isInsecure) {
      const message = 'tls.insecure: whoever answered may not have been the target';
      warnings.push({ code: 'tls_insecure', message, times: 1 });
    }
    return { counters: this.#counters, warnings };
  }

  close(): void {
    this.#closed.abort();
    this.#wake();
    this.#fetcher.close();
  }

  #start(schedule: Schedule<Job>): void {
    while (schedule.running + this.#answers.length < this.#options.concurrency) {
      const job = schedule.take(performance.now());
      if (job === undefined) return;
      void this.#scrape(job).then((succeeded) => {
        schedule.done(job, succeeded, performance.now());
        this.#wake();
      });
    }
  }

  /** Until an answer is there, or the next job is due. */
  #wait(schedule: Schedule<Job>): Promise<void> {
    const isFull = schedule.running >= this.#options.concurrency;
    const { nextMs } = schedule;
    return new Promise((resolve) => {
      const timer =
        isFull || nextMs === undefined ? undefined : setTimeout(resolve, Math.max(0, nextMs - performance.now()));
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Never rejects. @returns whether there was an answer */
  async #scrape({ url, uri, name: target, labels, seconds }: Job): Promise<boolean> {
    const { signal } = this.#closed;
    const name = `${target}-${new Date().toISOString().replaceAll(/[-:]/g, '')}`;
    try {
      const bytes = await this.#fetcher.fetch(url, this.#options.timeoutMs + seconds * 1_000);
      this.#counters.scrapes += 1;
      this.#counters.bytes += bytes.length;
      this.#answers.push({ uri, name, data: { bytes }, size: bytes.length, labels });
      return true;
    } catch (error) {
      if (!signal.aborted) this.#fail(uri, name, error as Error);
      return false;
    }
  }

  /** A target that is down is no bad input, unless this was the time to ask it. */
  #fail(uri: string, name: string, error: Error): void {
    const reason = reasonOf(error);
    this.#counters.scrapes_failed += 1;
    if (!this.isEndless) this.#answers.push({ uri, name, error: new ItemError('E_SCRAPE', reason, { cause: error }) });
    const message = `${uri}: ${reason}`;
    if (this.#warnings.has(message) || this.#warnings.size < MAX_WARNINGS)
      this.#warnings.set(message, (this.#warnings.get(message) ?? 0) + 1);
  }
}

/** Node gives several addresses' errors as one without a text. */
function reasonOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  return error.message === '' ? (code ?? error.name) : error.message;
}
