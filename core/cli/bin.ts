#!/usr/bin/env node
/** The command `pipe`. What must be quick or first happens here; everything else is loaded behind it. */
import { listenForSignals } from './signals.js';
import { packageVersion } from './version.js';

const interruption = listenForSignals();
const args = process.argv.slice(2);
if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  process.stdout.write(`${packageVersion()}\n`);
} else {
  const { main } = await import('./main.js');
  const exitCode = await main(args, interruption);
  // Not process.exit: what was written to a pipe just before may be lost by that.
  process.exitCode ??= exitCode;
}
