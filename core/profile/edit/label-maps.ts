/** Everyday changes of labels. */

import type { Profile } from '../profile.js';
import { ProfileEditor } from './editor.js';
import { textsOf } from './function-texts.js';
import { forEachSample, type SampleView } from './sample-view.js';
import { selectRows } from './select.js';
import { StringInterner } from './string-interner.js';

/**
 * Other texts for the labels of a key: `change` is asked once for each distinct one. Numbers of that key stay as they are.
 * @param change the new text; undefined takes the label off
 */
export function mapLabel(profile: Profile, key: string, change: (value: string) => string | undefined): Profile {
  const { labels } = profile.samples;
  const text = textsOf(profile.strings);
  const strings = new StringInterner(profile.strings);
  /** By string row: the new row, or undefined to drop. */
  const changed = new Map<number, number | undefined>();
  const str = labels.str.slice();
  const kept = new Uint8Array(labels.length).fill(1);
  for (let label = 0; label < labels.length; label++) {
    const row = str[label]!;
    if (row === 0 || text(labels.key[label]!) !== key) continue;
    if (!changed.has(row)) {
      const value = change(text(row));
      // An empty text would be a number.
      changed.set(row, value === undefined || value === '' ? undefined : strings.row(value));
    }
    const to = changed.get(row);
    if (to === undefined) kept[label] = 0;
    else str[label] = to;
  }
  if (changed.size === 0) return profile;
  const relabelled = {
    ...profile,
    strings: strings.finish(),
    samples: { ...profile.samples, labels: { ...labels, str } },
  };
  return selectRows(relabelled, { labels: kept });
}

/**
 * Gives every sample one label of a key, in place of those of that key that it has.
 * @param value a text, a number, or undefined for none
 * @param unit of numbers
 */
export function setLabel(
  profile: Profile,
  key: string,
  value: (sample: SampleView) => string | number | bigint | undefined,
  unit = '',
): Profile {
  const { labels } = profile.samples;
  const text = textsOf(profile.strings);
  const others = Uint8Array.from(labels.key, (row) => Number(text(row) !== key));
  const editor = new ProfileEditor(others.includes(0) ? selectRows(profile, { labels: others }) : profile);
  forEachSample(profile, (sample) => {
    const given = value(sample);
    if (given === undefined || given === '') return;
    editor.addSampleLabel(sample.row, typeof given === 'string' ? { key, value: given } : { key, value: given, unit });
  });
  return editor.finish();
}
