/**
 * The lines of a checkpoint:
 *
 *     profpipe-watch 1
 *     ["cpu.pb.gz","1837:1763740800123456789"]      done: name (bytes as Latin-1), size:time in nanoseconds
 *     {"files":[["a.pb","9:17"]],"outputs":["/out/1.pb"]}    done, if all outputs are there: then a line for each file follows
 *
 * A process that is killed leaves at most a last line without its end, which counts for nothing.
 */
import { readFileSync } from 'node:fs';
import { UsageError } from '../../../core/index.js';

export type FileVersion = readonly [key: string, version: string];

/** Files that are done once there is something at all of these paths, where there was nothing. */
export interface Promised {
  readonly files: readonly FileVersion[];
  readonly outputs: readonly string[];
}

export interface CheckpointState {
  /** By key: the version that is done. */
  readonly done: Map<string, string>;
  /** The last one, if not all its files are done. */
  readonly promised: Promised | undefined;
}

const HEADER = 'profpipe-watch 1';

export const doneLine = (file: FileVersion): Buffer => Buffer.from(`${JSON.stringify(file)}\n`);
export const promiseLine = (promised: Promised): Buffer => Buffer.from(`${JSON.stringify(promised)}\n`);

/** A checkpoint's bytes, anew. */
export function* linesOf({ done, promised }: CheckpointState): Generator<Uint8Array> {
  yield Buffer.from(`${HEADER}\n`);
  for (const file of done) yield doneLine(file);
  if (promised !== undefined) yield promiseLine(promised);
}

/** @throws UsageError bad-checkpoint, with the line */
export function readCheckpoint(path: string): CheckpointState {
  const done = new Map<string, string>();
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { done, promised: undefined };
    throw new UsageError('bad-checkpoint', `cannot read ${path}: ${(error as Error).message}`, {
      option: ['checkpoint'],
    });
  }
  const [header, ...lines] = text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .slice(0, -1);
  if (header !== HEADER) throw notCheckpoint(path, 1);
  let promised: Promised | undefined;
  for (const [at, line] of lines.entries()) {
    const value = parseLine(line);
    if (isFileVersion(value)) done.set(...value);
    else if (isPromised(value)) promised = value;
    else throw notCheckpoint(path, at + 2);
  }
  return { done, promised: promised !== undefined && areDone(promised, done) ? undefined : promised };
}

export const areDone = ({ files }: Promised, done: ReadonlyMap<string, string>): boolean =>
  files.every(([key, version]) => done.get(key) === version);

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

const isFileVersion = (value: unknown): value is FileVersion =>
  Array.isArray(value) && value.length === 2 && value.every((each) => typeof each === 'string');

function isPromised(value: unknown): value is Promised {
  if (typeof value !== 'object' || value === null) return false;
  const { files, outputs } = value as { readonly files?: unknown; readonly outputs?: unknown };
  const areFiles = Array.isArray(files) && files.every(isFileVersion);
  return areFiles && Array.isArray(outputs) && outputs.every((output) => typeof output === 'string');
}

function notCheckpoint(path: string, line: number): UsageError {
  return new UsageError('bad-checkpoint', `${path}, line ${line}: this is no checkpoint of a watched folder`, {
    option: ['checkpoint'],
  });
}
