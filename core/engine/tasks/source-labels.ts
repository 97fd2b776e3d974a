/** Labels that a source gives to all samples of an item. */
import { labelAll } from '../../profile/edit/label-all.js';
import type { Profile } from '../../profile/profile.js';
import type { SourceItem } from '../contract/plugin.js';

export function withSourceLabels(profile: Profile, labels: SourceItem['labels']): Profile {
  return labels === undefined ? profile : labelAll(profile, labels);
}
