/**
 * Runs the compiled tests and sees to it that they did run: `node --test` with no file, or with a file that was not compiled, is content
 * with nothing.
 *
 *     node scripts/test.mjs [--live] [PART…]     only files whose path holds one of the PARTs
 *
 * Where few files fail, they are run once more, alone: a failure that is not there then is printed as FLAKY, and does not fail the whole.
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
/** Files that fail by the load of the others, or by chance, are few: more than these are not run again. */
const MAX_BY_CHANCE = 3;

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

/** @param write gets the runner's own report @returns what failed by file: names of tests, or that none came to an end in it */
async function runFiles(paths, concurrency, write) {
  const failures = new Map();
  const ran = new Set();
  const stream = run({ files: paths, concurrency });
  stream.on('test:pass', ({ file, name }) => {
    if (name !== file) ran.add(file);
  });
  stream.on('test:fail', ({ file, name }) => {
    if (name !== file) ran.add(file);
    failures.set(file, [...(failures.get(file) ?? []), name]);
  });
  for await (const text of stream.compose(spec)) write(text);
  for (const file of paths) if (!ran.has(file)) failures.set(file, ['no test ran']);
  return failures;
}

function list(failures) {
  return [...failures].flatMap(([file, names]) => names.map((name) => `${relative(root, file)}: ${name}\n`)).join('');
}

// Many wait, for processes and servers.
let failures = await runFiles(files, availableParallelism(), (text) => process.stdout.write(text));
if (failures.size > 0 && failures.size <= MAX_BY_CHANCE) {
  const report = [];
  const again = await runFiles([...failures.keys()], 1, (text) => report.push(text));
  const flaky = new Map([...failures].filter(([file]) => !again.has(file)));
  process.stdout.write(`\nRun again, alone: ${failures.size} file(s)\n`);
  if (flaky.size > 0)
    process.stdout.write(`FLAKY, to be mended: failed at first and not when run again\n${list(flaky)}`);
  process.stdout.write(report.join(''));
  failures = again;
}
if (failures.size > 0) {
  process.stderr.write(`test: failed\n${list(failures)}`);
  process.exitCode = 1;
}
