/** The rules of ARCHITECTURE.md, "Rings", as a test: who may import whom. Reads the sources, so it needs no list of files. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

/** From dist/test up to the repository. */
const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

interface Import {
  /** Importing source, relative to the root: "core/engine/executors/pool.ts". */
  readonly from: string;
  /** Imported source, relative to the root, "node:fs", or the name of a package. */
  readonly to: string;
}

/** What everything in the engine may import from. */
const belowEngine = ['core/profile/*', 'core/formats', 'core/binary', 'core/config'];

/**
 * Rooms that a room may import from, besides itself. A room is the longest of these that a path begins with; `room/*` stands for it and
 * all rooms in it.
 */
const mayImport: { readonly [room: string]: readonly string[] } = {
  'core/formats': [],
  'core/profile': ['core/formats'],
  'core/profile/edit': ['core/profile', 'core/formats'],
  'core/profile/merge': ['core/profile', 'core/profile/edit', 'core/formats'],
  'core/profile/figures': ['core/profile', 'core/profile/edit', 'core/profile/merge', 'core/formats'],
  'core/binary': ['core/profile/*', 'core/formats'],
  'core/config': ['core/formats', 'schemas/gen'],
  'core/engine/contract': [...belowEngine],
  'core/engine/strangers': [...belowEngine, 'core/engine/contract'],
  'core/engine/plugins': [...belowEngine, 'core/engine/contract', 'core/engine/strangers'],
  'core/engine/outputs': [...belowEngine, 'core/engine/contract', 'core/engine/plugins'],
  'core/engine/tasks': [
    ...belowEngine,
    'core/engine/contract',
    'core/engine/strangers',
    'core/engine/plugins',
    'core/engine/outputs',
  ],
  'core/engine/executors': [...belowEngine, 'core/engine/contract', 'core/engine/plugins', 'core/engine/tasks'],
  'core/engine/flow': [
    ...belowEngine,
    'core/engine/contract',
    'core/engine/plugins',
    'core/engine/outputs',
    'core/engine/tasks',
  ],
  'core/engine': [...belowEngine, 'core/engine/*'],
  'core/index.ts': [...belowEngine, 'core/engine/*'],
  'core/binaries.ts': ['core/formats', 'core/binary'],
  'core/testing': [...belowEngine, 'core/engine/*'],
  'core/cli': [...belowEngine, 'core/engine/*', 'core/index.ts', 'plugins'],
  plugins: ['core/index.ts', 'core/binaries.ts', 'schemas/gen'],
  'schemas/gen': [],
};

/** The only places where a package may be imported: each serves one purpose. */
const homes: { readonly [name: string]: readonly string[] } = {
  rxjs: ['core/engine/flow/pipeline.ts'],
  piscina: ['core/engine/'],
  pako: ['core/formats/compression/'],
  fzstd: ['core/formats/compression/'],
  'node:zlib': ['core/formats/compression/'],
  'iced-x86': ['core/formats/x86/'],
  yaml: ['core/config/yaml.ts', 'core/config/yaml-edit.ts'],
  ajv: ['core/config/', 'schemas/gen/'],
  yargs: ['core/cli/help.ts'],
  'yargs-parser': ['core/cli/'],
  'cli-progress': ['core/cli/'],
  'cli-table3': ['core/cli/'],
  picocolors: ['core/cli/'],
  pino: ['core/cli/run/log.ts'],
};

/** What would make the inner rooms impure: they take bytes and give values. */
const impure = /^node:(fs|child_process|net|http|https|os|worker_threads|process|cluster|dgram|tls)(\/|$)/;

const imports = ['core', 'plugins', 'schemas/gen'].flatMap(sources).flatMap(importsOf);

function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return sources(path);
    return /\.ts$/.test(path) && !/\.(test|d)\.ts$/.test(path) ? [path] : [];
  });
}

