/** The files that a module is made of, as far as its text says. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** `from './a.js'`, `import './a.js'`, `import('./a.js')`, `require('./a.js')`, `new URL('./a.json', …)` */
const reference = /(?:\bfrom|\bimport|\brequire|\bURL)\s*\(?\s*(['"])(\.{1,2}\/[^'"\n]+)\1/g;

/** What `require` may leave out. */
const endings = ['', '.js', '.cjs', '.json', '/index.js'];

/**
 * A heuristic: it reads no comments and no computed names, so that it may find too much or too little. Packages are not followed.
 * @param path of a module
 * @returns it, and what it refers to by relative paths, and so on; each once
 */
export function localImports(path: string): string[] {
  const found = new Set([path]);
  for (const file of found) {
    if (!/\.[cm]?[jt]s$/.test(file)) continue;
    for (const [, , specifier] of textOf(file).matchAll(reference)) {
      const base = resolve(dirname(file), specifier!);
      const target = endings.map((ending) => base + ending).find(isFile);
      if (target !== undefined) found.add(target);
    }
  }
  return [...found];
}

function textOf(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
