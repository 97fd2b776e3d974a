/** An item that is decoded in parts: one profile again, after its stages. */
import { addProfile } from '../profile/merge/add.js';
import { finishMerge } from '../profile/merge/finish.js';
import { MergeState } from '../profile/merge/state.js';
import type { Profile } from '../profile/profile.js';

export function isInParts(decoded: Profile | AsyncIterable<Profile>): decoded is AsyncIterable<Profile> {
  return Symbol.asyncIterator in decoded;
}

/**
 * Memory is that of one part and of the stacks that differ.
 * @param stage what is done to each part before it is merged
 * @param warn is told once of captures that no stage used: they end here
 */
export async function mergeParts(
  parts: AsyncIterable<Profile>,
  stage: (part: Profile) => Promise<Profile>,
  warn: (code: string, message: string) => void,
): Promise<Profile> {
  const state = new MergeState();
  let isCaptureLost = false;
  let number = 0;
  for await (const part of parts) {
    // Inputs of a merge are ordered by time, then by digest: parts of one time keep their order.
    const digest = new Uint8Array(32);
    new DataView(digest.buffer).setUint32(0, number++);
    const staged = await stage(part);
    isCaptureLost ||= staged.samples.captures !== undefined;
    addProfile(state, staged, { uri: `part ${number}`, digest });
  }
  if (isCaptureLost)
    warn('not_unwound', 'captured stacks were not unwound: such samples have only the address they were taken at');
  return finishMerge(state).profile;
}
