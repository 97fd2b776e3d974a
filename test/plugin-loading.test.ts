/** Third-party plugins as a user meets them: found, refused with file and reason, listed, explained, in the editors' schema. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pluginProblems } from '../core/engine/contract/check-plugin.js';
import { API_VERSION } from '../core/index.js';
import { builtins } from '../plugins/index.js';
import { pipe, root } from './helpers/pipe.js';
import { temporaryFolder } from './helpers/temporary.js';

const bin = join(root, 'dist', 'core', 'cli', 'bin.js');

const stage = (fields = '') => `{
  kind: 'stage', name: 'noop', version: '1.2.3', api: '^1.0.0', summary: 'does nothing',
  schema: { type: 'object', additionalProperties: false, properties: { depth: { type: 'integer', default: 1 } } },
  create: () => ({ process: (profile) => profile }),
  ${fields}
}`;

const pipeline = (plugins: string, stages = '') =>
  `plugins: [${plugins}]\ninput: { stdin: {} }\nstages: [${stages}]\noutput: [stdout: {}]\n`;

/** A folder with these files. */
function folderOf(t: TestContext, files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder(t);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** Findings of a pipeline that names these plugins, the folder's path taken out. */
function lint(t: TestContext, files: Readonly<Record<string, string>>, plugins: string, stages?: string): string[] {
  const folder = folderOf(t, { ...files, 'p.yml': pipeline(plugins, stages) });
  const { stdout, stderr } = pipe(['lint', 'p.yml'], { cwd: folder });
  assert.equal(stderr, '');
  return stdout.replaceAll(folder, '').trimEnd().split('\n').filter(Boolean);
}

test('the built-ins pass the test that third parties have to pass', async () => {
  for (const plugin of builtins) assert.deepEqual(await pluginProblems(plugin), [], plugin.name);
});

const shapes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  './p.mjs': { 'p.mjs': `export default ${stage()}` },
  './p.cjs': { 'p.cjs': `module.exports = ${stage()}` },
  './compiled.cjs': {
    'compiled.cjs': `Object.defineProperty(exports, '__esModule', { value: true }); exports.default = ${stage()}`,
  },
  './list.mjs': { 'list.mjs': `export default [${stage()}, ${stage("name: 'other'")}]` },
  './folder': {
    'folder/package.json': '{ "type": "module", "exports": { ".": { "import": "./main.js" } } }',
    'folder/main.js': `export default ${stage()}`,
  },
  'profpipe-plugin-noop': {
    'node_modules/profpipe-plugin-noop/package.json': '{ "name": "profpipe-plugin-noop", "main": "main.js" }',
    'node_modules/profpipe-plugin-noop/main.js': `module.exports = ${stage()}`,
  },
  '"@acme/profpipe-plugin-noop"': {
    'node_modules/@acme/profpipe-plugin-noop/package.json':
      '{ "name": "@acme/profpipe-plugin-noop", "type": "module", "exports": { "import": "./main.js" } }',
    'node_modules/@acme/profpipe-plugin-noop/main.js': `export default ${stage()}`,
  },
};

for (const [specifier, files] of Object.entries(shapes)) {
  test(`${specifier} is a plugin`, (t) => {
    assert.deepEqual(lint(t, files, specifier, 'noop: { depth: 2 }'), []);
    assert.match(lint(t, files, specifier, 'noop: { dept: 2 }')[0]!, /unknown-option .* did you mean "depth"/);
  });
}

test('a plugin is looked for from the pipeline, then from the current folder', (t) => {
  const folder = folderOf(t, {
    'pipelines/p.yml': pipeline('./near.mjs, ./far.mjs', 'near: {}, far: {}'),
    'pipelines/near.mjs': `export default ${stage("name: 'near'")}`,
    'near.mjs': 'throw new Error("not this one")',
    'far.mjs': `export default ${stage("name: 'far'")}`,
  });
  assert.deepEqual(pipe(['lint', 'pipelines/p.yml'], { cwd: folder }).stdout, '');
});

