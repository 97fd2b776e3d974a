/**
 * Makes a bare clone ready to run, with nothing but Node and npm: dependencies, compiled code, unpacked samples. Does only what is not
 * done yet, so that `npm start` pays a few milliseconds for it. Says what it does on stderr; stdout belongs to what runs after it.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unpackSamples } from './unpack-samples.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const stamp = join(root, 'dist', '.built');

function run(title, command, args) {
  process.stderr.write(`${title}\n`);
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

/** Runs npm by the very file that runs this script, where npm says which: `npm` is a batch file on Windows. */
function npm(title, ...args) {
  const cli = process.env.npm_execpath;
  if (cli?.endsWith('.js')) run(title, process.execPath, [cli, ...args]);
  else run(title, 'npm', args);
}

/**
 * Whether node_modules holds the versions that package-lock.json asks for, by the list that npm keeps of what it installed. A link
 * (a second work tree) is another clone's business: npm would empty the folder behind it.
 */
function installed() {
  const folder = join(root, 'node_modules');
  if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()) return true;
  const list = join(folder, '.package-lock.json');
  if (!existsSync(list)) return false;
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  const present = JSON.parse(readFileSync(list, 'utf8')).packages;
  return Object.entries(wanted).every(
    ([path, { version, optional }]) => path === '' || optional || present[path]?.version === version,
  );
}

/** Time of the newest file under a path, in ms. */
function newest(path) {
  const { mtimeMs } = statSync(path);
  if (!statSync(path).isDirectory()) return mtimeMs;
  return readdirSync(path).reduce((latest, entry) => Math.max(latest, newest(join(path, entry))), mtimeMs);
}

/** Whether dist was compiled from the sources as they are: folders count too, their times tell of files that went away. */
function built() {
  if (!existsSync(stamp)) return false;
  const { include } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'));
  const sources = [...include, 'tsconfig.json', 'package.json', 'package-lock.json']
    .map((entry) => join(root, entry))
    .filter(existsSync);
  return Math.max(...sources.map(newest)) < statSync(stamp).mtimeMs;
}

if (!installed()) npm('profpipe: installing dependencies (npm ci)', 'ci', '--include=dev', '--ignore-scripts');
unpackSamples(join(root, 'pipelines', 'samples'));
if (!built()) {
  const started = new Date();
  run('profpipe: compiling (tsc)', process.execPath, [
    join(root, 'node_modules', 'typescript', 'bin', 'tsc'),
    '-p',
    root,
  ]);
  run('profpipe: bundling', process.execPath, [join(root, 'scripts', 'bundle.mjs')]);
  writeFileSync(stamp, '');
  utimesSync(stamp, started, started);
}
