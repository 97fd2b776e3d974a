/**
 * Plugins that a folder brings along, for `pipe list`, `explain` and `schema`: the installed packages that are called
 * profpipe-plugin-…, what the folder's pipelines name under `plugins:`, and the folder itself where it is such a package.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Findings } from '../config/finding.js';
import { packageEntry } from '../config/package-entry.js';
import { readPipelineFile } from '../config/pipeline-file.js';
import { yamlLimits } from '../config/yaml.js';
import type { Registry } from '../engine/plugins/registry.js';
import type { Output } from './output.js';
import { loadPlugins } from './plugins.js';

/** The built-ins and the plugins of a folder. A module that does not load is left out, with a warning. */
export async function loadFolderPlugins(folder: string, err?: Output): Promise<Registry> {
  return loadPlugins(findModules(folder), (_module, { message }) => {
    err?.line({ text: 'warning ', style: 'yellow' }, message);
  });
}

/** file: URLs, each once. */
function findModules(folder: string): string[] {
  const packages = [folder, ...installedPackages(join(folder, 'node_modules'))]
    .filter(isPluginPackage)
    .map(packageEntry)
    .filter((path) => path !== undefined);
  return [...new Set([...packages.map((path) => pathToFileURL(path).href), ...modulesOfPipelines(folder)])];
}

function installedPackages(modules: string): string[] {
  return entriesOf(modules).flatMap((name) =>
    name.startsWith('@')
      ? entriesOf(join(modules, name)).map((scoped) => join(modules, name, scoped))
      : [join(modules, name)],
  );
}

/** By the name in its package.json: `profpipe-plugin-x`, `@acme/profpipe-plugin-x`. */
function isPluginPackage(folder: string): boolean {
  try {
    const { name } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { readonly name?: unknown };
    return typeof name === 'string' && /^(@[^/]+\/)?profpipe-plugin-/.test(name);
  } catch {
    return false;
  }
}

/** Files that are no pipelines, cannot be read or have findings are passed over: `pipe lint` is for those. */
function modulesOfPipelines(folder: string): string[] {
  const files = entriesOf(folder).filter((name) => /\.ya?ml$/.test(name) && !name.includes('.test.'));
  return files.flatMap((file) => {
    const bytes = bytesOf(join(folder, file));
    if (bytes === undefined) return [];
    const pipeline = readPipelineFile({ file, bytes, base: folder }, folder, new Findings());
    return pipeline?.pluginModules.map(({ url }) => url) ?? [];
  });
}

/** Undefined for what is no regular file, larger than a pipeline may be, or not for us to read. */
function bytesOf(path: string): Uint8Array | undefined {
  try {
    const file = statSync(path);
    return file.isFile() && file.size <= yamlLimits.bytes ? readFileSync(path) : undefined;
  } catch {
    return undefined;
  }
}

/** [] for a folder that is not there, or not for us to read. */
function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
