/**
 * Puts the compiled program together in fewer files, since most of a short start is Node's finding and reading of modules: `pipe run` of a
 * small profile takes a third less with 100 files than with 400. A module of `dist` stays where tsc wrote it, as names out of a chunk, so that
 * the program, its tests and plugins by others have the same instance of everything, and what the tests run is what is shipped.
 *
 * Packages become part of it, with their licences in `dist/chunks/LICENSES.txt`. Says nothing unless something is wrong.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { chunkNames } from './bundle/chunk-names.mjs';
import { moduleUrls } from './bundle/module-urls.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'dist');

/** Packages that Node loads from where they are installed. */
const beside = [
  // Each reads a file of WebAssembly that lies beside its code.
  'gecko-profiler-demangle',
  'iced-x86',
  // Their threads begin in files of their own.
  'pino',
  'piscina',
];

/** Where a process, a thread or somebody's import begins. */
const starts = [
  'core/cli/bin',
  'core/cli/watch/examine',
  'core/engine/executors/worker',
  'core/engine/executors/child',
  'core/index',
  'core/binaries',
  'core/testing/index',
  'core/testing/worker-plugins',
  'plugins/index',
];

/** Modules of the program, as paths relative to the root, without `.ts`. */
function modulesIn(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return modulesIn(path);
    return /(?<!\.test|\.d)\.ts$/.test(path) ? [path.replace(/\.ts$/, '')] : [];
  });
}

/** Licences of the packages that files come from, each once. */
function licences(files) {
  const packages = new Set(
    files.map((file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]).filter(Boolean),
  );
  return [...packages].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file === undefined ? '' : `\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
    return `${name} ${version}: ${license}\n${text}`;
  });
}

const source = (module) => join(root, `${module}.ts`);
const modules = ['core', 'plugins', 'schemas/gen'].flatMap(modulesIn);
const bundle = await rolldown({
  cwd: root,
  platform: 'node',
  input: Object.fromEntries(modules.map((module) => [module, source(module)])),
  external: (id) => id.startsWith('node:') || beside.some((name) => `${id}/`.startsWith(`${name}/`)),
  resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
  preserveEntrySignatures: 'allow-extension',
  checks: { ineffectiveDynamicImport: false },
  plugins: [moduleUrls(root)],
});
rmSync(join(dist, 'chunks'), { recursive: true, force: true });
const { output } = await bundle.write({
  dir: dist,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name].js',
  sourcemap: true,
  sourcemapExcludeSources: true,
  codeSplitting: {
    includeDependenciesRecursively: false,
    groups: [{ name: chunkNames(starts.map(source)), debugName: 'by starts' }],
  },
});
await bundle.close();
const files = output.flatMap(({ moduleIds = [] }) => moduleIds);
writeFileSync(join(dist, 'chunks', 'LICENSES.txt'), licences(files).join(`\n${'-'.repeat(80)}\n`));
// Else the next `tsc` would write only the modules that have changed since: two instances of the others.
rmSync(join(dist, '.tsbuildinfo'), { force: true });
