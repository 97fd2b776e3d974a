/** What must hold of the repository as a whole, for those who install from it. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));

interface LockedPackage {
  readonly resolved?: string;
  readonly hasInstallScript?: boolean;
  readonly dependencies?: object;
  readonly optionalDependencies?: object;
}

const packages = Object.entries<LockedPackage>(lock.packages);

test('package-lock.json holds no download address', () => {
  assert.deepEqual(
    packages.filter(([, entry]) => entry.resolved !== undefined).map(([path]) => path),
    [],
  );
});

test('package-lock.json names every package that another one needs, also for other platforms: npm ci refuses it otherwise', () => {
  const paths = new Set(packages.map(([path]) => path));
  /** Where Node looks for a package: in the folder of the one that needs it, then in those around it. */
  const isThere = (from: string, name: string): boolean => {
    if (paths.has(`${from}/node_modules/${name}`.replace(/^\//, ''))) return true;
    return from !== '' && isThere(from.replace(/\/?node_modules\/(@[^/]+\/)?[^/]+$/, ''), name);
  };
  const missing = packages.flatMap(([path, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies }).filter((name) => !isThere(path, name)),
  );
  assert.deepEqual(missing, []);
});

test('no package runs a script when it is installed', () => {
  assert.deepEqual(
    packages.filter(([, entry]) => entry.hasInstallScript).map(([path]) => path),
    [],
  );
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const hook of ['preinstall', 'install', 'postinstall', 'prepare']) assert.equal(scripts[hook], undefined, hook);
});

/** What each shipped pipeline's sample stores, in pipelines/samples. */
const samples = {
  'enrich.yml': ['service.br', 'cpu.pb.gz', 'cpu.named.pb.gz'],
  'stackspace.yml': ['broker.br', 'goroutine.pb.gz'],
  'goroutines.yml': ['goroutines.txt'],
};

test('the stored sample of each pipeline takes at most 1.5 MB', () => {
  const folder = join(root, 'pipelines', 'samples');
  for (const [pipeline, names] of Object.entries(samples)) {
    const bytes = names.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
    assert.ok(bytes <= 1_500_000, `${pipeline}: ${bytes} bytes`);
  }
  const known = Object.values(samples).flat();
  const stored = readdirSync(folder).filter((name) => /\.(br|gz|txt)$/.test(name));
  assert.deepEqual(
    stored.filter((name) => !known.includes(name)),
    [],
  );
});
