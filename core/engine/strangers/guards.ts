/**
 * Calls of plugins by third parties. What such a call starts (timers, promises) is known to be the plugin's own as long as it lives, by
 * Node's AsyncLocalStorage: so process.exit is refused to it and not to the engine, what it prints on stdout goes to stderr, and an
 * error that it throws outside of the call is laid at its door.
 *
 * This keeps accidents from spreading, and is no wall against malice: a plugin has all that Node has. `isolation: process` is for that.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { ItemError } from '../contract/errors.js';
import type { PluginRef } from '../contract/places.js';
import { restoreIntrinsics } from './intrinsics.js';

interface StrangerCall {
  readonly owner: PluginRef;
  isOver: boolean;
  /** Ends the call with an error, if it is not over. */
  readonly fail: (error: unknown) => void;
}

/** Takes an error that a plugin throws when the call that caused it is over already. */
export type LateErrors = (owner: PluginRef, error: unknown) => void;

const calls = new AsyncLocalStorage<StrangerCall>();
const running = new Set<StrangerCall>();
let takeLateError: LateErrors = ({ name }, error) => {
  process.stderr.write(`pipe: plugin ${name} threw outside of its call: ${error}\n`);
};
let isInstalled = false;

/** @throws what `work` throws, or what the plugin throws meanwhile in timers and promises of its own; ItemError E_PLUGIN_TAMPERED */
export async function callStranger<T>(owner: PluginRef, work: () => T | Promise<T>): Promise<T> {
  let fail: (error: unknown) => void = () => {};
  const strayed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  strayed.catch(() => {});
  const call: StrangerCall = { owner, isOver: false, fail };
  running.add(call);
  try {
    const result = calls.run(call, async () => work());
    // What was changed before the first `await` would be in the way of the next line.
    refuseTampering();
    return await Promise.race([result, strayed]);
  } finally {
    call.isOver = true;
    running.delete(call);
    refuseTampering();
  }
}

/** The same for a function of the contract that gives its result at once. */
export function callStrangerNow<T>(owner: PluginRef, work: () => T): T {
  const call: StrangerCall = { owner, isOver: false, fail: () => {} };
  try {
    return calls.run(call, work);
  } finally {
    call.isOver = true;
    refuseTampering();
  }
}

function refuseTampering(): void {
  const changed = restoreIntrinsics();
  if (changed === undefined) return;
  throw new ItemError('E_PLUGIN_TAMPERED', `changed ${changed}, which all code of the thread shares; it was put back`);
}

/** Replaces who is told of them: stderr, to begin with. */
export function onLateErrors(listener: LateErrors): void {
  takeLateError = listener;
}

/** Puts the guards in place, in this thread, once. They stand in front of functions of `process` and let the engine's own calls pass. */
export function installGuards(): void {
  if (isInstalled) return;
  isInstalled = true;
  const { exit, abort, kill } = process;
  process.exit = (...args) => {
    refuse(`process.exit(${args[0] ?? ''})`, process.exit);
    // Undefined is a code too, the same as 0.
    return exit(...args);
  };
  process.abort = () => {
    refuse('process.abort()', process.abort);
    return abort.call(process);
  };
  process.kill = (pid, signal) => {
    if (pid === process.pid || pid <= 0) refuse(`process.kill(${pid})`, process.kill);
    return kill.call(process, pid, signal);
  };
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = ((...args: Parameters<typeof write>) =>
    calls.getStore() === undefined ? write(...args) : process.stderr.write(...args)) as typeof write;
  const others = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', (error, origin) => {
    if (blame(error)) return;
    // Without another listener Node would have ended this thread.
    if (others.length === 0) throw error;
    for (const listener of others) listener.call(process, error, origin);
  });
}

/** @param above the stack of the error begins above it: at the plugin */
function refuse(what: string, above: (...args: never[]) => unknown): void {
  if (calls.getStore() === undefined) return;
  const error = new ItemError('E_PLUGIN_EXIT', `called ${what}`);
  Error.captureStackTrace(error, above);
  throw error;
}

/** @returns whether the error is a plugin's: of the call whose timer or promise threw it, or of the only one that runs */
function blame(error: unknown): boolean {
  const [only] = running.size === 1 ? running : [];
  const call = calls.getStore() ?? only;
  if (call === undefined) return false;
  if (call.isOver) takeLateError(call.owner, error);
  else call.fail(error);
  return true;
}
