/**
 * `profpipe/testing`: tests of a plugin, for node:test.
 *
 *     import { testPlugin } from 'profpipe/testing';
 *     testPlugin(plugin, { cases: new URL('../cases/', import.meta.url), module: new URL('./index.js', import.meta.url) });
 */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { schemaProblems } from '../config/validate.js';
import { pluginProblems } from '../engine/contract/check-plugin.js';
import type { Plugin } from '../engine/contract/plugin.js';
import { runCase } from './cases.js';

export { profileOfStacks, stacksOfProfile } from '../profile/edit/stacks.js';
export { type ProfileFeatures, randomProfile } from './random-profile.js';

export interface PluginTests {
  /**
   * Folder with a folder for each case: `options.json` where the defaults do not do, and
   * - of a stage `input.txt` and `expected.txt`, in the form of `profileOfStacks`;
   * - of an aggregate the same, and more inputs as `input-1.txt`, `input-2.txt` …;
   * - of a codec `input.EXT` and `expected.txt` to decode, `input.txt` and `expected.EXT` to encode;
   * - of a source `expected.txt`, a line an item: `NAME URI 12 bytes`, `NAME URI file` or `NAME URI error MESSAGE`;
   * - of a sink `input-….EXT`, its items, and `expected.txt`, a line an item: `DESTINATION 12 bytes`.
   *
   * Relative paths in options start from the case's folder, a sink's from an empty one.
   * With `UPDATE=1` in the environment what is expected is written instead of compared.
   */
  readonly cases?: URL;
  /** The module that the plugin is the default export of: cases of stages and aggregates are run in worker threads too, as in a run. */
  readonly module?: URL;
}

/**
 * Registers tests: that the plugin keeps the contract, and each case. More comes for free:
 * - a stage does not change its input, gives a valid profile, and the same one again; for random profiles too;
 * - order and grouping of an aggregate's inputs do not show, and partials survive `encode` and `decode`;
 * - of an input that is cut off or changed a codec makes a profile or a FormatError; it does not change what it encodes;
 * - a source gives the same items again, and what it said of them holds;
 * - a sink writes where it says, all bytes.
 */
export function testPlugin(plugin: Plugin, { cases, module }: PluginTests = {}): void {
  describe(`${plugin.kind} ${plugin.name}`, () => {
    test('keeps the contract of plugins', async () => {
      assert.deepEqual(await pluginProblems(plugin), []);
      assert.deepEqual(await schemaProblems(plugin.schema), []);
    });
    const folder = cases === undefined ? undefined : fileURLToPath(cases);
    for (const name of folder === undefined ? [] : readdirSync(folder).sort()) {
      test(name, () => runCase(plugin, join(folder!, name), module));
    }
  });
}
