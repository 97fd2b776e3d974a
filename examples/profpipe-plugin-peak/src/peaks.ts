/** The largest values by stack, and what an aggregate does with them. */
import { forEachSample, type Profile, ProfileBuilder, stringAt } from 'profpipe';

/** Values by stack (names root first, as a JSON list) and by sample type ("type/unit"). */
export type Peaks = Map<string, Map<string, bigint>>;

/** Equal stacks of one profile are one: first their sum, then the largest of all profiles. */
export function peaksOf(profile: Profile): Peaks {
  const { strings, sampleTypes } = profile;
  const types = sampleTypes.map(({ type, unit }) => `${stringAt(strings, type)}/${stringAt(strings, unit)}`);
  const sums: Peaks = new Map();
  forEachSample(profile, (sample) => {
    const names: string[] = [];
    sample.eachFrame('root-first', (functionRow) => void names.push(sample.functionName(functionRow)));
    const values = valuesOf(sums, JSON.stringify(names));
    for (const [index, type] of types.entries()) values.set(type, (values.get(type) ?? 0n) + sample.bigValue(index));
  });
  return sums;
}

/** Takes what is larger in `b` over into `a`. */
export function mergePeaks(a: Peaks, b: Peaks): Peaks {
  for (const [stack, others] of b) {
    const values = valuesOf(a, stack);
    for (const [type, value] of others) {
      const known = values.get(type);
      if (known === undefined || known < value) values.set(type, value);
    }
  }
  return a;
}

function valuesOf(peaks: Peaks, stack: string): Map<string, bigint> {
  let values = peaks.get(stack);
  if (values === undefined) {
    values = new Map();
    peaks.set(stack, values);
  }
  return values;
}

export function encodePeaks(peaks: Peaks): Uint8Array {
  const plain = [...peaks].map(([stack, values]) => [stack, [...values].map(([type, value]) => [type, String(value)])]);
  return new TextEncoder().encode(JSON.stringify(plain));
}

export function decodePeaks(bytes: Uint8Array): Peaks {
  const plain = JSON.parse(new TextDecoder().decode(bytes)) as [string, [string, string][]][];
  return new Map(
    plain.map(([stack, values]) => [stack, new Map(values.map(([type, value]) => [type, BigInt(value)]))]),
  );
}

/** In the order of the stacks, so that no other order shows. */
export function profileOfPeaks(peaks: Peaks): Profile {
  const types = [...new Set([...peaks.values()].flatMap((values) => [...values.keys()]))].sort();
  const builder = new ProfileBuilder({
    sampleTypes: types.map((name) => {
      const slash = name.lastIndexOf('/');
      return { type: name.slice(0, slash), unit: name.slice(slash + 1) };
    }),
  });
  for (const stack of [...peaks.keys()].sort()) {
    const names = JSON.parse(stack) as string[];
    const rows = names.map((name) => builder.location({ lines: [{ function: builder.function({ name }), line: 0 }] }));
    builder.addSample({ stack: rows.reverse(), values: types.map((type) => peaks.get(stack)?.get(type) ?? 0n) });
  }
  return builder.finish();
}
