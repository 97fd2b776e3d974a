/** What an output is compared by. */

import { valueSums } from '../../profile/edit/scale.js';
import { profileText } from '../../profile/figures/text.js';
import { topFunctions } from '../../profile/figures/top.js';
import { type Profile, stringAt } from '../../profile/profile.js';
import type { CaseOutput } from './run-case.js';

/** As `pipe profile text` prints it, where the bytes are no text themselves; undefined for what is neither text nor profile. */
export function textOf({ bytes, profile }: CaseOutput): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (!text.includes('\0')) return text;
  } catch {
    // Compressed, or otherwise binary.
  }
  return profile === undefined ? undefined : `${[...profileText(profile)].join('\n')}\n`;
}

/** Sums of the values by sample type. */
export function totalsOf(profile: Profile): Map<string, bigint> {
  const sums = valueSums(profile);
  return new Map(profile.sampleTypes.map(({ type }, index) => [stringAt(profile.strings, type), sums[index]!]));
}

/** The first functions of a sample type, as `pipe profile top` has them. @throws FormatError E_SAMPLE_TYPE */
export function topOf(profile: Profile, sampleType: string, count: number): string[] {
  return topFunctions(profile, sampleType)
    .rows.slice(0, count)
    .map(({ function: name }) => name);
}
