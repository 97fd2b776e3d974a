/** What comes for free with each case of a stage. */
import assert from 'node:assert/strict';
import type { StagePlugin } from '../engine/plugin.js';
import { assertProfile } from '../engine/strangers/profile-shape.js';
import type { Profile } from '../profile/profile.js';
import { stacksOfProfile } from '../profile/stacks.js';
import { testCreateContext, testItemContext } from './context.js';

/** @returns the text of its output @throws AssertionError when it changes its input, or gives another profile the second time */
export async function runStage(plugin: StagePlugin<any, any>, options: unknown, input: Profile): Promise<string> {
  const before = structuredClone(input);
  const outputs: string[] = [];
  for (let run = 0; run < 2; run++) {
    const stage = await plugin.create(options, testCreateContext());
    const report = (value: unknown) => void structuredClone(value);
    const output = await stage.process(input, { ...testItemContext(), report });
    await stage.close?.();
    assertProfile(output);
    assert.deepEqual(input, before, 'the stage changed its input');
    outputs.push(stacksOfProfile(output));
  }
  assert.equal(outputs[1], outputs[0], 'the second run gave another profile');
  return outputs[0]!;
}
