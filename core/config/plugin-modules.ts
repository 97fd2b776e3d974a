/** `plugins:` of a pipeline -> module URLs. Only files: a URL or a `node:` module is refused, whatever it would load. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Findings } from './finding.js';
import type { MapNode, ScalarNode } from './tree.js';

/** @returns absolute file: URLs, in order; what cannot be found is a finding. Entries that are no strings are the schema's to refuse */
export function resolvePluginModules(root: MapNode, findings: Findings): string[] {
  const list = root.entries.get('plugins')?.value;
  if (list?.kind !== 'list') return [];
  return list.items.flatMap((item) => {
    if (item.kind !== 'scalar' || typeof item.value !== 'string') return [];
    const url = resolveModule(item.value, item, findings);
    return url === undefined ? [] : [url];
  });
}

function resolveModule(specifier: string, { place, base }: ScalarNode, findings: Findings): string | undefined {
  if (/^[a-z][a-z0-9+.-]*:/i.test(specifier)) {
    findings.add(place, 'plugin-module', `"${specifier}" is a URL; plugins come from a path or an npm package`);
    return undefined;
  }
  const isPath = /^(\.{1,2}(\/|$)|\/)/.test(specifier);
  if (isPath) {
    const path = resolve(base, specifier);
    if (existsSync(path)) return pathToFileURL(path).href;
    findings.add(place, 'plugin-module', `no file ${path}`);
    return undefined;
  }
  try {
    return pathToFileURL(createRequire(join(base, 'pipeline.yml')).resolve(specifier)).href;
  } catch {
    const hint = existsSync(resolve(base, specifier)) ? `; for the file write "./${specifier}"` : '';
    findings.add(place, 'plugin-module', `no package "${specifier}" is installed for ${base}${hint}`);
    return undefined;
  }
}
