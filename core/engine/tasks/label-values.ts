/** Values of labels that are one for a whole profile: what `{label:KEY}` in an output path means. */
import { type Profile, stringAt } from '../../profile/profile.js';

/** By key; absent where no sample has it, or two samples differ. Numbers in decimal. */
export function labelValues(profile: Profile, keys: readonly string[]): Record<string, string> {
  const values: Record<string, string> = Object.create(null);
  if (keys.length === 0) return values;
  const wanted = new Map<number, string>();
  for (let row = 0; row < profile.strings.length && wanted.size < keys.length; row++) {
    const text = stringAt(profile.strings, row);
    if (keys.includes(text)) wanted.set(row, text);
  }
  const several = new Set<string>();
  const { labels } = profile.samples;
  for (let row = 0; row < labels.length; row++) {
    const key = wanted.get(labels.key[row]!);
    if (key === undefined || several.has(key)) continue;
    const value = labels.str[row] === 0 ? String(labels.num[row]) : stringAt(profile.strings, labels.str[row]!);
    if (key in values && values[key] !== value) several.add(key);
    values[key] = value;
  }
  for (const key of several) delete values[key];
  return values;
}
