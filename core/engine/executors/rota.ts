/** Which workers are free: each has one task at a time, and some tasks want a certain worker. */

interface Waiting {
  /** Undefined: whichever. */
  readonly worker: number | undefined;
  readonly begin: (worker: number) => void;
}

export class Rota {
  readonly #free: Set<number>;
  readonly #waiting: Waiting[] = [];

  constructor(workers: number) {
    this.#free = new Set(Array.from({ length: workers }, (_, worker) => worker));
  }

  /** Waits for a worker, or for that one. In the order in which it was asked, as far as workers are free. */
  take(wanted?: number): Promise<number> | number {
    const [worker] = wanted === undefined ? this.#free : this.#free.has(wanted) ? [wanted] : [];
    if (worker === undefined) return new Promise((begin) => this.#waiting.push({ worker: wanted, begin }));
    this.#free.delete(worker);
    return worker;
  }

  give(worker: number): void {
    const next = this.#waiting.findIndex((waiting) => (waiting.worker ?? worker) === worker);
    if (next < 0) this.#free.add(worker);
    else this.#waiting.splice(next, 1)[0]!.begin(worker);
  }
}
