/** Folders with cases of a plugin. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { itemName } from '../engine/contract/item-name.js';
import type { AggregatePlugin, CodecPlugin, Plugin, StagePlugin } from '../engine/contract/plugin.js';
import { profileOfStacks } from '../profile/edit/stacks.js';
import { runAggregate } from './aggregate.js';
import { runDecoder, runEncoder } from './codec.js';
import { optionsOf } from './context.js';
import { runInWorkers } from './in-worker.js';
import { runSink } from './sink.js';
import { runSource } from './source.js';
import { checkRandomInputs, runStage } from './stage.js';

/** One case, read. */
interface Case {
  readonly folder: string;
  /** Text of options.json; `{}` where there is none. */
  readonly options: string;
  /** Names of `input.EXT`, `input-1.EXT` …, in order. */
  readonly inputs: readonly string[];
}

/** @param module of the plugin; without it nothing is run in workers @throws AssertionError */
export async function runCase(plugin: Plugin, folder: string, module: URL | undefined): Promise<void> {
  const files = readdirSync(folder).sort();
  const options = files.includes('options.json') ? readFileSync(join(folder, 'options.json'), 'utf8') : '{}';
  const given: Case = { folder, options, inputs: files.filter((file) => /^input(-.+)?\.[^.]+$/.test(file)) };
  if (plugin.kind === 'source') {
    const made = await optionsOf(plugin, options, folder);
    compare(join(folder, 'expected.txt'), await runSource(plugin, made, folder));
    return;
  }
  assert.ok(given.inputs.length > 0, `${folder} has no input.txt`);
  switch (plugin.kind) {
    case 'sink':
      return inNewFolder(async (target) => {
        const inputs = given.inputs.map((name) => ({ name: itemName(name), bytes: readFileSync(join(folder, name)) }));
        const made = await optionsOf(plugin, options, target);
        compare(join(folder, 'expected.txt'), await runSink(plugin, made, inputs, target));
      });
    case 'codec':
      return runCodecCase(plugin, given, files);
    default:
      return runProfileCase(plugin, given, module);
  }
}

async function runProfileCase(
  plugin: StagePlugin<any, any> | AggregatePlugin<any, any>,
  { folder, options, inputs }: Case,
  module: URL | undefined,
): Promise<void> {
  const made = await optionsOf(plugin, options, folder);
  const texts = inputs.map((name) => readFileSync(join(folder, name), 'utf8'));
  const profiles = texts.map(profileOfStacks);
  let output: string;
  if (plugin.kind === 'stage') {
    assert.equal(profiles.length, 1, 'a stage takes one input.txt');
    output = await runStage(plugin, made, profiles[0]!);
    await checkRandomInputs(plugin, made);
  } else output = await runAggregate(plugin, made, profiles);
  compare(join(folder, 'expected.txt'), output);
  if (module === undefined) return;
  assert.equal(await runInWorkers(module, plugin, made, texts), output, 'in a worker it gives another profile');
}

/** `input.txt` is stacks to encode, another `input` is bytes to decode. */
async function runCodecCase(plugin: CodecPlugin<any>, { folder, options, inputs }: Case, files: readonly string[]) {
  assert.equal(inputs.length, 1, 'a codec takes one input');
  const [name] = inputs as [string];
  const made = await optionsOf(plugin, options, folder);
  const bytes = readFileSync(join(folder, name));
  if (extname(name) !== '.txt') {
    compare(join(folder, 'expected.txt'), await runDecoder(plugin, made, bytes));
    return;
  }
  const expected = files.find((file) => file.startsWith('expected.')) ?? `expected${plugin.extensions[0]}`;
  compare(join(folder, expected), await runEncoder(plugin, made, profileOfStacks(bytes.toString('utf8'))));
}

/** With UPDATE=1 in the environment the file is written instead. */
function compare(path: string, result: string | Uint8Array): void {
  const actual = Buffer.from(result as Uint8Array);
  if (process.env.UPDATE === '1') {
    writeFileSync(path, actual);
    return;
  }
  assert.ok(existsSync(path), `${path} is not there; UPDATE=1 writes it`);
  const expected = readFileSync(path);
  const isText = Buffer.from(actual.toString()).equals(actual);
  if (!isText) assert.ok(expected.equals(actual), `other bytes than in ${path}`);
  // As lists, so that the difference is told line by line.
  else assert.deepEqual(actual.toString().split('\n'), expected.toString().split('\n'));
}

async function inNewFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'profpipe-case-'));
  try {
    await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
