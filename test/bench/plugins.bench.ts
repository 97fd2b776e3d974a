/**
 * What third-party plugins cost. The everyday edits against the loops by hand that they stand for, on
 * profiles made here. Ratios are ours ÷ by hand (lower is better).
 */
import { filterSamples, type Profile, ProfileBuilder, plainProfile, selectRows, stringAt } from '../../core/index.js';
import { median } from './measure.js';

const ROUNDS = 15;

/** Stacks of 5 to 30 frames out of 2,000 functions, four values of `tenant` and a unique `request` each. */
function labelledProfile(samples: number): Profile {
  let state = 1;
  const below = (limit: number) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % limit;
  };
  const builder = new ProfileBuilder({ sampleTypes: [{ type: 'cpu', unit: 'nanoseconds' }] });
  const locations = Array.from({ length: 2_000 }, (_, index) =>
    builder.location({
      address: 0x1000 + index * 16,
      lines: [{ function: builder.function({ name: `pkg.function${index}` }), line: index }],
    }),
  );
  for (let sample = 0; sample < samples; sample++) {
    builder.addSample({
      stack: Array.from({ length: 5 + below(26) }, () => locations[below(locations.length)]!),
      values: [10_000_000],
      labels: [
        { key: 'request', str: `r${sample}` },
        { key: 'tenant', str: `tenant${below(4)}` },
      ],
    });
  }
  return builder.finish();
}

/** What an engineer who knows the columns would write. */
function filterByHand(profile: Profile): Profile {
  const { samples, strings } = profile;
  let key = -1;
  let value = -1;
  for (let row = 0; row < strings.length && (key < 0 || value < 0); row++) {
    const text = stringAt(strings, row);
    if (text === 'tenant') key = row;
    if (text === 'tenant1') value = row;
  }
  const kept = new Uint8Array(samples.length);
  for (let sample = 0; sample < samples.length; sample++) {
    const end = samples.labelStart[sample + 1]!;
    for (let label = samples.labelStart[sample]!; label < end; label++) {
      if (samples.labels.key[label] === key && samples.labels.str[label] === value) kept[sample] = 1;
    }
  }
  return selectRows(profile, { samples: kept });
}

/** Medians of rounds in turn, so that both meet the same load. */
function compare(...runs: readonly (() => unknown)[]): number[] {
  const times = runs.map((): number[] => []);
  for (let round = -ROUNDS; round < ROUNDS; round++) {
    for (const [index, run] of runs.entries()) {
      const start = performance.now();
      run();
      if (round >= 0) times[index]!.push(performance.now() - start);
    }
  }
  return times.map(median);
}

function row(what: string, ours: number, other: number, wanted: string): void {
  const cells = [what.padEnd(44), ours.toFixed(1).padStart(9), other.toFixed(1).padStart(9), 'ms  '];
  console.log(`${cells.join(' ')} ${(ours / other).toFixed(2).padStart(7)}   ${wanted}`);
}

const profile = labelledProfile(100_000);
console.log(
  `plugins by others${' '.repeat(28)}${'helper'.padStart(9)} ${'by hand'.padStart(9)}         ratio   wanted`,
);
const [helper, byHand, plain] = compare(
  () => filterSamples(profile, (sample) => sample.label('tenant') === 'tenant1'),
  () => filterByHand(profile),
  () => plainProfile(profile).samples.filter(({ labels }) => labels.tenant === 'tenant1'),
) as [number, number, number];
row('label filter, 100,000 samples', helper, byHand, '≤ 1.2');
row('the same over plain objects, not put back', plain, byHand, '');
