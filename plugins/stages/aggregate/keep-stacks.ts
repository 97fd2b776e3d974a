/** `keep: { stacks: N }`: the heaviest stacks as they are, all others as one. */
import {
  ExactSums,
  FormatError,
  findSampleType,
  halves,
  heaviestFirst,
  OTHER_FRAME,
  type Profile,
  ProfileEditor,
  selectRows,
  weightsOf,
} from '../../../core/index.js';

export interface KeptStacks {
  readonly profile: Profile;
  readonly foldedStacks: number;
}

/**
 * A stack weighs what its samples do, whatever their labels; those of one stack stay or go together. The others become one sample
 * without labels, behind those that stay. Sums of all sample types stay what they were.
 * @param profile as a merge gives it: equal locations are one row
 * @throws FormatError E_SAMPLE_TYPE, E_OVERFLOW
 */
export function keepStacks(profile: Profile, stacks: number, sampleType?: string): KeptStacks {
  const { samples, sampleTypes } = profile;
  const { stackOf, count } = distinctStacks(profile);
  if (count <= stacks) return { profile, foldedStacks: 0 };
  const weights = new Float64Array(count);
  const ofSamples = weightsOf(profile, findSampleType(profile, sampleType).index);
  for (let sample = 0; sample < samples.length; sample++) weights[stackOf[sample]!]! += Math.abs(ofSamples[sample]!);
  const isKept = new Uint8Array(count);
  for (const stack of heaviestFirst(weights).subarray(0, stacks)) isKept[stack] = 1;

  const others = new ExactSums(sampleTypes.length);
  const words = halves(samples.values);
  const kept = new Uint8Array(samples.length);
  for (let sample = 0; sample < samples.length; sample++) {
    kept[sample] = isKept[stackOf[sample]!]!;
    if (kept[sample] === 1) continue;
    for (let type = 0; type < sampleTypes.length; type++) {
      const word = (sample * sampleTypes.length + type) * 2;
      others.add(type, words[word]!, words[word + 1]! | 0);
    }
  }
  const sums = sampleTypes.map((_, type) => int64(others.at(type)));
  return { profile: withOther(selectRows(profile, { samples: kept }), sums), foldedStacks: count - stacks };
}

/** Stacks by number, in order of appearance. */
function distinctStacks({ samples }: Profile): { readonly stackOf: Uint32Array; readonly count: number } {
  const numbers = new Map<string, number>();
  const stackOf = new Uint32Array(samples.length);
  for (let sample = 0; sample < samples.length; sample++) {
    const key = samples.stackLocations.subarray(samples.stackStart[sample]!, samples.stackStart[sample + 1]!).join();
    let number = numbers.get(key);
    if (number === undefined) {
      number = numbers.size;
      numbers.set(key, number);
    }
    stackOf[sample] = number;
  }
  return { stackOf, count: numbers.size };
}

/** One sample more, of a location that is nowhere. */
function withOther(profile: Profile, values: readonly bigint[]): Profile {
  const editor = new ProfileEditor(profile);
  const location = editor.addLocation({ lines: [{ function: editor.function({ name: OTHER_FRAME }), line: 0 }] });
  const edited = editor.finish();
  const { samples } = edited;
  return {
    ...edited,
    samples: {
      ...samples,
      length: samples.length + 1,
      stackStart: append(samples.stackStart, [samples.stackLocations.length + 1]),
      stackLocations: append(samples.stackLocations, [location]),
      values: append(samples.values, values),
      labelStart: append(samples.labelStart, [samples.labels.length]),
    },
  };
}

function append<Column extends Uint32Array | BigInt64Array>(column: Column, more: readonly Column[number][]): Column {
  const longer = new (column.constructor as new (length: number) => Column)(column.length + more.length);
  longer.set(column as never);
  longer.set(more as never, column.length);
  return longer;
}

function int64(sum: bigint): bigint {
  if (BigInt.asIntN(64, sum) === sum) return sum;
  throw new FormatError('E_OVERFLOW', `sum of the values under ${OTHER_FRAME} is no int64`, {
    section: 'Profile',
    got: sum,
  });
}
