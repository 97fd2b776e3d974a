/** `plugins:` of a pipeline -> module URLs. Only files: a URL or a `node:` module is refused, whatever it would load. */
import { existsSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Findings } from './finding.js';
import { packageEntry } from './package-entry.js';
import type { MapNode, Place, ScalarNode } from './tree.js';

/** One entry of `plugins:`. */
export interface PluginModule {
  /** Absolute file: URL. */
  readonly url: string;
  /** Where it is written, for what loading it finds. */
  readonly place: Place;
}

/**
 * Looked for from the pipeline's folder, then from the current one.
 * @returns in order; what cannot be found is a finding. Entries that are no strings are the schema's to refuse
 */
export function resolvePluginModules(root: MapNode, currentFolder: string, findings: Findings): PluginModule[] {
  const list = root.entries.get('plugins')?.value;
  if (list?.kind !== 'list') return [];
  const modules = new Map<string, PluginModule>();
  for (const item of list.items) {
    if (item.kind !== 'scalar' || typeof item.value !== 'string') continue;
    const path = resolveModule(item.value, item, [...new Set([item.base, currentFolder])], findings);
    if (path === undefined) continue;
    const url = pathToFileURL(path).href;
    if (modules.has(url)) findings.add(item.place, 'plugin-module', `"${item.value}" is listed twice: ${path}`);
    else modules.set(url, { url, place: item.place });
  }
  return [...modules.values()];
}

function resolveModule(
  specifier: string,
  { place }: ScalarNode,
  folders: readonly string[],
  findings: Findings,
): string | undefined {
  const wrong = (code: string, message: string) => {
    findings.add(place, code, message);
    return undefined;
  };
  if (/^[a-z][a-z0-9+.-]*:/i.test(specifier)) {
    return wrong('plugin-module', `"${specifier}" is a URL; plugins come from a path or an npm package`);
  }
  const isPath = /^(\.{1,2}(\/|$)|\/)/.test(specifier);
  if (!isPath) {
    const path = folders.map((folder) => packagePath(specifier, folder)).find((found) => found !== undefined);
    if (path !== undefined) return path;
    const isFile = folders.some((folder) => existsSync(resolve(folder, specifier)));
    const hint = isFile ? `; for the file write "./${specifier}"` : '';
    return wrong('plugin-module', `no package "${specifier}" is installed for ${folders.join(' or ')}${hint}`);
  }
  const candidates = [...new Set(folders.map((folder) => resolve(folder, specifier)))];
  const path = candidates.find((candidate) => existsSync(candidate));
  if (path === undefined) return wrong('plugin-module', `no file ${candidates.join(' nor ')}`);
  if (/\.[mc]?ts$/.test(path) && !stripsTypes()) {
    return wrong(
      'plugin-typescript',
      `${path} is TypeScript, which Node ${process.versions.node} does not run: compile it (npx tsc) and name the .js file, ` +
        'or use Node 22.18 or later',
    );
  }
  if (!statSync(path).isDirectory()) return path;
  const entry = packageEntry(path);
  return entry ?? wrong('plugin-module', `the folder ${path} has no module: its package.json names none that is there`);
}

/** Whether this Node runs TypeScript as it is; the types of Node 20 do not know of it. */
function stripsTypes(): boolean {
  const { typescript } = process.features as { readonly typescript?: unknown };
  return typescript === 'strip' || typescript === 'transform';
}

/** Of an installed package, seen from a folder. */
function packagePath(specifier: string, folder: string): string | undefined {
  const from = createRequire(join(folder, 'pipeline.yml'));
  try {
    return from.resolve(specifier);
  } catch (error) {
    // A package for `import` alone is one that `require` finds and does not enter.
    if ((error as { code?: unknown }).code !== 'ERR_PACKAGE_PATH_NOT_EXPORTED') return undefined;
    const homes = (from.resolve.paths(specifier) ?? []).map((modules) => join(modules, specifier));
    const home = homes.find((path) => existsSync(join(path, 'package.json')));
    return home === undefined ? undefined : packageEntry(home);
  }
}
