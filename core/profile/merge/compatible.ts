/** Whether a profile can be added to a merge, asked before anything is. */
import type { Profile } from '../profile.js';
import { checkCompatible, typesOf } from './header.js';
import type { MergeState } from './state.js';

/** The lists of sample types that may be summed have the same text, whatever profile they come from. */
export function sampleTypesKey(profile: Profile): string {
  return JSON.stringify(typesOf(profile, '').sampleTypes);
}

/** @throws FormatError E_INCOMPATIBLE, as `addProfile` would */
export function checkAddable({ header }: MergeState, profile: Profile, uri: string): void {
  if (header.types !== undefined) checkCompatible(header.types, typesOf(profile, uri));
}

/** That the period types are the same, whatever the sample types are. @throws FormatError E_INCOMPATIBLE */
export function checkPeriodType({ header }: MergeState, profile: Profile, uri: string): void {
  if (header.types === undefined) return;
  const { sampleTypes } = header.types;
  checkCompatible(header.types, { ...typesOf(profile, uri), sampleTypes });
}
