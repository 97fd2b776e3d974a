/**
 * Profiles as lines of text that people write and compare, root first:
 *
 *     samples/count cpu/nanoseconds
 *     main;serve;parse 1 10 tenant=acme bytes=512
 *     main;"a name; with marks" 2 20
 *     () 3 30
 *
 * The first line has the sample types; a line each for the samples: stack, values, labels. `()` is an empty stack. What is no plain word stands in quotes, as
 * in JSON; so does a label's text that looks like a number. Addresses, lines, files, mappings and units of labels are not in it.
 */

import type { Profile } from '../profile.js';
import { ProfileBuilder } from './builder.js';
import { plainProfile } from './plain-samples.js';

const NO_FRAMES = '()';
const word = /"(?:[^"\\]|\\.)*"|[^\s;="]+|[;=]|\s+/gy;

/** @throws Error with the number of the line */
export function profileOfStacks(text: string): Profile {
  const [head = '', ...lines] = text.split('\n');
  const sampleTypes = head
    .trim()
    .split(/\s+/)
    .map((spec) => {
      const [type, unit] = spec.split('/');
      if (!type || !unit) throw new Error(`line 1: "${spec}" is no sample type; type/unit is wanted`);
      return { type, unit };
    });
  const builder = new ProfileBuilder({ sampleTypes });
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const { frames, values, labels } = readSample(line, index + 2);
    if (values.length !== sampleTypes.length) {
      throw new Error(
        `line ${index + 2}: ${values.length} values, the first line has ${sampleTypes.length} sample types`,
      );
    }
    const stack = frames
      .reverse()
      .map((name) => builder.location({ lines: [{ function: builder.function({ name }), line: 0 }] }));
    builder.addSample({ stack, values, labels });
  }
  return builder.finish();
}

/** The samples in their order. */
export function stacksOfProfile(profile: Profile): string {
  const { sampleTypes, samples } = plainProfile(profile);
  const lines = samples.map(({ frames, values, labels }) => {
    const stack = frames.map(({ name }) => quoted(name)).reverse();
    const pairs = Object.entries(labels).map(([key, value]) => `${quoted(key)}=${labelText(value)}`);
    return [stack.length === 0 ? NO_FRAMES : stack.join(';'), ...values, ...pairs].join(' ');
  });
  return `${[sampleTypes.map(({ type, unit }) => `${type}/${unit}`).join(' '), ...lines].join('\n')}\n`;
}

interface SampleText {
  readonly frames: string[];
  readonly values: number[];
  readonly labels: ({ readonly key: string; readonly str: string } | { readonly key: string; readonly num: bigint })[];
}

function readSample(line: string, number: number): SampleText {
  const words = line.trim().match(word) ?? [];
  if (words.join('') !== line.trim()) throw new Error(`line ${number}: a quote that does not end`);
  const [stack = [], ...rest] = split(words);
  const values = rest.filter((part) => part.length === 1).map(([value]) => Number(value));
  if (values.some((value) => !Number.isSafeInteger(value)))
    throw new Error(`line ${number}: a value is no whole number`);
  const labels = rest
    .filter((part) => part.length > 1)
    .map(([key = '', mark, value = '']) => {
      if (mark !== '=') throw new Error(`line ${number}: "${key}${mark}" is no label; key=value is wanted`);
      const isNumber = /^-?\d+$/.test(value);
      return isNumber ? { key: unquoted(key), num: BigInt(value) } : { key: unquoted(key), str: unquoted(value) };
    });
  return { frames: stack.filter((part) => part !== ';' && part !== NO_FRAMES).map(unquoted), values, labels };
}

/** Words between spaces. */
function split(words: readonly string[]): string[][] {
  const parts: string[][] = [[]];
  for (const part of words) {
    if (part.trim() === '') parts.push([]);
    else parts.at(-1)!.push(part);
  }
  return parts;
}

function quoted(text: string): string {
  return text !== NO_FRAMES && /^[^\s;="]+$/.test(text) ? text : JSON.stringify(text);
}

function labelText(value: string | bigint): string {
  if (typeof value === 'bigint') return String(value);
  return /^-?\d+$/.test(value) ? JSON.stringify(value) : quoted(value);
}

const unquoted = (text: string): string => (text.startsWith('"') ? (JSON.parse(text) as string) : text);
