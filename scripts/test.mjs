/**
 * Runs the compiled tests and sees to it that they did run: `node --test` with no file, or with a file that was not compiled, is content
 * with nothing.
 *
 *     node scripts/test.mjs [--live] [PART…]     only files whose path holds one of the PARTs
 *
 * `--live` runs test/live, which wants go, gcc, perf …; without it everything else runs, which wants only Node.
 */
import { existsSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const live = process.argv.includes('--live');
const parts = process.argv.slice(2).filter((argument) => argument !== '--live');

/** Sources of tests, as paths relative to the root. */
function testSources(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return testSources(path);
    return entry.name.endsWith('.test.ts') ? [path] : [];
  });
}

function stop(message) {
  process.stderr.write(`test: ${message}\n`);
  process.exit(1);
}

const sources = ['core', 'plugins', 'test']
  .flatMap(testSources)
  .filter((path) => path.startsWith('test/live/') === live)
  .filter((path) => parts.length === 0 || parts.some((part) => path.includes(part)))
  .sort();
const files = sources.map((path) => join(root, 'dist', path.replace(/\.ts$/, '.js')));
const missing = files.filter((file) => !existsSync(file));
if (files.length === 0) stop('no test file');
if (missing.length > 0) stop(`not compiled: ${missing.map((file) => relative(root, file)).join(', ')}`);

/** Files in which a test, not the file as a whole, came to an end. */
const ran = new Set();
// Many wait, for processes and servers.
const stream = run({ files, concurrency: availableParallelism() });
for (const event of ['test:pass', 'test:fail']) {
  stream.on(event, ({ file, name }) => {
    if (file !== undefined && name !== file) ran.add(file);
  });
}
stream.on('test:fail', () => {
  process.exitCode = 1;
});
stream.on('end', () => {
  const idle = files.filter((file) => !ran.has(file));
  if (idle.length === 0) return;
  process.exitCode = 1;
  process.stderr.write(`test: no test ran in ${idle.map((file) => relative(root, file)).join(', ')}\n`);
});
stream.compose(spec).pipe(process.stdout);
