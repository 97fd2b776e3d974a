/**
 * SIGINT, SIGTERM and a reader of stdout that leaves. Set up before anything else is loaded: a signal that comes while modules load
 * would otherwise end the process by itself.
 */
import { ExitCode } from './exit-codes.js';

export interface Interruption {
  /** From now on signals drain: the first aborts `drain` (its reason is the signal's name), the second `stop`. Before, they exit. */
  takeOver(): { readonly drain: AbortSignal; readonly stop: AbortSignal };
}

export interface Listening extends Interruption {
  /** As it was before; for a process that goes on to another call. */
  stop(): void;
}

export function listenForSignals(): Listening {
  const drain = new AbortController();
  const stop = new AbortController();
  let isTakenOver = false;
  const onSignal = (signal: 'SIGINT' | 'SIGTERM') => {
    if (!isTakenOver) process.exit(signal === 'SIGINT' ? ExitCode.interrupted : ExitCode.terminated);
    if (drain.signal.aborted) stop.abort(signal);
    else drain.abort(signal);
  };
  const onLostReader = (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') process.stderr.write(`pipe: cannot write to stdout: ${error.code ?? error.message}\n`);
    // A run that writes to stdout sees the error itself, and still has files to finish.
    process.exitCode = ExitCode.stopped;
    if (!isTakenOver) process.exit();
  };
  const onLostLog = () => {};
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  process.stdout.on('error', onLostReader);
  process.stderr.on('error', onLostLog);
  return {
    takeOver() {
      isTakenOver = true;
      return { drain: drain.signal, stop: stop.signal };
    },
    stop() {
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
      process.stdout.off('error', onLostReader);
      process.stderr.off('error', onLostLog);
    },
  };
}
