/**
 * `npm start`: the embedded sample before, the shipped pipeline over it, the result. Prints the commands, each of which can be typed as it
 * is; runs them in this process, since starting Node takes longer than what they do.
 */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import './setup.mjs';

const { main } = await import('../dist/core/cli/main.js');
const { listenForSignals } = await import('../dist/core/cli/signals.js');

const commands = [
  ['profile', 'top', 'pipelines/samples/cpu.pb.gz', '--limit', '12'],
  ['run', 'enrich.yml'],
  ['profile', 'top', 'out/enriched.pb.gz', '--limit', '12'],
];

process.chdir(join(dirname(fileURLToPath(import.meta.url)), '..'));
for (const command of commands) {
  process.stdout.write(`\n$ pipe ${command.join(' ')}\n`);
  const listening = listenForSignals();
  const exitCode = await main(command, listening);
  listening.stop();
  process.exitCode ||= exitCode;
  if (process.exitCode !== 0) break;
}
