/** This program's version, and where the files are that it ships. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Folder of package.json; this file is dist/core/cli/version.js in it. */
export const packageFolder = fileURLToPath(new URL('../../..', import.meta.url));

export function packageVersion(): string {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
