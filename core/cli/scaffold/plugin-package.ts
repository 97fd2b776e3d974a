/** A package for a plugin of one's own, made of the templates: it builds and passes its tests as it is. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { PluginKind } from '../../config/catalogue.js';
import { packageFolder, packageVersion } from '../version.js';

export interface PluginPackage {
  /** In YAML: one lower-case word. */
  readonly name: string;
  /** `profpipe-plugin-NAME`, in a scope perhaps. */
  readonly packageName: string;
  readonly kind: PluginKind;
  readonly language: 'typescript' | 'javascript';
}

const templates = join(packageFolder, 'templates', 'plugin');

/** @param folder absolute, of the package to be @returns texts by path in it */
export function pluginPackage(
  { name, packageName, kind, language }: PluginPackage,
  folder: string,
): Map<string, string> {
  const source = readFileSync(join(templates, kind, 'src', 'index.ts'), 'utf8');
  const words: Readonly<Record<string, string>> = {
    NAME: name,
    PACKAGE: packageName,
    SUMMARY: sentence(/summary: '(.*)'/.exec(source)![1]!),
    HOST_VERSION: packageVersion(),
    HOST_SPEC: hostSpec(folder),
    ...ownRanges(),
  };
  const filled = (text: string) => text.replaceAll(/\b[A-Z_]{4,}\b/g, (word) => words[word] ?? word);
  const files = new Map<string, string>();
  for (const part of ['common', language, kind]) {
    for (const path of filesBelow(join(templates, part))) {
      const text = filled(readFileSync(join(templates, part, path), 'utf8'));
      // npm leaves a .gitignore out of packages.
      const target = path === 'gitignore' ? '.gitignore' : filled(path);
      if (language === 'typescript' || !path.endsWith('.ts')) files.set(target, text);
      else files.set(target.replace(/ts$/, 'js'), toJavaScript(text));
    }
  }
  return files;
}

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}

/** Without the few types that the templates write down; all others are inferred. */
function toJavaScript(text: string): string {
  return text
    .replaceAll(/^(\/\*\*.*\*\/\n)?type .*;\n\n/gm, '')
    .replaceAll(/\btype \w+, |, type \w+/g, '')
    .replaceAll(/\b(define\w+)<.*>\(/g, '$1(')
    .replaceAll(/: (number|string)(?=[,)])/g, '')
    .replaceAll(' as const', '');
}

/** What this version was built with is known to work. */
function ownRanges(): Record<string, string> {
  const { devDependencies } = readJson(join(packageFolder, 'package.json')) as {
    readonly devDependencies: Readonly<Record<string, string>>;
  };
  return { TYPESCRIPT_RANGE: devDependencies.typescript!, NODE_TYPES_RANGE: devDependencies['@types/node']! };
}

/** How the package gets profpipe: as the project does that this one is installed in; by a path from a clone. */
function hostSpec(folder: string): string {
  const modules = dirname(packageFolder);
  if (!modules.endsWith('node_modules')) return `file:${relative(folder, packageFolder)}`;
  const project = join(dirname(modules), 'package.json');
  const { dependencies, devDependencies } = (existsSync(project) ? readJson(project) : {}) as {
    readonly dependencies?: Readonly<Record<string, string>>;
    readonly devDependencies?: Readonly<Record<string, string>>;
  };
  const spec = dependencies?.profpipe ?? devDependencies?.profpipe;
  if (spec?.startsWith('file:') !== true) return spec ?? `^${packageVersion()}`;
  return `file:${relative(folder, resolve(dirname(project), spec.slice('file:'.length)))}`;
}

const readJson = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));
