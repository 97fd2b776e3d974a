/** What a run depends on: the files whose change makes it worth running again. */
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import picomatch from 'picomatch';
import { isFolder } from '../../binary/folder.js';
import type { PluginKind } from '../../config/catalogue.js';
import type { PlacedUse } from '../../config/option-checks.js';
import { findPaths, type PathFormat } from '../../config/paths.js';
import type { PipelineFile } from '../../config/pipeline-file.js';
import type { Plan } from '../../config/plan.js';
import { mainContext, makeSource } from '../../engine/flow/source-of-plan.js';
import { loadPlugins } from '../plugins.js';
import { localImports } from './local-imports.js';

/** Of more inputs only the folders are looked at. */
const MOST_INPUTS = 10_000;

/** The pipeline, its plugins with what they import, and what options name. Some may not be there; folders end with a slash. */
export function filesOfPipeline({ base, file, pluginModules }: PipelineFile, uses: readonly PlacedUse[]): string[] {
  const modules = pluginModules.map(({ url }) => fileURLToPath(url));
  const options = uses.flatMap(({ entry, options: given }) =>
    findPaths(entry.schema, given)
      .filter(({ format }) => isRead(entry.kind, format))
      .map(({ steps }) => textAt(given, steps)),
  );
  return [join(base, basename(file)), ...modules.flatMap(localImports), ...options.map(watchable)];
}

/** What a sink names is written, and what a source names without that it must be there may be its memory. */
function isRead(kind: PluginKind, format: PathFormat): boolean {
  if (format === 'existing-path' || format === 'path-glob') return true;
  return format === 'path' && kind !== 'source' && kind !== 'sink';
}

/** Whether its source finds its inputs by globs: others may have a lock on what they read, or no inputs yet. */
export function hasInputFiles(uses: readonly PlacedUse[]): boolean {
  return uses.some(
    ({ entry, options }) =>
      entry.kind === 'source' && findPaths(entry.schema, options).some(({ format }) => format === 'path-glob'),
  );
}

/** Whether its source reads standard input, by its own name or by that of a file. */
export function takesStdin({ source }: Plan): boolean {
  const { paths } = source.options as { readonly paths?: readonly string[] };
  return source.plugin === 'stdin' || (source.plugin === 'file' && paths?.includes('-') === true);
}

/** Its inputs and their folders (with a slash at the end), as the source finds them now. @throws UsageError as a run does that cannot start */
export async function inputsOf(plan: Plan): Promise<string[]> {
  const registry = await loadPlugins(plan.pluginModules);
  const { signal } = new AbortController();
  const source = await makeSource(plan, registry, await mainContext(plan, registry, signal));
  const files: string[] = [];
  try {
    for await (const item of source.items()) {
      if (files.length === MOST_INPUTS) break;
      if ('data' in item && 'path' in item.data) files.push(Buffer.from(item.data.path as string).toString());
    }
  } finally {
    await source.close?.();
  }
  return [...files, ...new Set(files.map((file) => `${dirname(file)}/`))];
}

function textAt(value: unknown, steps: readonly string[]): string {
  return String(steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], value));
}

/** Of a glob, the deepest folder that is certain. */
function watchable(path: string): string {
  const certain = existsSync(path) ? path : picomatch.scan(path, { unescape: true }).base;
  return isFolder(certain) && !certain.endsWith('/') ? `${certain}/` : certain;
}
