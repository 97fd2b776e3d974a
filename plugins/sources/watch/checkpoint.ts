/**
 * The files that are done, on disk: a line is added as each is. A process that is killed has its last files done again, to the same
 * outputs; those that one output is made of together are promised before it is written, so that they are done once. A power cut may
 * take the latest lines, with the first effect. The file is written anew, without files that are gone, when more than half of its lines
 * say nothing any more.
 */
import { closeSync, existsSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { prepareTarget, RunStopped, type WindowsWritten, writeFileAtomically } from '../../../core/index.js';
import {
  type CheckpointState,
  type FileStates,
  type FileVersion,
  fileLine,
  isKept,
  linesOf,
  type PartlyDone,
  type Promised,
  promiseLine,
  readCheckpoint,
  setDone,
  setPartlyDone,
  writtenOf,
} from './checkpoint-lines.js';

/** Below this many lines the file is left as it is. */
const LEAST_COMPACTED = 1_000;

export class Checkpoint {
  readonly #path: string;
  readonly #states: FileStates;
  /** The last one, until it is kept. */
  #promised: Promised | undefined;
  #file: number;
  #lines: number;
  /** What is added while the file is written anew. */
  #addedMeanwhile: Buffer[] | undefined;

  private constructor(path: string, states: FileStates, file: number) {
    this.#path = path;
    this.#states = states;
    this.#file = file;
    this.#lines = states.done.size + states.partly.size;
  }

  /** @throws UsageError bad-checkpoint, with the line, for a file that is none; RunStopped E_WRITE */
  static async open(path: string): Promise<Checkpoint> {
    await prepareTarget(path);
    const { promised, ...states } = readCheckpoint(path);
    if (promised !== undefined) redeem(promised, states);
    return new Checkpoint(path, states, await writeAnew(path, { ...states, promised: undefined }));
  }

  /** The version of a file that was done last. */
  version(key: string): string | undefined {
    return this.#states.done.get(key);
  }

  /** Undefined for a file of which no window is written, or all are. */
  written(file: FileVersion): WindowsWritten | undefined {
    return writtenOf(this.#states, file);
  }

  /** @throws RunStopped E_WRITE */
  record(file: FileVersion): void {
    this.#add(fileLine(file));
    setDone(this.#states, file);
  }

  /** @throws RunStopped E_WRITE */
  recordPartly(file: PartlyDone): void {
    this.#add(fileLine(file));
    setPartlyDone(this.#states, file);
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
    if (this.#promised !== undefined && isKept(this.#promised, this.#states)) this.#promised = undefined;
    for (const files of [this.#states.done, this.#states.partly]) {
      for (const key of files.keys()) if (!present.has(key)) files.delete(key);
    }
    this.#addedMeanwhile = [];
    const file = await writeAnew(this.#path, { ...this.#states, promised: this.#promised });
    closeSync(this.#file);
    this.#file = file;
    this.#append(Buffer.concat(this.#addedMeanwhile));
    this.#addedMeanwhile = undefined;
    this.#lines = this.#states.done.size + this.#states.partly.size;
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

/** A promise of a process that was killed: its files are done, or as far as they were, and nothing of the outputs is left. */
function redeem({ files, partly, outputs }: Promised, states: FileStates): void {
  if (outputs.every((output) => existsSync(output))) {
    for (const file of files) setDone(states, file);
    for (const file of partly) setPartlyDone(states, file);
  } else for (const output of outputs) rmSync(output, { force: true });
}

/** @returns the file, open for what is added */
async function writeAnew(path: string, state: CheckpointState): Promise<number> {
  await writeFileAtomically(path, linesOf(state));
  return openSync(path, 'a');
}
