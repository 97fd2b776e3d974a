/** What comes for free with each case of a stage. */
import assert from 'node:assert/strict';
import type { StagePlugin } from '../engine/contract/plugin.js';
import { assertProfile } from '../engine/strangers/profile-shape.js';
import { stacksOfProfile } from '../profile/edit/stacks.js';
import { profileText } from '../profile/figures/text.js';
import type { Profile } from '../profile/profile.js';
import { testCreateContext, testItemContext } from './context.js';
import { randomProfile } from './random-profile.js';

/** @returns the text of its output @throws AssertionError when it changes its input, or gives another profile the second time */
export async function runStage(plugin: StagePlugin<any, any>, options: unknown, input: Profile): Promise<string> {
  return stacksOfProfile(await processTwice(plugin, options, input));
}

/** Inputs of all shapes: small ones first, so that what fails is easy to look at. */
const RANDOM_INPUTS = 60;

/** The same laws on random profiles. A stage may refuse them, by a throw. @throws AssertionError that has the profile as text */
export async function checkRandomInputs(plugin: StagePlugin<any, any>, options: unknown): Promise<void> {
  for (let seed = 0; seed < RANDOM_INPUTS; seed++) {
    const size = Math.ceil(seed / 3);
    try {
      await processTwice(plugin, options, randomProfile(seed, size));
    } catch (error) {
      if (!(error instanceof assert.AssertionError)) continue;
      const text = [...profileText(randomProfile(seed, size))].join('\n');
      assert.fail(`with randomProfile(${seed}, ${size}): ${error.message}\n${text}`);
    }
  }
}

async function processTwice(plugin: StagePlugin<any, any>, options: unknown, input: Profile): Promise<Profile> {
  const before = structuredClone(input);
  const outputs: Profile[] = [];
  for (let run = 0; run < 2; run++) {
    const stage = await plugin.create(options, testCreateContext());
    const output = await stage.process(input, testItemContext());
    await stage.close?.();
    assertValid(output);
    assert.deepEqual(input, before, 'the stage changed its input');
    outputs.push(output);
  }
  assert.deepEqual([...profileText(outputs[1]!)], [...profileText(outputs[0]!)], 'the second run gave another profile');
  return outputs[0]!;
}

/** As a failed law, which the plugin's own refusals are not. @throws AssertionError */
function assertValid(output: unknown): void {
  try {
    assertProfile(output);
  } catch (error) {
    assert.fail((error as Error).message);
  }
}
