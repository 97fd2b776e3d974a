/** The README of a plugin: what its author says, beside what its schema says. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CatalogueEntry } from '../config/catalogue.js';
import { packageFolder } from './version.js';

/** @returns its lines; undefined when there is none: a module that is in no package, a package without a README */
export function readmeOf({ kind, name, origin }: CatalogueEntry): string[] | undefined {
  const folder =
    origin === 'built-in'
      ? join(packageFolder, 'plugins', kind === 'aggregate' ? 'stages' : `${kind}s`, name)
      : packageOf(dirname(fileURLToPath(origin)));
  const path = folder === undefined ? undefined : join(folder, 'README.md');
  if (path === undefined || !existsSync(path)) return undefined;
  return readFileSync(path, 'utf8').trimEnd().split('\n');
}

/** The nearest folder from here upwards that has a package.json. */
function packageOf(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, 'package.json'))) return at;
    if (at === dirname(at)) return undefined;
  }
}
