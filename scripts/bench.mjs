/**
 * Runs the compiled benches of test/bench, each in a process of its own, one after the other. They measure and print; none fails for
 * being slow, but one that breaks does.
 *
 *     node scripts/bench.mjs [PART…]     only those whose name holds one of the PARTs: "pprof", "stackspace" …
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '..', 'dist', 'test', 'bench');
const parts = process.argv.slice(2);
const benches = readdirSync(folder)
  .filter((name) => name.endsWith('.bench.js'))
  .filter((name) => parts.length === 0 || parts.some((part) => name.includes(part)))
  .sort();
if (benches.length === 0) {
  process.stderr.write(`bench: none of that name in ${folder}\n`);
  process.exit(2);
}
// Each Node process would read those certificates at its start: 50 ms that say nothing about us, nor about those we compare with.
const { NODE_EXTRA_CA_CERTS: certificates, ...env } = process.env;
if (certificates !== undefined) process.stdout.write('Measured without NODE_EXTRA_CA_CERTS, which is set here.\n');
for (const name of benches) {
  process.stdout.write(`\n== ${name.replace('.bench.js', '')}\n`);
  const { status } = spawnSync(process.execPath, [join(folder, name)], { stdio: 'inherit', env });
  if (status !== 0) process.exitCode = 1;
}
