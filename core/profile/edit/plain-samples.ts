/**
 * Samples as plain objects: the slow way, for what is easier to write with them. It makes an object for each sample and each frame: about
 * some fifty times the time of the columns (`npm run bench` measures it).
 */

import { type Profile, stringAt } from '../profile.js';
import { ProfileBuilder, type ProfileHeader, type ValueTypeSpec } from './builder.js';
import { textsOf } from './function-texts.js';
import { forEachSample } from './sample-view.js';

export interface PlainFrame {
  /** "" for an address without symbols. */
  readonly name: string;
  readonly filename: string;
  /** 0 where it is not known. */
  readonly line: number;
  readonly address: bigint;
}

export interface PlainSample {
  /** Leaf first, inlined frames too. */
  readonly frames: readonly PlainFrame[];
  /** By sample type. */
  readonly values: readonly bigint[];
  /** The first of each key. */
  readonly labels: Readonly<Record<string, string | bigint>>;
}

export interface PlainProfile {
  readonly sampleTypes: readonly ValueTypeSpec[];
  readonly samples: readonly PlainSample[];
}

export function plainProfile(profile: Profile): PlainProfile {
  const { strings, functions, locations, samples } = profile;
  const text = textsOf(strings);
  const plain: PlainSample[] = [];
  const types = profile.sampleTypes.length;
  forEachSample(profile, (sample) => {
    const frames: PlainFrame[] = [];
    sample.eachFrame('leaf-first', (row, line, location) => {
      const filename = text(functions.filename[row] ?? 0);
      const address = locations.address[location]!;
      frames.push({
        name: sample.functionName(row),
        filename,
        line: Number(locations.lines.line[line] ?? 0n),
        address,
      });
    });
    const labels: Record<string, string | bigint> = Object.create(null);
    for (let label = samples.labelStart[sample.row]!; label < samples.labelStart[sample.row + 1]!; label++) {
      const { key, str, num } = samples.labels;
      labels[text(key[label]!)] ??= str[label] === 0 ? num[label]! : text(str[label]!);
    }
    const values = Array.from(samples.values.subarray(sample.row * types, (sample.row + 1) * types));
    plain.push({ frames, values, labels });
  });
  const typeOf = (row: { type: number; unit: number }) => ({
    type: stringAt(strings, row.type),
    unit: stringAt(strings, row.unit),
  });
  return { sampleTypes: profile.sampleTypes.map(typeOf), samples: plain };
}

/** Back: each frame a location of its own, without mappings, ids and unknown fields, which plain samples do not have. */
export function fromPlainProfile({ sampleTypes, samples }: PlainProfile, header: Partial<ProfileHeader> = {}): Profile {
  const builder = new ProfileBuilder({ ...header, sampleTypes });
  for (const { frames, values, labels } of samples) {
    const stack = frames.map(({ name, filename, line, address }) =>
      builder.location({
        address,
        lines: name === '' ? [] : [{ function: builder.function({ name, filename }), line }],
      }),
    );
    const specs = Object.entries(labels).map(([key, value]) =>
      typeof value === 'string' ? { key, str: value } : { key, num: value },
    );
    builder.addSample({ stack, values, labels: specs });
  }
  return builder.finish();
}
