/** `isolation: process`: what a plugin is kept from, and that its process is all that it can end. */
import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import type { RunSummary } from '../../core/engine/contract/telemetry.js';
import { pipe, root } from '../helpers/pipe.js';
import { temporaryFolder } from '../helpers/temporary.js';

const hostile = join(root, 'test', 'hostile');
const plugin = (path: string) => JSON.stringify(join(hostile, path));

/** What each act costs. */
const costs: Readonly<Record<string, RegExp>> = {
  writes: /^E_PLUGIN_THREW .*(ERR_ACCESS_DENIED|restricted)/,
  removes: /^E_PLUGIN_THREW .*(ERR_ACCESS_DENIED|restricted)/,
  spawns: /^E_PLUGIN_THREW .*(ERR_ACCESS_DENIED|restricted)/,
  threads: /^E_PLUGIN_THREW .*(ERR_ACCESS_DENIED|restricted)/,
  'really-exits': /^E_WORKER_DIED the process ended with exit code 0/,
  blocks: /^E_TIMEOUT no end within 5 s/,
  'fills-heap': /^E_WORKER_OOM|^E_TIMEOUT/,
  'closes-its-port': /^E_WORKER_DIED|^E_TIMEOUT/,
  'changes-array': /^E_PLUGIN_TAMPERED/,
};

for (const barrier of ['', ', aggregate: {}']) {
  test(`in processes of their own, plugins stay in their place${barrier === '' ? '' : ', before an aggregate'}`, (t) => {
    const folder = temporaryFolder(t);
    mkdirSync(join(folder, 'in'));
    for (const name of [...Object.keys(costs), 'a', 'b', 'c']) {
      copyFileSync(join(root, 'pipelines', 'samples', 'goroutine.pb.gz'), join(folder, 'in', `${name}.pb.gz`));
    }
    const animals = ['blocks', 'fills-heap', 'closes-its-port', 'changes-array'];
    const modules = ['kinds/wanderer.mjs', ...animals.map((name) => `zoo/${name}.mjs`)];
    const lines = [
      `plugins: [${modules.map(plugin).join(', ')}]`,
      'input: { file: { paths: ["in/*.pb.gz"] } }',
      'isolation: process',
      'timeout: 5s',
      'limits: { threadHeapBytes: 134217728 }',
      `stages: [${['wanderer', ...animals].map((name) => `{ ${name}: {} }`).join(', ')}${barrier === '' ? '' : ', { aggregate: {} }'}]`,
      `output: [file: { path: "out/${barrier === '' ? '{name}' : 'all'}.pb.gz" }]`,
    ];
    writeFileSync(join(folder, 'p.yml'), lines.join('\n'));
    const { stdout, exitCode, stderr } = pipe(['run', 'p.yml', '--json', '--workers', '2'], {
      cwd: folder,
      timeout: 240_000,
    });
    assert.equal(exitCode, 20, stderr);
    const { failures, inputs } = JSON.parse(stdout) as RunSummary;
    const paid = failures.map(({ uri }) => basename(uri, '.pb.gz'));
    assert.deepEqual(paid.sort(), Object.keys(costs).sort());
    for (const { uri, code, message, plugin: name } of failures) {
      const item = basename(uri, '.pb.gz');
      assert.match(`${code} ${message}`, costs[item]!);
      assert.equal(name, animals.includes(item) ? item : 'wanderer');
    }
    assert.equal(inputs.delivered, 3);
    assert.equal(existsSync(join(hostile, 'kinds', 'wandered.txt')), false);
  });
}
