/**
 * The lines of a checkpoint:
 *
 *     profpipe-watch 1
 *     ["cpu.pb.gz","1837:1763740800123456789"]      done: name (bytes as Latin-1), size:time in nanoseconds
 *     ["b.pb","9:17",1763740800123,1763740860000]   in its windows that ended until the last time and in no other, with the time at which
 *                                                   it arrived; milliseconds since 1970
 *     {"files":[["a.pb","9:17"]],"outputs":["/out/1.pb"]}    done, if all outputs are there: then a line for each file follows
 *     {"files":[],"partly":[["b.pb","9:17",1763740800123,1763740860000]],"outputs":["/out/2.pb"]}    the same, of windows
 *
 * A process that is killed leaves at most a last line without its end, which counts for nothing.
 */
import { readFileSync } from 'node:fs';
import { UsageError, type WindowsWritten } from '../../../core/index.js';

export type FileVersion = readonly [key: string, version: string];

/** One of which windows are written, and others are not. */
export type PartlyDone = readonly [...FileVersion, arrivalMs: number, untilMs: number];

/** Files that are done, or as far as that, once there is something at all of these paths, where there was nothing. */
export interface Promised {
  readonly files: readonly FileVersion[];
  readonly partly: readonly PartlyDone[];
  readonly outputs: readonly string[];
}

/** What became of files, by key. */
export interface FileStates {
  /** The version that is done. */
  readonly done: Map<string, string>;
  readonly partly: Map<string, PartlyDone>;
}

export interface CheckpointState extends FileStates {
  /** The last one, if it is not kept. */
  readonly promised: Promised | undefined;
}

const HEADER = 'profpipe-watch 1';

export const fileLine = (file: FileVersion | PartlyDone): Buffer => Buffer.from(`${JSON.stringify(file)}\n`);

export function promiseLine({ files, partly, outputs }: Promised): Buffer {
  return Buffer.from(`${JSON.stringify({ files, ...(partly.length === 0 ? {} : { partly }), outputs })}\n`);
}

/** A checkpoint's bytes, anew. */
export function* linesOf({ done, partly, promised }: CheckpointState): Generator<Uint8Array> {
  yield Buffer.from(`${HEADER}\n`);
  for (const file of done) yield fileLine(file);
  for (const file of partly.values()) yield fileLine(file);
  if (promised !== undefined) yield promiseLine(promised);
}

/** @throws UsageError bad-checkpoint, with the line */
export function readCheckpoint(path: string): CheckpointState {
  const states: FileStates = { done: new Map(), partly: new Map() };
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { ...states, promised: undefined };
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
    if (isFileVersion(value)) setDone(states, value);
    else if (isPartlyDone(value)) setPartlyDone(states, value);
    else if (isPromised(value)) promised = { ...value, partly: value.partly ?? [] };
    else throw notCheckpoint(path, at + 2);
  }
  return { ...states, promised: promised !== undefined && isKept(promised, states) ? undefined : promised };
}

export function setDone({ done, partly }: FileStates, [key, version]: FileVersion): void {
  done.set(key, version);
  if (partly.get(key)?.[1] === version) partly.delete(key);
}

export function setPartlyDone({ partly }: FileStates, file: PartlyDone): void {
  partly.set(file[0], file);
}

export function isKept({ files, partly }: Promised, states: FileStates): boolean {
  const isDone = ([key, version]: FileVersion) => states.done.get(key) === version;
  const isAsFar = ([key, version, , untilMs]: PartlyDone) =>
    isDone([key, version]) || untilMs <= (writtenOf(states, [key, version])?.untilMs ?? Number.NEGATIVE_INFINITY);
  return files.every(isDone) && partly.every(isAsFar);
}

/** Undefined for a file of which no window is written, or all are. */
export function writtenOf({ partly }: FileStates, [key, version]: FileVersion): WindowsWritten | undefined {
  const [, known, arrivalMs, untilMs] = partly.get(key) ?? [];
  return known === version ? { arrivalMs: arrivalMs!, untilMs: untilMs! } : undefined;
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

const isFileVersion = (value: unknown): value is FileVersion =>
  Array.isArray(value) && value.length === 2 && value.every((each) => typeof each === 'string');

const isPartlyDone = (value: unknown): value is PartlyDone =>
  Array.isArray(value) &&
  value.length === 4 &&
  isFileVersion(value.slice(0, 2)) &&
  value.slice(2).every(Number.isFinite);

function isPromised(value: unknown): value is Omit<Promised, 'partly'> & Partial<Pick<Promised, 'partly'>> {
  if (typeof value !== 'object' || value === null) return false;
  const { files, partly = [], outputs } = value as Partial<Record<keyof Promised, unknown>>;
  const areFiles = Array.isArray(files) && files.every(isFileVersion);
  const areParts = Array.isArray(partly) && partly.every(isPartlyDone);
  return areFiles && areParts && Array.isArray(outputs) && outputs.every((output) => typeof output === 'string');
}

function notCheckpoint(path: string, line: number): UsageError {
  return new UsageError('bad-checkpoint', `${path}, line ${line}: this is no checkpoint of a watched folder`, {
    option: ['checkpoint'],
  });
}
