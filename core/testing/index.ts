/**
 * `profpipe/testing`: tests of a plugin, for node:test.
 *
 *     import { testPlugin } from 'profpipe/testing';
 *     testPlugin(plugin, { cases: new URL('../cases/', import.meta.url) });
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { schemaProblems } from '../config/validate.js';
import { pluginProblems } from '../engine/check-plugin.js';
import type { Plugin } from '../engine/plugin.js';
import { profileOfStacks } from '../profile/stacks.js';
import { runAggregate } from './aggregate.js';
import { optionsOf } from './context.js';
import { runStage } from './stage.js';

export { profileOfStacks, stacksOfProfile } from '../profile/stacks.js';

export interface PluginTests {
  /**
   * Folder with a folder for each case of a stage or an aggregate: `input.txt` (an aggregate takes several: `input-1.txt`,
   * `input-2.txt` …) and `expected.txt`, in the form of `profileOfStacks`, and `options.json` where the defaults do not do.
   * With `UPDATE=1` in the environment `expected.txt` is written instead of compared.
   */
  readonly cases?: URL;
}

/**
 * Registers tests: that the plugin keeps the contract, and each case. For a stage also that it does not change its input, gives a
 * valid profile, and the same one again; for an aggregate that order and grouping of its inputs do not show, and that partials
 * survive `encode` and `decode`.
 */
export function testPlugin(plugin: Plugin, { cases }: PluginTests = {}): void {
  describe(`${plugin.kind} ${plugin.name}`, () => {
    test('keeps the contract of plugins', async () => {
      assert.deepEqual(await pluginProblems(plugin), []);
      assert.deepEqual(schemaProblems(plugin.schema), []);
    });
    const folder = cases === undefined ? undefined : fileURLToPath(cases);
    for (const name of folder === undefined ? [] : readdirSync(folder).sort()) {
      test(name, () => runCase(plugin, join(folder!, name)));
    }
  });
}

async function runCase(plugin: Plugin, folder: string): Promise<void> {
  const files = readdirSync(folder);
  const inputs = files
    .filter((file) => /^input(-.+)?\.txt$/.test(file))
    .sort()
    .map((file) => profileOfStacks(readFileSync(join(folder, file), 'utf8')));
  assert.ok(inputs.length > 0, `${folder} has no input.txt`);
  const given = files.includes('options.json') ? JSON.parse(readFileSync(join(folder, 'options.json'), 'utf8')) : {};
  const options = optionsOf(plugin, given);
  const output = await outputOf(plugin, options, inputs);
  const expected = join(folder, 'expected.txt');
  if (process.env.UPDATE === '1') writeFileSync(expected, output);
  // As lists, so that the difference is told line by line.
  else assert.deepEqual(output.split('\n'), readFileSync(expected, 'utf8').split('\n'));
}

/** The text of what comes out. */
function outputOf(plugin: Plugin, options: unknown, inputs: Parameters<typeof runAggregate>[2]): Promise<string> {
  if (plugin.kind === 'stage') {
    assert.equal(inputs.length, 1, 'a stage takes one input.txt');
    return runStage(plugin, options, inputs[0]!);
  }
  if (plugin.kind === 'aggregate') return runAggregate(plugin, options, inputs);
  throw new Error(`a ${plugin.kind} has no cases; test its functions by themselves`);
}
