/** Where a pipeline's file is: as named, else among the shipped ones. */
import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { suggestion } from '../config/nearest.js';
import type { YamlFile } from '../config/yaml.js';
import { yamlLimits } from '../config/yaml.js';
import { ExitCode } from './exit-codes.js';
import { readInput } from './files.js';
import { CallProblem } from './verb.js';
import { packageFolder } from './version.js';

const shippedFolder = join(packageFolder, 'pipelines');

/** Names of the shipped pipelines: "enrich.yml". */
export function shippedPipelines(): string[] {
  if (!existsSync(shippedFolder)) return [];
  return readdirSync(shippedFolder)
    .filter((name) => name.endsWith('.yml') && !name.endsWith('.test.yml'))
    .sort();
}

/**
 * @param name a path, `-` for stdin (relative paths in it start from the current folder), or the name of a shipped pipeline with or
 *   without `.yml`
 * @throws CallProblem
 */
export async function openPipeline(name: string, currentFolder: string): Promise<YamlFile> {
  const read = (path: string) => readInput(path, yamlLimits.bytes, ExitCode.usage);
  if (name === '-') return { file: '-', bytes: await read('-'), base: currentFolder };
  const path = resolve(currentFolder, name);
  if (existsSync(path)) return { file: name, bytes: await read(path), base: dirname(path) };
  const shipped = shippedPipelines();
  const found =
    basename(name) === name ? shipped.find((other) => other === name || other === `${name}.yml`) : undefined;
  if (found === undefined) {
    throw new CallProblem(
      'ENOENT',
      `${name}: no such file, nor a shipped pipeline${suggestion(name, shipped)}`,
      ExitCode.usage,
    );
  }
  return { file: found, bytes: await read(join(shippedFolder, found)), base: shippedFolder };
}
