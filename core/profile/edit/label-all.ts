/** The same labels for every sample: columns at once, where `setLabel` asks for each sample. */

import { type LabelTable, type Profile, UnknownIn } from '../profile.js';
import { remapUnknown } from '../unknown.js';
import { textsOf } from './function-texts.js';
import { selectRows } from './select.js';
import { StringInterner } from './string-interner.js';

/** @param given texts by key, in place of the labels of those keys; an empty text only takes them off */
export function labelAll(profile: Profile, given: Readonly<Record<string, string>>): Profile {
  const base = withoutKeys(profile, given);
  const { samples } = base;
  const strings = new StringInterner(base.strings);
  const added = Object.entries(given)
    .filter(([, text]) => text !== '')
    .map(([key, text]) => ({ key: strings.row(key), str: strings.row(text) }));
  if (added.length === 0 || samples.length === 0) return base;

  const labelStart = samples.labelStart.map((start, sample) => start + sample * added.length);
  const length = samples.labels.length + samples.length * added.length;
  const labels = {
    length,
    key: new Uint32Array(length),
    str: new Uint32Array(length),
    num: new BigInt64Array(length),
    numUnit: new Uint32Array(length),
  };
  /** New rows of the labels of the base. */
  const moved = new Uint32Array(samples.labels.length);
  for (let sample = 0; sample < samples.length; sample++) {
    const [from, end] = [samples.labelStart[sample]!, samples.labelStart[sample + 1]!];
    let to = labelStart[sample]!;
    for (let row = from; row < end; row++, to++) {
      moved[row] = to;
      copyLabel(samples.labels, row, labels, to);
    }
    for (const { key, str } of added) {
      labels.key[to] = key;
      labels.str[to++] = str;
    }
  }
  const { unknown: _, ...known } = base;
  const unknown = remapUnknown(base.unknown, (message, row) => [message === UnknownIn.label ? moved[row]! : row]);
  return {
    ...known,
    strings: strings.finish(),
    samples: { ...samples, labelStart, labels },
    ...(unknown === undefined ? {} : { unknown }),
  };
}

function withoutKeys(profile: Profile, given: Readonly<Record<string, string>>): Profile {
  const { key } = profile.samples.labels;
  const text = textsOf(profile.strings);
  const isGiven = new Map<number, boolean>();
  for (const row of key) if (!isGiven.has(row)) isGiven.set(row, Object.hasOwn(given, text(row)));
  if (![...isGiven.values()].includes(true)) return profile;
  return selectRows(profile, { labels: Uint8Array.from(key, (row) => Number(!isGiven.get(row))) });
}

function copyLabel(from: LabelTable, row: number, to: LabelTable, at: number): void {
  to.key[at] = from.key[row]!;
  to.str[at] = from.str[row]!;
  to.num[at] = from.num[row]!;
  to.numUnit[at] = from.numUnit[row]!;
}
