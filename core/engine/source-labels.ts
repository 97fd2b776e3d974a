/** Labels that a source gives to all samples of an item. */
import { setLabel } from '../profile/label-maps.js';
import type { Profile } from '../profile/profile.js';
import type { SourceItem } from './plugin.js';

export function withSourceLabels(profile: Profile, labels: SourceItem['labels']): Profile {
  let labelled = profile;
  for (const [key, value] of Object.entries(labels ?? {})) labelled = setLabel(labelled, key, () => value);
  return labelled;
}
