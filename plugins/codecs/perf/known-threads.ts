/** Threads and address spaces that a part's samples are of, by the numbers that the kernel has for them. */
import type { Processes } from './processes.js';
import type { CodeMapping, CodeSpace } from './space.js';

/** A thread, as long as neither its name nor its mappings change. */
export interface KnownThread {
  readonly pid: number;
  readonly tid: number;
  readonly comm: string | undefined;
  /** Number of its address space. */
  readonly space: number;
}

/** An address space as it was when it got its number. */
interface KnownSpace {
  readonly space: CodeSpace;
  readonly mappings: readonly CodeMapping[];
  captureRow: number | undefined;
}

export class KnownThreads {
  readonly #processes: Processes;
  readonly rows: KnownThread[] = [];
  /** The last row of each thread, by process and thread. */
  readonly #rowOfThread = new Map<string, number>();
  readonly #spaces: KnownSpace[] = [];
  readonly #spaceOfMappings = new Map<readonly CodeMapping[], number>();

  constructor(processes: Processes) {
    this.#processes = processes;
  }

  /** @param onNewSpace gets the mappings of a process that no thread of the part had before @returns row of the thread as it is now */
  row(pid: number, tid: number, onNewSpace: (mappings: number) => void): number {
    const user = this.#processes.space(pid);
    const spaces = this.#spaces.length;
    const space = this.space(user);
    if (space === spaces) onNewSpace(user.mappings.length);
    const comm = this.#processes.comm(pid, tid);
    const key = `${pid},${tid}`;
    const last = this.#rowOfThread.get(key);
    if (last !== undefined && this.rows[last]!.space === space && this.rows[last]!.comm === comm) return last;
    const row = this.rows.push({ pid, tid, comm, space }) - 1;
    this.#rowOfThread.set(key, row);
    return row;
  }

  /** Number of a space with the mappings that it has now. */
  space(space: CodeSpace): number {
    const { mappings } = space;
    let number = this.#spaceOfMappings.get(mappings);
    if (number === undefined) {
      number = this.#spaces.push({ space, mappings, captureRow: undefined }) - 1;
      this.#spaceOfMappings.set(mappings, number);
    }
    return number;
  }

  /** The space that a number is of, which has its mappings still. */
  spaceAt(number: number): CodeSpace {
    return this.#spaces[number]!.space;
  }

  /** @param add gives the mappings a row among those of the captures */
  captureRow(number: number, add: (mappings: readonly CodeMapping[]) => number): number {
    const known = this.#spaces[number]!;
    known.captureRow ??= add(known.mappings);
    return known.captureRow;
  }

  /** The part has ended. */
  clear(): void {
    this.rows.length = 0;
    this.#rowOfThread.clear();
    this.#spaces.length = 0;
    this.#spaceOfMappings.clear();
  }
}
