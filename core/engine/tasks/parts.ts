/** An item that is decoded in parts: one profile again, after the stages that need its captures. */
import { addProfile } from '../../profile/merge/add.js';
import { combineMerges } from '../../profile/merge/combine.js';
import { finishMerge } from '../../profile/merge/finish.js';
import { MergeState } from '../../profile/merge/state.js';
import { decodeMerge, encodeMerge } from '../../profile/merge/wire.js';
import type { Profile } from '../../profile/profile.js';
import type { ProfilePieces, Share } from '../contract/plugin.js';
import type { PartialBytes } from '../contract/protocol.js';

/** What is alone in decoding an item. */
export const WHOLE: Share = { index: 0, of: 1 };

export function isInParts(
  decoded: Profile | AsyncIterable<Profile> | ProfilePieces,
): decoded is AsyncIterable<Profile> {
  return Symbol.asyncIterator in decoded;
}

export function isInPieces(decoded: Profile | AsyncIterable<Profile> | ProfilePieces): decoded is ProfilePieces {
  return 'pieces' in decoded;
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
  return finishMerge(await addParts(parts, WHOLE, stage, warn)).profile;
}

/** The same for a share of the parts, to be finished with the other shares. @returns undefined when the share had no part */
export async function encodeParts(
  parts: AsyncIterable<Profile>,
  share: Share,
  stage: (part: Profile) => Promise<Profile>,
  warn: (code: string, message: string) => void,
): Promise<PartialBytes | undefined> {
  const state = await addParts(parts, share, stage, warn);
  return state.header.types === undefined ? undefined : encodeMerge(state);
}

/** What `encodeParts` gave, of all shares, as one profile: that of `mergeParts`. */
export function finishShares(partials: readonly PartialBytes[]): Profile {
  let state = new MergeState();
  for (const [index, partial] of partials.entries()) {
    const decoded = decodeMerge(partial);
    state = index === 0 ? decoded : combineMerges(state, decoded);
  }
  return finishMerge(state).profile;
}

async function addParts(
  parts: AsyncIterable<Profile>,
  { index, of }: Share,
  stage: (part: Profile) => Promise<Profile>,
  warn: (code: string, message: string) => void,
): Promise<MergeState> {
  const state = new MergeState();
  let isCaptureLost = false;
  let number = index;
  for await (const part of parts) {
    // Inputs of a merge are ordered by time, then by digest: parts of one time keep their order.
    const digest = new Uint8Array(32);
    new DataView(digest.buffer).setUint32(0, number);
    const staged = await stage(part);
    isCaptureLost ||= staged.samples.captures !== undefined;
    addProfile(state, staged, { uri: `part ${number + 1}`, digest });
    number += of;
  }
  if (isCaptureLost)
    warn('not_unwound', 'captured stacks were not unwound: such samples have only the address they were taken at');
  return state;
}
