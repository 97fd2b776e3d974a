/** Everyday changes of samples: fewer of them, more values. */

import { writeInteger } from '../int64.js';
import { halves, NO_ROW, type Profile, stringAt, UnknownIn } from '../profile.js';
import { moveUnknown } from '../unknown.js';
import type { ValueTypeSpec } from './builder.js';
import { pick64 } from './pick.js';
import { forEachSample, type SampleView } from './sample-view.js';
import { selectRows } from './select.js';
import { StringInterner } from './string-interner.js';

/** The samples that `keep` is true for, in their order, and of the tables what they refer to. Returns its input when all stay. */
export function filterSamples(profile: Profile, keep: (sample: SampleView) => boolean): Profile {
  const samples = new Uint8Array(profile.samples.length);
  let kept = 0;
  forEachSample(profile, (sample) => {
    if (!keep(sample)) return;
    samples[sample.row] = 1;
    kept++;
  });
  return kept === samples.length ? profile : selectRows(profile, { samples });
}

/**
 * One more value a sample, behind those that it has.
 * @param value whole numbers: of JavaScript up to ±2^53, bigint beyond
 * @throws RangeError for what is no whole number of 64 bits
 */
export function addSampleType(
  profile: Profile,
  { type, unit }: ValueTypeSpec,
  value: (sample: SampleView) => number | bigint,
): Profile {
  const { samples, sampleTypes } = profile;
  const before = sampleTypes.length;
  const values = new BigInt64Array(samples.length * (before + 1));
  const from = halves(samples.values);
  const to = halves(values);
  forEachSample(profile, (sample) => {
    const start = sample.row * (before + 1) * 2;
    for (let half = 0; half < before * 2; half++) to[start + half] = from[sample.row * before * 2 + half]!;
    writeInteger(to, start + before * 2, value(sample));
  });
  const strings = new StringInterner(profile.strings);
  const added = { type: strings.row(type), unit: strings.row(unit) };
  return {
    ...profile,
    strings: strings.finish(),
    sampleTypes: [...sampleTypes, added],
    samples: { ...samples, values },
  };
}

/** Without one of the values of each sample. @param type place among the sample types; one must stay */
export function dropSampleType(profile: Profile, type: number): Profile {
  const { samples, sampleTypes, unknown } = profile;
  const types = sampleTypes.length;
  if (!(Number.isInteger(type) && type >= 0 && type < types) || types === 1) {
    throw new RangeError(`sample type ${type} of ${types} cannot be dropped`);
  }
  const left = Uint32Array.from({ length: samples.length * (types - 1) }, (_, at) => {
    const row = at % (types - 1);
    return Math.floor(at / (types - 1)) * types + (row < type ? row : row + 1);
  });
  const rows = Uint32Array.from(sampleTypes, (_, row) => (row < type ? row : row === type ? NO_ROW : row - 1));
  return {
    ...profile,
    sampleTypes: sampleTypes.filter((_, row) => row !== type),
    samples: { ...samples, values: pick64(samples.values, left) },
    unknown: moveUnknown(unknown, [[UnknownIn.valueType, rows]]),
  };
}

/**
 * The values of the given types, in their order: 0 where the profile does not have one, and without those that are not among them. Unknown
 * fields of the types go.
 */
export function selectSampleTypes(profile: Profile, wanted: readonly ValueTypeSpec[]): Profile {
  const { samples, sampleTypes, strings: base } = profile;
  const has = sampleTypes.map(({ type, unit }) => ({ type: stringAt(base, type), unit: stringAt(base, unit) }));
  const isSame =
    has.length === wanted.length &&
    has.every(({ type, unit }, row) => type === wanted[row]!.type && unit === wanted[row]!.unit);
  if (isSame) return profile;
  const columns = wanted.map(({ type, unit }) => has.findIndex((one) => one.type === type && one.unit === unit));
  const values = new BigInt64Array(samples.length * wanted.length);
  const from = halves(samples.values);
  const to = halves(values);
  for (let sample = 0, at = 0; sample < samples.length; sample++) {
    for (const column of columns) {
      if (column >= 0) {
        const start = (sample * has.length + column) * 2;
        to[at] = from[start]!;
        to[at + 1] = from[start + 1]!;
      }
      at += 2;
    }
  }
  const strings = new StringInterner(base);
  const types = wanted.map(({ type, unit }) => ({ type: strings.row(type), unit: strings.row(unit) }));
  const named = stringAt(base, profile.defaultSampleType);
  const gone = new Uint32Array(sampleTypes.length).fill(NO_ROW);
  return {
    ...profile,
    strings: strings.finish(),
    sampleTypes: types,
    defaultSampleType: wanted.some(({ type }) => type === named) ? profile.defaultSampleType : 0,
    samples: { ...samples, values },
    unknown: moveUnknown(profile.unknown, [[UnknownIn.valueType, gone]]),
  };
}
