#!/usr/bin/env node
/** The command `pipe`. What must be quick or first happens here; everything else is loaded behind it. */
import { ExitCode } from './exit-codes.js';
import { listenForSignals } from './signals.js';
import { packageVersion } from './version.js';

/** Node's own exit code for a promise that nothing will settle any more. */
const UNSETTLED = 13;
/** What is still under way so long after the end of the call is nothing of ours: a timer or a connection of a plugin. */
const LEFT_BEHIND_MS = 1_000;

const fail = (what: string) => {
  process.stderr.write(`pipe: ${what}\nThis is a bug in profpipe; please report it.\n`);
  process.exitCode = ExitCode.internal;
};
process.on('uncaughtException', (error) => {
  fail(error.stack ?? String(error));
  process.exit();
});
process.on('exit', (code) => {
  if (code === UNSETTLED) fail('ended before it was done');
});

const interruption = listenForSignals();
const args = process.argv.slice(2);
if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  process.stdout.write(`${packageVersion()}\n`);
} else {
  const { main } = await import('./main.js');
  const exitCode = await main(args, interruption);
  process.exitCode ??= exitCode;
  // Not at once: what was written to a pipe just before may be lost by that.
  const look = () => process.stdout.writableLength + process.stderr.writableLength === 0 && process.exit();
  setInterval(look, LEFT_BEHIND_MS).unref();
}
