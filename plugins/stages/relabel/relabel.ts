/** Changes of the table of labels; samples keep their number and order. */
import { mapTexts, type Profile, selectRows, stringAt } from '../../../core/index.js';
import type { RelabelOptions } from '../../../schemas/gen/options/relabel.js';
import { type Buckets, lowerEnd } from './buckets.js';

/** In this order: keep, drop, rename, bucket. */
export function relabel(profile: Profile, { keep, drop = [], rename = {}, bucket = {} }: RelabelOptions): Profile {
  const stays = (key: string) => (keep === undefined || keep.includes(key)) && !drop.includes(key);
  const kept = selectLabels(profile, stays);
  const renamed =
    Object.keys(rename).length === 0
      ? kept
      : mapTexts(kept, { labelKey: (key) => (Object.hasOwn(rename, key) ? rename[key]! : key) });
  return Object.keys(bucket).length === 0 ? renamed : bucketNumbers(renamed, bucket);
}

function selectLabels(profile: Profile, stays: (key: string) => boolean): Profile {
  const keys = keysOf(profile, stays);
  const labels = Uint8Array.from(profile.samples.labels.key, (row) => Number(keys.get(row)));
  return labels.includes(0) ? selectRows(profile, { labels }) : profile;
}

function bucketNumbers(profile: Profile, bucket: Readonly<Record<string, Buckets>>): Profile {
  const { labels } = profile.samples;
  const keys = keysOf(profile, (key) => (Object.hasOwn(bucket, key) ? bucket[key] : undefined));
  const num = labels.num.map((value, label) => {
    const buckets = labels.str[label] === 0 ? keys.get(labels.key[label]!) : undefined;
    return buckets === undefined ? value : lowerEnd(buckets, value);
  });
  return { ...profile, samples: { ...profile.samples, labels: { ...labels, num } } };
}

/** By string row of each key that labels have. */
function keysOf<Value>({ samples, strings }: Profile, judge: (key: string) => Value): Map<number, Value> {
  return new Map(Array.from(new Set(samples.labels.key), (row) => [row, judge(stringAt(strings, row))]));
}
