/**
 * The files that are done, on disk: a line for each, added as it is done.
 *
 *     profpipe-watch 1
 *     ["cpu.pb.gz","1837:1763740800123456789"]      name (bytes as Latin-1), size:time in nanoseconds
 *
 * A process that is killed leaves at most a last line without its end, which counts for nothing: its file is done again, to the same
 * output. A power cut may take the latest lines, with the same effect. The file is written anew, without files that are gone, when
 * more than half of its lines say nothing any more.
 */
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { prepareTarget, RunStopped, UsageError, writeFileAtomically } from '../../../core/index.js';

const HEADER = 'profpipe-watch 1';
/** Below this many lines the file is left as it is. */
const LEAST_COMPACTED = 1_000;

export class Checkpoint {
  readonly #path: string;
  /** By key: the version that is done. */
  readonly #done: Map<string, string>;
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
    const done = readDone(path);
    return new Checkpoint(path, done, await writeDone(path, done));
  }

  /** The version of a file that was done last. */
  version(key: string): string | undefined {
    return this.#done.get(key);
  }

  /** @throws RunStopped E_WRITE */
  record(key: string, version: string): void {
    const line = Buffer.from(lineOf(key, version));
    this.#append(line);
    this.#addedMeanwhile?.push(line);
    this.#done.set(key, version);
    this.#lines += 1;
  }

  /** Forgets files that are gone, if that is worth while. @param present keys of those that are there @throws RunStopped E_WRITE */
  async compact(present: ReadonlySet<string>): Promise<void> {
    if (this.#lines < LEAST_COMPACTED || this.#lines < 2 * present.size) return;
    for (const key of this.#done.keys()) if (!present.has(key)) this.#done.delete(key);
    this.#addedMeanwhile = [];
    const file = await writeDone(this.#path, this.#done);
    closeSync(this.#file);
    this.#file = file;
    this.#append(Buffer.concat(this.#addedMeanwhile));
    this.#addedMeanwhile = undefined;
    this.#lines = this.#done.size;
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

const lineOf = (key: string, version: string): string => `${JSON.stringify([key, version])}\n`;

function readDone(path: string): Map<string, string> {
  const done = new Map<string, string>();
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return done;
    throw new UsageError('bad-checkpoint', `cannot read ${path}: ${(error as Error).message}`, {
      option: ['checkpoint'],
    });
  }
  const [header, ...lines] = text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .slice(0, -1);
  if (header !== HEADER) throw notCheckpoint(path, 1);
  for (const [at, line] of lines.entries()) {
    const entry = parseLine(line);
    if (entry === undefined) throw notCheckpoint(path, at + 2);
    done.set(...entry);
  }
  return done;
}

function parseLine(line: string): [key: string, version: string] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  const isEntry = Array.isArray(value) && value.length === 2 && value.every((each) => typeof each === 'string');
  return isEntry ? (value as [string, string]) : undefined;
}

function notCheckpoint(path: string, line: number): UsageError {
  return new UsageError('bad-checkpoint', `${path}, line ${line}: this is no checkpoint of a watched folder`, {
    option: ['checkpoint'],
  });
}

/** @returns the file, open for what is added */
async function writeDone(path: string, done: ReadonlyMap<string, string>): Promise<number> {
  await writeFileAtomically(path, linesOf(done));
  return openSync(path, 'a');
}

function* linesOf(done: ReadonlyMap<string, string>): Generator<Uint8Array> {
  yield Buffer.from(`${HEADER}\n`);
  for (const [key, version] of done) yield Buffer.from(lineOf(key, version));
}
