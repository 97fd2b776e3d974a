/** The options schemas of the built-in plugins, as they lie in plugins/<folder>/<name>/options.schema.json. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a folder's plugins add to the name of their options: a source and a sink may share one name ("file"). */
const nameSuffix = { sources: '-source', codecs: '', stages: '', sinks: '-sink' };

/**
 * @returns {{ folder: string, name: string, module: string, schema: object }[]} sorted by folder and name; `module` is the base
 *   name of the generated file: `mark`, `pprof`, `file-source`
 */
export function readPluginSchemas(root) {
  const found = [];
  for (const folder of Object.keys(nameSuffix).sort()) {
    const directory = join(root, 'plugins', folder);
    if (!existsSync(directory)) continue;
    for (const name of readdirSync(directory).sort()) {
      const path = join(directory, name, 'options.schema.json');
      if (!existsSync(path)) continue;
      found.push({ folder, name, module: name + nameSuffix[folder], schema: readSchema(path) });
    }
  }
  const modules = found.map((plugin) => plugin.module);
  const twice = modules.find((module, index) => modules.indexOf(module) !== index);
  if (twice !== undefined) throw new Error(`two plugins would both generate ${twice}.ts`);
  return found;
}

function readSchema(path) {
  let schema;
  try {
    schema = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new Error(`${path}: ${error.message}`, { cause: error });
  }
  if (schema.type !== 'object' || schema.additionalProperties !== false) {
    throw new Error(`${path}: an options schema is of type object and has additionalProperties false`);
  }
  if (!/^[A-Z][A-Za-z0-9]*$/.test(schema.title ?? '')) throw new Error(`${path}: title must be a PascalCase type name`);
  return schema;
}
