/**
 * `pipe run --watch`: a process for each run, since Node never loads a module twice. Files are looked at every so often: that works on
 * every file system, and a stat of a thousand files takes a few milliseconds.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { UsageError } from '../../engine/contract/errors.js';
import { ExitCode } from '../exit-codes.js';
import { reporterFor } from '../run/reporter.js';
import type { Call } from '../verb.js';
import type { Examined } from './examine.js';

const LOOK_MS = 300;

const examineEntry = fileURLToPath(new URL('./examine.js', import.meta.url));
const binEntry = fileURLToPath(new URL('../bin.js', import.meta.url));

/** By path: what tells one content from another; undefined where nothing is. */
type State = ReadonlyMap<string, string | undefined>;

/**
 * Runs the pipeline, and again whenever what it depends on changes and nothing is wrong with it, until a signal ends it.
 * @throws UsageError when it can never run: there is no such pipeline, or it reads standard input
 */
export async function superviseRuns(call: Call): Promise<number> {
  const { drain } = call.interruption.takeOver();
  const reporter = await reporterFor(call);
  const runs = new Runs(call.words);
  let files: readonly string[] = [];
  let ran: State | undefined;
  while (!drain.aborted) {
    const before = stateOf(files);
    const examined = await examine(call);
    if (files.length === 0) refuseHopeless(examined, call.argument('pipeline'));
    if (examined.files.length > 0) files = examined.files;
    // What changed during the look may not have been seen by it.
    const seen: State = new Map(files.map((path) => [path, before.has(path) ? before.get(path) : stateAt(path)]));
    if (isWrong(examined)) {
      reporter.refused(examined.findings);
      if (examined.problem !== undefined) reporter.warn(examined.problem);
      reporter.note(runs.isRunning ? 'the change is not taken over: the run goes on as it was' : 'not run');
    } else if (ran === undefined || firstChange(withoutFolders(ran), withoutFolders(seen)) !== undefined) {
      ran = seen;
      await runs.next(() => reporter.note(`waits for changes of ${files.length} files and folders`));
    }
    const path = await nextChange(files, seen, drain);
    if (path !== undefined) reporter.note(`${basename(path)}${path.endsWith('/') ? '/' : ''} has changed`);
  }
  await runs.end();
  return ExitCode.ok;
}

function refuseHopeless({ readsStdin, files, problem }: Examined, pipeline: string): void {
  if (pipeline === '-' || readsStdin) throw new UsageError('usage', '--watch: standard input can be read only once');
  if (files.length === 0 && problem !== undefined) throw new UsageError('usage', problem);
}

const isWrong = ({ findings, problem }: Examined) => findings.length > 0 || problem !== undefined;

/** One run at a time. */
class Runs {
  readonly #args: readonly string[];
  #child: ChildProcess | undefined;

  /** @param words of the call that began it */
  constructor(words: readonly string[]) {
    this.#args = words.filter((word) => word !== '--watch');
  }

  get isRunning(): boolean {
    return this.#child !== undefined;
  }

  /** Ends the run before, then starts one. @param onEnd is called when that ends by itself */
  async next(onEnd: () => void): Promise<void> {
    await this.end();
    // In a group of its own: a terminal's Ctrl-C is ours to pass on, once.
    const child = spawn(process.execPath, [...process.execArgv, binEntry, ...this.#args], {
      stdio: ['ignore', 'inherit', 'inherit'],
      detached: true,
    });
    this.#child = child;
    child.once('close', () => {
      if (this.#child !== child) return;
      this.#child = undefined;
      onEnd();
    });
  }

  /** What is under way is finished; a source without an end comes to its end. */
  async end(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const closed = once(child, 'close');
    child.kill('SIGTERM');
    await closed;
  }
}

async function examine(call: Call): Promise<Examined> {
  const child = fork(examineEntry, [call.argument('pipeline'), ...call.texts('set')], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    detached: true,
  });
  let examined: Examined | undefined;
  child.on('message', (message) => {
    examined = message as Examined;
  });
  await once(child, 'close');
  if (examined === undefined) {
    const problem = 'the look at the pipeline was ended, by a plugin most likely';
    return { findings: [], problem, files: [], readsStdin: false, secrets: [] };
  }
  call.out.mask(examined.secrets);
  call.err.mask(examined.secrets);
  return examined;
}

/** @returns the path that changed, once it has stayed the same for a while; undefined when a signal came */
async function nextChange(files: readonly string[], seen: State, drain: AbortSignal): Promise<string | undefined> {
  for (let before = seen; ; ) {
    await setTimeout(LOOK_MS, undefined, { signal: drain }).catch(() => {});
    if (drain.aborted) return undefined;
    const now = stateOf(files);
    const path = firstChange(seen, now);
    if (path !== undefined && firstChange(before, now) === undefined) return path;
    before = now;
  }
}

function stateOf(paths: readonly string[]): State {
  return new Map(paths.map((path) => [path, stateAt(path)]));
}

function stateAt(path: string): string | undefined {
  try {
    const { size, mtimeMs, ino } = statSync(path);
    return path.endsWith('/') ? `${mtimeMs}` : `${size} ${mtimeMs} ${ino}`;
  } catch {
    return undefined;
  }
}

function firstChange(before: State, now: State): string | undefined {
  const paths = new Set([...before.keys(), ...now.keys()]);
  return [...paths].find((path) => before.get(path) !== now.get(path));
}

/** Something came into a folder that is none of the pipeline's inputs: an output, mostly. */
const withoutFolders = (state: State): State => new Map([...state].filter(([path]) => !path.endsWith('/')));
