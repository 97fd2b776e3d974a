/** How much of a profile's samples has lines. */
import { halves, type Profile, stringAt, type ValueType } from '../../../core/index.js';
import type { SampleReport } from './report.js';

/** Sums of the default sample type (without one: the last) over samples by what is known of their stacks. */
export function sampleCoverage(profile: Profile): SampleReport {
  const { samples, locations, sampleTypes } = profile;
  const { stackStart, stackLocations } = samples;
  const { lineStart } = locations;
  const column = valueColumn(profile);
  const values = halves(samples.values);
  const total = new Sum();
  const leaf = new Sum();
  const all = new Sum();
  for (let sample = 0; sample < samples.length; sample++) {
    const at = 2 * (sample * sampleTypes.length + column);
    const low = column < 0 ? 0 : values[at]!;
    const high = column < 0 ? 0 : values[at + 1]! | 0;
    const start = stackStart[sample]!;
    const end = stackStart[sample + 1]!;
    total.add(low, high);
    if (start === end) continue;
    let bare = start;
    while (bare < end && lineStart[stackLocations[bare]!]! < lineStart[stackLocations[bare]! + 1]!) bare++;
    if (bare > start) leaf.add(low, high);
    if (bare === end) all.add(low, high);
  }
  const type = sampleTypes[column];
  return {
    valueType: type === undefined ? '' : valueTypeText(profile, type),
    samples: samples.length,
    total: total.value(),
    leaf: leaf.value(),
    all: all.value(),
  };
}

/** −1 for a profile without sample types. */
function valueColumn({ sampleTypes, defaultSampleType }: Profile): number {
  const named = defaultSampleType === 0 ? -1 : sampleTypes.findIndex(({ type }) => type === defaultSampleType);
  return named < 0 ? sampleTypes.length - 1 : named;
}

function valueTypeText({ strings }: Profile, { type, unit }: ValueType): string {
  return `${stringAt(strings, type)}/${stringAt(strings, unit)}`;
}

/** An exact sum of 64-bit values that come as halves. */
class Sum {
  #low = 0;
  #high = 0;

  add(low: number, high: number): void {
    this.#low += low;
    this.#high += high;
    if (this.#low >= 2 ** 32) {
      this.#low -= 2 ** 32;
      this.#high++;
    }
  }

  value(): bigint {
    return BigInt(this.#high) * 2n ** 32n + BigInt(this.#low);
  }
}
