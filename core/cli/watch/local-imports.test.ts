import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { localImports } from './local-imports.js';

function folderOf(t: TestContext, files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'profpipe-imports-'));
  t.after(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'lib'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

test('a module and all that it refers to by relative paths, in circles too; packages and what is not there are left out', (t) => {
  const folder = folderOf(t, {
    'plugin.mjs': `import { a } from './lib/a.js'; import 'profpipe'; const late = () => import("./lib/late.mjs");
      export { b } from './lib'; const schema = new URL('./options.schema.json', import.meta.url); import './gone.js';`,
    'lib/a.js': "import '../plugin.mjs'; const c = require('./c');",
    'lib/c.cjs': "module.exports = require ( './data.json' )",
    'lib/data.json': '{ "from": "./not-a-module.js" }',
    'lib/index.js': '',
    'lib/late.mjs': '',
    'lib/not-a-module.js': '',
    'options.schema.json': '{}',
  });
  const names = localImports(join(folder, 'plugin.mjs')).map((path) => path.slice(folder.length + 1));
  const wanted = [
    'lib/a.js',
    'lib/c.cjs',
    'lib/data.json',
    'lib/index.js',
    'lib/late.mjs',
    'options.schema.json',
    'plugin.mjs',
  ];
  assert.deepEqual(names.sort(), wanted);
});

test('a module that is not there is itself: it may come back', () => {
  assert.deepEqual(localImports('/gone/plugin.js'), ['/gone/plugin.js']);
});