/** Static, dynamic, type-only and side-effect imports, re-exports, modules named by `new URL('…', import.meta.url)`, resolved packages. */
function importsOf(from: string): Import[] {
  const text = withoutComments(readFileSync(join(root, from), 'utf8'));
  const specifiers = [
    ...text.matchAll(/^\s*(?:import|export)\b[^'";]*?\bfrom\s*['"]([^'"]+)['"]/gm),
    ...text.matchAll(/^\s*import\s*['"]([^'"]+)['"]/gm),
    ...text.matchAll(/\bimport\(\s*['"]([^'"]+)['"]/g),
    ...text.matchAll(/\.resolve\(\s*'((?:@[^'/]+\/)?[a-z][^'/]*\/[^']+)'\s*\)/g),
    ...text.matchAll(/\bnew URL\(\s*['"](\.[^'"]*\.js)['"]\s*,\s*import\.meta\.url/g),
  ].map((match) => match[1]!);
  return specifiers.map((specifier) => ({ from, to: resolve(from, specifier) }));
}

function withoutComments(text: string): string {
  return text.replace(/^\s*(\/\*[\s\S]*?\*\/|\/\/.*$)/gm, '');
}

function resolve(from: string, specifier: string): string {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(from), specifier).replace(/\.js$/, '.ts');
  if (specifier.startsWith('node:')) return specifier;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

function roomOf(path: string): string | undefined {
  return Object.keys(mayImport)
    .filter((room) => path === room || path.startsWith(`${room}/`))
    .sort((a, b) => b.length - a.length)[0];
}

/** Whether an entry of `mayImport` allows a room. */
function covers(allowed: string, room: string): boolean {
  const whole = allowed.replace(/\/\*$/, '');
  return room === whole || (allowed !== whole && room.startsWith(`${whole}/`));
}

/** "plugins/stages/mark" for a file in it; undefined for plugins/index.ts, which composes them. */
function pluginFolder(path: string): string | undefined {
  return /^plugins\/[^/]+\/[^/]+(?=\/)/.exec(path)?.[0];
}

function isLocal(path: string): boolean {
  return /^(core|plugins|schemas|test|scripts|proto)\//.test(path);
}

function violations(isViolation: (edge: Import) => boolean): string[] {
  return imports.filter(isViolation).map(({ from, to }) => `${from} imports ${to}`);
}

test('the scan sees the imports that it judges', () => {
  assert.ok(imports.some(({ from, to }) => from === 'core/index.ts' && to === 'core/engine/contract/plugin.ts'));
  assert.deepEqual(importsOf('core/formats/limits.ts'), [
    { from: 'core/formats/limits.ts', to: 'core/formats/errors.ts' },
  ]);
});

test('imports go inward only', () => {
  const outward = violations(({ from, to }) => {
    if (!isLocal(to)) return false;
    const room = roomOf(from)!;
    const target = roomOf(to);
    return target === undefined || (target !== room && !mayImport[room]!.some((allowed) => covers(allowed, target)));
  });
  assert.deepEqual(outward, []);
});

test('every source under core belongs to a room', () => {
  assert.deepEqual(
    sources('core').filter((path) => roomOf(path) === undefined),
    [],
  );
});

test('plugins never import each other', () => {
  const across = violations(({ from, to }) => {
    const own = pluginFolder(from);
    return own !== undefined && to.startsWith('plugins/') && pluginFolder(to) !== own;
  });
  assert.deepEqual(across, []);
});

test('only the command line imports the list of built-in plugins', () => {
  assert.deepEqual(
    violations(({ from, to }) => to === 'plugins/index.ts' && !from.startsWith('core/cli/')),
    [],
  );
});

test('packages are imported only where they serve', () => {
  const strays = violations(({ from, to }) => {
    const allowed = homes[to];
    return allowed !== undefined && !allowed.some((home) => from.startsWith(home));
  });
  assert.deepEqual(strays, []);
});

test('every runtime dependency is imported, and every imported package is one', () => {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const imported = new Set(imports.map(({ to }) => to).filter((to) => !isLocal(to) && !to.startsWith('node:')));
  assert.deepEqual([...imported].sort(), Object.keys(dependencies).sort());
});

test('profile and formats neither read files nor know of processes', () => {
  assert.deepEqual(
    violations(({ from, to }) => /^core\/(profile|formats)\//.test(from) && impure.test(to)),
    [],
  );
});

test('plugins other than sources and sinks read no files', () => {
  assert.deepEqual(
    violations(({ from, to }) => /^plugins\/(codecs|stages)\//.test(from) && impure.test(to)),
    [],
  );
});
