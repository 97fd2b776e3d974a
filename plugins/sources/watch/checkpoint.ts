/**
 * The files that are done, on disk: a line is added as each is. A process that is killed has its last files done again, to the same
 * outputs; those that one output is made of together are promised before it is written, so that they are done once. A power cut may
 * take the latest lines, with the first effect. The file is written anew, without files that are gone, when more than half of its lines
 * say nothing any more.
 */
import { closeSync, existsSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { prepareTarget, RunStopped, writeFileAtomically } from '../../../core/index.js';
import {
  areDone,
  type CheckpointState,
  doneLine,
  linesOf,
  type Promised,
  promiseLine,
  readCheckpoint,
} from './checkpoint-lines.js';

/** Below this many lines the file is left as it is. */
const LEAST_COMPACTED = 1_000;

export class Checkpoint {
  readonly #path: string;
  readonly #done: Map<string, string>;
  /** The last one, until it is kept. */
  #promised: Promised | undefined;
  #file: number;
  #lines: number;
  /** What is added while the file is written anew. */
  #addedMeanwhile: Buffer[] | undefined;

  private constructor(path: string, done: Map<string, string>, file: number) {
    this.#path = path;
    this.#done = done;
    this.#file = file;
    this.#lines = done.size;
  }

  /** @throws UsageError bad-checkpoint, with the line, for a file that is none; RunStopped E_WRITE */
  static async open(path: string): Promise<Checkpoint> {
    await prepareTarget(path);
    const { done, promised } = readCheckpoint(path);
    if (promised !== undefined) redeem(promised, done);
    return new Checkpoint(path, done, await writeAnew(path, { done, promised: undefined }));
  }

  /** The version of a file that was done last. */
  version(key: string): string | undefined {
    return this.#done.get(key);
  }

  /** @throws RunStopped E_WRITE */
  record(key: string, version: string): void {
    this.#add(doneLine([key, version]));
    this.#done.set(key, version);
  }

  /** Durable when it returns. @throws RunStopped E_WRITE */
  promise(promised: Promised): void {
    this.#add(promiseLine(promised));
    fsyncSync(this.#file);
    this.#promised = promised;
  }

  /** Forgets files that are gone, if that is worth while. @param present keys of those that are there @throws RunStopped E_WRITE */
  async compact(present: ReadonlySet<string>): Promise<void> {
    if (this.#lines < LEAST_COMPACTED || this.#lines < 2 * present.size) return;
    // Whether it was kept is told by files that may be gone.
    if (this.#promised !== undefined && areDone(this.#promised, this.#done)) this.#promised = undefined;
    for (const key of this.#done.keys()) if (!present.has(key)) this.#done.delete(key);
    this.#addedMeanwhile = [];
    const file = await writeAnew(this.#path, { done: this.#done, promised: this.#promised });
    closeSync(this.#file);
    this.#file = file;
    this.#append(Buffer.concat(this.#addedMeanwhile));
    this.#addedMeanwhile = undefined;
    this.#lines = this.#done.size;
  }

  #add(line: Buffer): void {
    this.#append(line);
    this.#addedMeanwhile?.push(line);
    this.#lines += 1;
  }

  #append(lines: Buffer): void {
    try {
      if (writeSync(this.#file, lines) < lines.length) throw new Error('the disk is full');
    } catch (error) {
      throw new RunStopped('E_WRITE', `cannot write ${this.#path}: ${(error as Error).message}`, { cause: error });
    }
  }

  close(): void {
    fsyncSync(this.#file);
    closeSync(this.#file);
  }
}

/** A promise of a process that was killed: its files are done, or nothing of them is left. */
function redeem({ files, outputs }: Promised, done: Map<string, string>): void {
  if (outputs.every((output) => existsSync(output))) for (const file of files) done.set(...file);
  else for (const output of outputs) rmSync(output, { force: true });
}

/** @returns the file, open for what is added */
async function writeAnew(path: string, state: CheckpointState): Promise<number> {
  await writeFileAtomically(path, linesOf(state));
  return openSync(path, 'a');
}
