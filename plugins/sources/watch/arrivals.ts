/** Which of the files in a folder are complete and not yet done. */
import type { SeenFile } from './scan.js';

/** What tells one content of a file from the next: its size and time. */
export function versionOf({ size, modifiedNs }: SeenFile): string {
  return `${size}:${modifiedNs}`;
}

interface Waiting {
  readonly version: string;
  readonly sinceMs: number;
}

export class Arrivals {
  readonly #settleMs: number;
  /** By key: files that may still be written. */
  #waiting = new Map<string, Waiting>();

  constructor(settleMs: number) {
    this.#settleMs = settleMs;
  }

  /**
   * @param files all that are there now
   * @param isDone whether a file in this version is done or under way
   * @param nowMs of a clock that never goes back
   * @returns those that have not changed for long enough, oldest first, then by name. An empty file is still to be written
   */
  complete(files: readonly SeenFile[], isDone: (file: SeenFile) => boolean, nowMs: number): SeenFile[] {
    const waiting = new Map<string, Waiting>();
    const complete: SeenFile[] = [];
    for (const file of files) {
      if (isDone(file)) continue;
      const version = versionOf(file);
      const before = this.#waiting.get(file.key);
      const since = before?.version === version ? before : { version, sinceMs: nowMs };
      if (file.size > 0 && nowMs - since.sinceMs >= this.#settleMs) complete.push(file);
      waiting.set(file.key, since);
    }
    this.#waiting = waiting;
    return complete.sort(byAge);
  }
}

function byAge(a: SeenFile, b: SeenFile): number {
  if (a.modifiedNs !== b.modifiedNs) return a.modifiedNs < b.modifiedNs ? -1 : 1;
  return a.key < b.key ? -1 : 1;
}
