/**
 * Profiles drawn as text, and back: one sample a line, root first, values behind it, then labels.
 *
 *     main;work;leaf 10 200
 *     main;work@work.go:12>leaf 5 100 {tenant=a bytes=1024:kilobytes}
 *     main;0x4a2f10 1 20
 *
 * `;` goes to the next location, `>` to what was inlined in the same one, `@file:line` says where, and a bare `0x…` is a location
 * without lines. A label of digits is a number, with its unit behind the colon.
 */
import { type LabelSpec, ProfileBuilder, type ProfileHeader } from '../../core/profile/edit/builder.js';
import { type Profile, stringAt } from '../../core/profile/profile.js';

const defaultTypes = [
  { type: 'samples', unit: 'count' },
  { type: 'cpu', unit: 'nanoseconds' },
];

/** Equal frames become one location; they get the addresses 0x1000, 0x1010 … in order of appearance, in one mapping "/bin/app". */
export function profileOf(text: string, header: Partial<ProfileHeader> = {}): Profile {
  const samples = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(parseSample);
  const sampleTypes = header.sampleTypes ?? defaultTypes.slice(0, samples[0]?.values.length ?? 1);
  const builder = new ProfileBuilder({ ...header, sampleTypes });
  const mapping = builder.mapping({
    memoryStart: 0x1000,
    memoryLimit: 0x100_0000,
    filename: '/bin/app',
    buildId: 'abcd',
  });

  const locations = new Map<string, number>();
  const locationOf = (frame: string): number => {
    let row = locations.get(frame);
    if (row === undefined) {
      const address = frame.startsWith('0x') ? BigInt(frame) : BigInt(0x1000 + 16 * locations.size);
      row = builder.location({ mapping, address, lines: frame.startsWith('0x') ? [] : linesOf(frame) });
      locations.set(frame, row);
    }
    return row;
  };
  const linesOf = (frame: string) =>
    frame
      .split('>')
      .reverse()
      .map((part) => {
        const [, name = '', filename = '', line = '0'] = /^([^@]*)(?:@(.*):(\d+))?$/.exec(part) ?? [];
        return { function: builder.function({ name, filename }), line: BigInt(line) };
      });

  for (const { frames, values, labels } of samples) {
    builder.addSample({ stack: frames.map(locationOf).reverse(), values, labels });
  }
  return builder.finish();
}

function parseSample(line: string): { frames: string[]; values: bigint[]; labels: LabelSpec[] } {
  const match = /^\s*(\S*)((?:\s+-?\d+)+)\s*(?:\{(.*)\})?\s*$/.exec(line);
  if (match === null) throw new Error(`no sample: ${line}`);
  const [, stack = '', values = '', labels = ''] = match;
  return {
    frames: stack.split(';').filter((frame) => frame !== ''),
    values: values.trim().split(/\s+/).map(BigInt),
    labels: labels.split(' ').filter(Boolean).map(parseLabel),
  };
}

function parseLabel(text: string): LabelSpec {
  const [key = '', value = ''] = text.split('=');
  const number = /^(-?\d+)(?::(.*))?$/.exec(value);
  return number === null ? { key, str: value } : { key, num: BigInt(number[1]!), numUnit: number[2] ?? '' };
}

/** The samples of a profile as `profileOf` reads them, in their order, without files and lines. */
export function stacksOf(profile: Profile): string[] {
  const { samples } = profile;
  const text = (row: number) => stringAt(profile.strings, row);
  const types = profile.sampleTypes.length;
  return Array.from({ length: samples.length }, (_, sample) => {
    const stack = samples.stackLocations.subarray(samples.stackStart[sample]!, samples.stackStart[sample + 1]!);
    const frames = Array.from(stack, (location) => frameText(profile, location)).reverse();
    const values = samples.values.subarray(sample * types, (sample + 1) * types);
    const { key, str, num, numUnit } = samples.labels;
    const labels: string[] = [];
    for (let row = samples.labelStart[sample]!; row < samples.labelStart[sample + 1]!; row++) {
      const unit = numUnit[row] === 0 ? '' : `:${text(numUnit[row]!)}`;
      labels.push(`${text(key[row]!)}=${str[row] === 0 ? `${num[row]}${unit}` : text(str[row]!)}`);
    }
    return `${frames.join(';')} ${values.join(' ')}${labels.length === 0 ? '' : ` {${labels.join(' ')}}`}`;
  });
}

function frameText(profile: Profile, location: number): string {
  const { lineStart, lines, address } = profile.locations;
  const functions = lines.function.subarray(lineStart[location]!, lineStart[location + 1]!);
  if (functions.length === 0) return `0x${address[location]!.toString(16)}`;
  const names = Array.from(functions, (row) => stringAt(profile.strings, profile.functions.name[row]!));
  return names.reverse().join('>');
}