/** What is wrong with a module, as the only finding there. */
const refused: readonly [name: string, module: string, finding: RegExp][] = [
  [
    'a throw',
    'const a = 1;\nthrow new Error("no luck")',
    /plugin-load .*m\.mjs does not load: Error: no luck \(file:.*:2:7\)$/,
  ],
  ['a syntax error', 'export default {;', /plugin-load .*SyntaxError: Unexpected token ';'$/],
  ['a rejection', 'await Promise.reject(new TypeError("later"))', /plugin-load .*: TypeError: later/],
  ['a missing import', 'import "./gone.mjs"', /plugin-load .*Cannot find module '\/gone\.mjs'/],
  ['no default export', 'export const plugin = 1', /plugin-malformed .*default export: is no plugin/],
  ['an empty list', 'export default []', /plugin-malformed .*its default export is empty/],
  ['a wrong kind', `export default ${stage("kind: 'filter'")}`, /kind is "filter", not one of source, codec/],
  [
    'a missing schema',
    `export default ${stage('schema: undefined')}`,
    /schema \(JSON Schema of its options\) is missing/,
  ],
  ['a lax schema', `export default ${stage("schema: { type: 'object' }")}`, /additionalProperties is not false/],
  [
    'a schema that is none',
    `export default ${stage("schema: { type: 'object', additionalProperties: false, properties: { a: { type: 'text' } } }")}`,
    /plugin-schema stage "noop" of .*schema\/properties\/a\/type: must be equal to one of the allowed values \(array, boolean/,
  ],
  [
    'a schema of an unknown draft',
    `export default ${stage("schema: { $schema: 'http://x.org/y', type: 'object', additionalProperties: false }")}`,
    /plugin-schema .*schema\/\$schema: "http:\/\/x\.org\/y" is not supported; use "https:\/\/json-schema\.org/,
  ],
  [
    'an api that does not match',
    `export default ${stage("api: '^2.0.0'")}`,
    new RegExp(`it was made for plugin API \\^2\\.0\\.0, this profpipe has ${API_VERSION.replaceAll('.', '\\.')}`),
  ],
  ['an api that is no range', `export default ${stage("api: 'latest'")}`, /api is "latest", which is no semver range/],
  [
    'all at once',
    'export default { kind: "stage" }',
    /name is undefined.*version is missing.*create is no function.*api/,
  ],
  ['a getter that throws', 'export default { get kind() { throw new Error("boo") } }', /reading it throws: Error: boo/],
  [
    "a built-in's name",
    `export default ${stage("name: 'mark'")}`,
    /plugin-name-twice .*stage "mark": built-in and file:/,
  ],
  [
    'a name twice',
    `export default [${stage()}, ${stage()}]`,
    /plugin-name-twice .*two plugins are called stage "noop"/,
  ],
  [
    'a codec without endings',
    `export default ${stage("kind: 'codec', decodes: true, encodes: true")}`,
    /extensions is undefined/,
  ],
];

for (const [name, module, finding] of refused) {
  test(`${name} is a finding where the plugin is named`, (t) => {
    const found = lint(
      t,
      { 'm.mjs': module, 'good.mjs': `export default ${stage("name: 'good'")}` },
      './good.mjs, ./m.mjs',
    );
    assert.equal(found.length, 1, found.join('\n'));
    assert.match(found[0]!, /^p\.yml:1:23 /);
    assert.match(found[0]!, finding);
  });
}

test('all plugins that are wrong are named, each in its place', (t) => {
  const found = lint(t, { 'a.mjs': 'throw 1', 'b.mjs': '' }, './a.mjs, ./b.mjs, ./gone.mjs, none, http://x/y, ./a.mjs');
  assert.deepEqual(
    found.map((line) => line.split(' ', 2).join(' ')),
    [
      'p.yml:1:11 plugin-load',
      'p.yml:1:20 plugin-malformed',
      'p.yml:1:29 plugin-module',
      'p.yml:1:41 plugin-module',
      'p.yml:1:47 plugin-module',
      'p.yml:1:59 plugin-module',
    ],
  );
});

test('a plugin that ends the process while it is loaded is named', (t) => {
  const [found] = lint(t, { 'm.mjs': 'process.exit(0)' }, './m.mjs');
  const expected = /plugin \/m\.mjs does not load: .*called process\.exit\(0\) \(file:.*m\.mjs:1:9\)/;
  assert.match(found!, expected);
});

test('a signal while a plugin is loaded ends the call, and the plugin is not blamed', async (t) => {
  const slow = `import { writeFileSync } from 'node:fs';
writeFileSync('begun', '');
await new Promise((resolve) => setTimeout(resolve, 600_000));
`;
  const folder = folderOf(t, { 'm.mjs': slow, 'p.yml': pipeline('./m.mjs') });
  const child = spawn(process.execPath, [bin, 'lint', 'p.yml'], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (text) => {
    said += text;
  });
  const ended = once(child, 'close');
  while (!existsSync(join(folder, 'begun')) && child.exitCode === null) await sleep(20);
  child.kill('SIGINT');
  assert.deepEqual(await ended, [130, null], said);
  assert.equal(said, '');
});

test('TypeScript gets an error that says how, where Node does not run it', (t) => {
  const found = lint(t, { 'm.ts': `export default ${stage()}` }, './m.ts');
  const runsTypes = (process.features as { typescript?: unknown }).typescript;
  if (runsTypes) assert.deepEqual(found, []);
  else assert.match(found[0]!, /plugin-typescript .*compile it \(npx tsc\) and name the \.js file/);
});

test("list, explain and schema know the folder's plugins", (t) => {
  const folder = folderOf(t, {
    'p.yml': pipeline('./m.mjs'),
    'm.mjs': `export default ${stage()}`,
    'node_modules/profpipe-plugin-far/package.json': '{ "name": "profpipe-plugin-far", "main": "main.js" }',
    'node_modules/profpipe-plugin-far/main.js': `module.exports = ${stage("name: 'far'")}`,
    'node_modules/profpipe-plugin-far/README.md': '# far\n\nGoes far.\n',
    'node_modules/profpipe-plugin-bad/package.json': '{ "name": "profpipe-plugin-bad", "main": "main.js" }',
    'node_modules/profpipe-plugin-bad/main.js': 'throw new Error("bad day")',
  });
  const list = pipe(['list'], { cwd: folder });
  assert.match(list.stdout, /^stage +noop +1\.2\.3 +m\.mjs +does nothing$/m);
  assert.match(list.stdout, /^stage +far +1\.2\.3 +node_modules\/profpipe-plugin-far\/main\.js/m);
  assert.match(list.stdout, /^stage +mark +1\.0\.0 +built-in/m);
  assert.match(list.stderr, /warning plugin .*profpipe-plugin-bad.*bad day/);
  const { stdout: explained } = pipe(['explain', 'far'], { cwd: folder });
  assert.match(explained, /depth +integer +default: 1[\s\S]*- far: \{\}[\s\S]*Goes far\./);
  assert.match(pipe(['explain', 'mark'], { cwd: folder }).stdout, /\*\*Guarantees\.\*\*/);
  const bundle = JSON.parse(pipe(['schema'], { cwd: folder }).stdout);
  assert.ok('far' in bundle.$defs.stage.properties && 'mark' in bundle.$defs.stage.properties);
  assert.equal(bundle.$defs['stages.noop'].properties.depth.anyOf[0].type, 'integer');
});
