/** The module that a package folder stands for, as `import` would find it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Conditions of `exports` that `import` meets in Node. */
const conditions = new Set(['import', 'node', 'node-addons', 'module-sync', 'default']);

interface PackageJson {
  readonly exports?: unknown;
  readonly main?: unknown;
}

/**
 * Source: nodejs.org/api/packages.html, "Package entry points"; subpaths are not looked at.
 * @returns absolute path; undefined for a folder without package.json and index.js, and when the file is not there (not built yet)
 */
export function packageEntry(folder: string): string | undefined {
  const manifest = readManifest(folder);
  const candidates = [entryOfExports(manifest?.exports), manifest?.main, 'index.js', 'index.cjs'];
  const relative = candidates.find((path): path is string => typeof path === 'string');
  const path = relative === undefined ? undefined : join(folder, relative);
  return path !== undefined && existsSync(path) ? path : undefined;
}

function readManifest(folder: string): PackageJson | undefined {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return typeof manifest === 'object' && manifest !== null ? manifest : undefined;
  } catch {
    return undefined;
  }
}

/** `"./x.js"`, `{ ".": … }`, `{ "import": …, "default": … }` and conditions below conditions; the first that holds wins. */
function entryOfExports(exported: unknown): string | undefined {
  let at = exported;
  while (typeof at === 'object' && at !== null) {
    const chosen: [string, unknown] | undefined = Object.entries(at).find(
      ([key]) => key === '.' || key === '0' || conditions.has(key),
    );
    at = chosen?.[1];
  }
  return typeof at === 'string' ? at : undefined;
}
