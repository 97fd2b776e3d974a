/** `npm start`: the embedded sample before, the shipped pipeline over it, the result. Prints the commands, each of which can be typed as it is. */
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

const commands = [
  ['profile', 'top', 'pipelines/samples/cpu.pb.gz', '--limit', '12'],
  ['run', 'enrich.yml'],
  ['profile', 'top', 'out/enriched.pb.gz', '--limit', '12'],
];

for (const command of commands) {
  process.stdout.write(`\n$ pipe ${command.join(' ')}\n`);
  const bin = join('dist', 'core', 'cli', 'bin.js');
  const { status, error } = spawnSync(process.execPath, [bin, ...command], { cwd: root, stdio: 'inherit' });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
