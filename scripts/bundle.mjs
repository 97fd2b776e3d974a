/**
 * Puts the compiled program together in fewer files, since most of a short start is Node's finding, reading and compiling of modules:
 * `pipe run` of a small profile takes a third less with 100 files than with 400, and a third less again with the code that V8 made of them
 * kept. A module of `dist` stays where tsc wrote it, as names out of a chunk, so that the program, its tests and plugins by others have the
 * same instance of everything, and what the tests run is what is shipped.
 *
 * Packages become part of it, with their licences in `dist/chunks/LICENSES.txt`. Says nothing unless something is wrong.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { chunkNames } from './bundle/chunk-names.mjs';
import { importsOfModules } from './bundle/imports-of-modules.mjs';
import { moduleUrls } from './bundle/module-urls.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'dist');

/** Packages that Node loads from where they are installed. */
const beside = [
  // Reads a file of WebAssembly that lies beside its code.
  'iced-x86',
  // Their threads begin in files of their own.
  'pino',
  'piscina',
];

/** Processes that wait at their top level, which no script may: they stay as tsc wrote them. */
const plain = new Set(['core/cli/bin', 'core/cli/watch/examine']);

/** Where a process, a thread or somebody's import begins. */
const starts = [
  'core/cli/main',
  'core/cli/signals',
  'core/cli/load-plan',
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
    const module = path.replace(/\.ts$/, '');
    return /(?<!\.test|\.d)\.ts$/.test(path) && !plain.has(module) ? [module] : [];
  });
}

/** A module of `dist` in the words of ES modules: what its chunk exports. */
function moduleOf({ name, fileName, exports }) {
  const toDist = posix.relative(posix.dirname(name), '.') || '.';
  const loaded = `load('${posix.relative('chunks', fileName)}')`;
  const named = exports.filter((word) => word !== 'default').join(', ');
  return [
    `import { load } from '${toDist}/chunks/load.js';`,
    named === '' ? `${loaded};` : `export const { ${named} } = ${loaded};`,
    ...(exports.includes('default') ? [`export default ${loaded}.default;`] : []),
    '',
  ].join('\n');
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
  // yargs resolves what a file of settings extends; there is none.
  transform: { define: { 'import.meta.resolve': 'undefined' } },
  checks: { ineffectiveDynamicImport: false },
  plugins: [moduleUrls(root), importsOfModules()],
});
rmSync(join(dist, 'chunks'), { recursive: true, force: true });
const { output } = await bundle.write({
  dir: dist,
  format: 'cjs',
  exports: 'named',
  entryFileNames: 'chunks/[name].cjs',
  chunkFileNames: 'chunks/[name].cjs',
  sourcemap: true,
  sourcemapExcludeSources: true,
  codeSplitting: {
    includeDependenciesRecursively: false,
    groups: [{ name: chunkNames(starts.map(source)), debugName: 'by starts' }],
  },
});
await bundle.close();
copyFileSync(join(root, 'scripts', 'bundle', 'load.mjs'), join(dist, 'chunks', 'load.js'));
for (const chunk of output.filter(({ isEntry }) => isEntry)) {
  writeFileSync(join(dist, `${chunk.name}.js`), moduleOf(chunk));
  rmSync(join(dist, `${chunk.name}.js.map`), { force: true });
}
const files = output.flatMap(({ moduleIds = [] }) => moduleIds);
writeFileSync(join(dist, 'chunks', 'LICENSES.txt'), licences(files).join(`\n${'-'.repeat(80)}\n`));
// Else the next `tsc` would write only the modules that have changed since: two instances of the others.
rmSync(join(dist, '.tsbuildinfo'), { force: true });
const keeping = spawnSync(process.execPath, [join(root, 'scripts', 'bundle', 'keep-code.mjs')], { encoding: 'utf8' });
// It runs as well without, only slower.
if (keeping.status !== 0) {
  process.stderr.write(`bundle: V8's code is not kept: ${keeping.error?.message ?? keeping.stderr}\n`);
}
