/**
 * Walks the captured stacks of a profile from leaf to root, all in one call. The host writes the columns of the samples (profile.ts), says
 * what is at each pc, once (site.ts), brings what is needed of the captured bytes, and takes the steps that are not plain: expressions,
 * where Go changes stacks.
 */
import { SITE_BYTES } from '../../plugins/stages/unwind/kernel-codes';
import { allocate, releaseAll } from '../memory';
import { forgetProfile } from './profile';
import { forgetSites } from './site';
import { forgetStack } from './stack';
import { beginWalks } from './walk';

export { registers, setMachine } from './machine';
export {
  captured,
  endings,
  lastSites,
  placeProfile,
  recorded,
  recordedStart,
  spaces,
  stackBytes,
  stackLocations,
  stackStart,
  walkAll,
} from './profile';
export { setAddressMask } from './stack';
export { hasLeftStack, isExact, pc, setHasLeftStack, setPc } from './step';
export { steps } from './walk';

/** Forgets all sites, and the profile. @param limit frames at most, the leaf included */
export function begin(limit: u32): void {
  releaseAll();
  forgetStack();
  forgetSites();
  forgetProfile();
  beginWalks(limit);
}

/** @returns memory of SITE_BYTES and so many words, for the host to write */
export function newSite(words: u32): usize {
  const site = allocate(SITE_BYTES + 4 * words);
  memory.fill(site, 0, SITE_BYTES);
  return site;
}
