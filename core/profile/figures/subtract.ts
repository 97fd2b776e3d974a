/** One profile less another, as a profile. Source: google/pprof internal/driver, fetchProfiles: -base, -diff_base and -normalize. */
import { FormatError } from '../../formats/errors.js';
import type { ValueTypeSpec } from '../edit/builder.js';
import { ProfileEditor } from '../edit/editor.js';
import { selectSampleTypes } from '../edit/sample-edits.js';
import { normalizeTo } from '../edit/scale.js';
import { addProfile } from '../merge/add.js';
import { finishMerge } from '../merge/finish.js';
import { MergeState } from '../merge/state.js';
import { type Profile, stringAt } from '../profile.js';

export interface SubtractOptions {
  /** The base's samples stay, negative, with the label pprof::base=true; else what is alike cancels out. */
  readonly keepsBase: boolean;
  /** Scales `profile` first, so that its values add up to what those of `base` do. */
  readonly normalize: boolean;
}

/** What says that a sample is the base's; shares are of the total of those. */
const BASE_LABEL = { key: 'pprof::base', value: 'true' };

/**
 * The sample types that both have, in the order of `profile`. Time, duration and what else is no sum is that of `profile`.
 * @throws FormatError E_INCOMPATIBLE when no sample type is in both, or the period types differ; E_OVERFLOW
 */
export function subtractProfile(profile: Profile, base: Profile, { keepsBase, normalize }: SubtractOptions): Profile {
  const types = commonTypes(profile, base);
  const own = selectSampleTypes(profile, types);
  const other = selectSampleTypes(base, types);
  const negative = negated(keepsBase ? labelled(other) : other);
  const state = new MergeState();
  const first = new Uint8Array(32);
  const second = new Uint8Array(32).fill(0xff);
  // Of equal times the digest says which is the first: the header is the profile's.
  addProfile(
    state,
    { ...(normalize ? normalizeTo(own, other) : own), timeNanos: 1n },
    { uri: 'the profile', digest: first },
  );
  addProfile(state, { ...negative, timeNanos: 1n, durationNanos: 0n }, { uri: 'the base', digest: second });
  const { period, timeNanos, durationNanos } = profile;
  return { ...finishMerge(state).profile, period, timeNanos, durationNanos };
}

function commonTypes(profile: Profile, base: Profile): ValueTypeSpec[] {
  const [own, other] = [profile, base].map(({ sampleTypes, strings }) =>
    sampleTypes.map(({ type, unit }) => ({ type: stringAt(strings, type), unit: stringAt(strings, unit) })),
  ) as [ValueTypeSpec[], ValueTypeSpec[]];
  const common = own.filter(({ type, unit }) => other.some((of) => of.type === type && of.unit === unit));
  if (common.length > 0) return common;
  const names = (types: readonly ValueTypeSpec[]) =>
    types.map(({ type, unit }) => `${type}/${unit}`).join(', ') || 'none';
  throw new FormatError(
    'E_INCOMPATIBLE',
    `no sample type in common: the profile has ${names(own)}, the base ${names(other)}`,
  );
}

/** Exact, where a factor of −1 would round beyond 2^53. */
function negated(profile: Profile): Profile {
  const values = profile.samples.values.map((value) => {
    if (value === -(2n ** 63n)) throw new FormatError('E_OVERFLOW', 'a negated value is no int64', { got: -value });
    return -value;
  });
  return { ...profile, samples: { ...profile.samples, values } };
}

function labelled(profile: Profile): Profile {
  const editor = new ProfileEditor(profile);
  for (let sample = 0; sample < profile.samples.length; sample++) editor.addSampleLabel(sample, BASE_LABEL);
  return editor.finish();
}
