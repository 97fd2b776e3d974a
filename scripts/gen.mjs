#!/usr/bin/env node
/**
 * `npm run gen`: writes schemas/gen from the plugins' options.schema.json and from schemas/pipeline.schema.json
 * and pipeline-test.schema.json.
 * `npm run gen -- --check` writes nothing and exits 1 when a file there is stale, missing or left over.
 * Plain JavaScript, since the sources that it writes must be there before anything can be compiled.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundlePipelineSchema } from './gen/bundle.mjs';
import { generateModule } from './gen/module.mjs';
import { readPluginSchemas } from './gen/plugins.mjs';
import { constantName, generateConstant, generateOptions } from './gen/types.mjs';
import { generateMetaValidator, generateValidators } from './gen/validators.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = join(root, 'schemas', 'gen');

/** Generated files: path below schemas/gen -> text. */
async function generate() {
  const plugins = readPluginSchemas(root);
  const pipeline = JSON.parse(readFileSync(join(root, 'schemas', 'pipeline.schema.json'), 'utf8'));
  const files = new Map();
  for (const plugin of plugins) files.set(join('options', `${plugin.module}.ts`), await generateOptions(plugin));
  files.set('pipeline.ts', generateConstant('schemas/pipeline.schema.json', 'pipeline', pipeline));
  const pipelineTest = JSON.parse(readFileSync(join(root, 'schemas', 'pipeline-test.schema.json'), 'utf8'));
  files.set('pipeline-test.ts', generateConstant('schemas/pipeline-test.schema.json', 'pipeline-test', pipelineTest));
  const schemas = [
    { module: 'pipeline', constant: constantName('pipeline'), schema: pipeline },
    ...plugins.map(({ module, schema }) => ({ module: `options/${module}`, constant: constantName(module), schema })),
  ];
  files.set('validators.ts', generateValidators(schemas));
  files.set('meta-schema.ts', generateMetaValidator());
  files.set('bundle.ts', generateModule('bundle', readFileSync(join(root, 'scripts', 'gen', 'bundle.mjs'), 'utf8')));
  files.set('pipeline.schema.json', `${JSON.stringify(bundlePipelineSchema(pipeline, plugins), null, 2)}\n`);
  return files;
}

const files = await generate();
const present = existsSync(target)
  ? readdirSync(target, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(target.length + 1))
  : [];
const stale = [...files].filter(
  ([path, text]) => !present.includes(path) || readFileSync(join(target, path), 'utf8') !== text,
);
const leftOver = present.filter((path) => !files.has(path));

if (process.argv.includes('--check')) {
  for (const [path] of stale) console.error(`schemas/gen/${path}: stale; run \`npm run gen\``);
  for (const path of leftOver) console.error(`schemas/gen/${path}: no plugin generates it; run \`npm run gen\``);
  process.exitCode = stale.length + leftOver.length === 0 ? 0 : 1;
} else {
  for (const [path, text] of stale) {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    writeFileSync(join(target, path), text);
  }
  for (const path of leftOver) rmSync(join(target, path));
  console.log(`schemas/gen: ${files.size} files, ${stale.length} written, ${leftOver.length} removed`);
}
