/**
 * A Profile as folded stacks: `main;work;leaf 12`, root first, a line a stack. The format of Brendan Gregg's FlameGraph
 * (stackcollapse-*.pl), which speedscope, inferno and others read.
 */
import { findSampleType, NO_ROW, type Profile, stringAt } from '../../../core/index.js';

const PIECE_CHARACTERS = 2 ** 16;

export interface FoldedChoice {
  /** Name of the sample type; see findSampleType for what holds without one. */
  readonly sampleType?: string | undefined;
  /** Frames without a name: their address, or the file mapped there. */
  readonly addresses: boolean;
}

export interface Encoded {
  /** UTF-8. Stacks in the order of their texts, each once, with the sum of its samples. */
  readonly pieces: readonly Uint8Array[];
  /** Stacks that were left out because their values add up to 0. */
  readonly zeroStacks: number;
}

/** @throws FormatError E_SAMPLE_TYPE */
export function encodeFolded(profile: Profile, choice: FoldedChoice): Encoded {
  const { samples } = profile;
  if (samples.length === 0) return { pieces: [], zeroStacks: 0 };
  const { index: type } = findSampleType(profile, choice.sampleType);
  const frames = frameTexts(profile, choice.addresses);
  const sums = new Map<string, bigint>();
  for (let sample = 0; sample < samples.length; sample++) {
    const stack: string[] = [];
    for (let entry = samples.stackStart[sample + 1]! - 1; entry >= samples.stackStart[sample]!; entry--) {
      stack.push(frames[samples.stackLocations[entry]!]!);
    }
    const text = stack.length === 0 ? '[no stack]' : stack.join(';');
    const value = samples.values[sample * profile.sampleTypes.length + type]!;
    sums.set(text, (sums.get(text) ?? 0n) + value);
  }

  const encoder = new TextEncoder();
  const pieces: Uint8Array[] = [];
  let pending = '';
  let zeroStacks = 0;
  for (const text of [...sums.keys()].sort()) {
    const sum = sums.get(text)!;
    if (sum === 0n) {
      zeroStacks++;
      continue;
    }
    pending += `${text} ${sum}\n`;
    if (pending.length < PIECE_CHARACTERS) continue;
    pieces.push(encoder.encode(pending));
    pending = '';
  }
  pieces.push(encoder.encode(pending));
  return { pieces, zeroStacks };
}

/** What each location contributes: its frames from the physical function to the innermost inlined one. */
function frameTexts(profile: Profile, addresses: boolean): string[] {
  const { locations, functions, mappings, strings } = profile;
  const names = Array.from(functions.name, (row) => escaped(stringAt(strings, row)));
  const objects = Array.from(mappings.filename, (row) => objectText(stringAt(strings, row)));
  return Array.from({ length: locations.length }, (_, location) => {
    const mapping = locations.mapping[location]!;
    const object = mapping === NO_ROW ? '[unknown]' : objects[mapping]!;
    const unnamed = () => (addresses ? `0x${locations.address[location]!.toString(16)}` : object);
    const frames: string[] = [];
    for (let line = locations.lineStart[location + 1]! - 1; line >= locations.lineStart[location]!; line--) {
      frames.push(names[locations.lines.function[line]!] || unnamed());
    }
    return frames.length === 0 ? unnamed() : frames.join(';');
  });
}

function objectText(path: string): string {
  return path === '' ? '[unknown]' : `[${escaped(path.slice(path.lastIndexOf('/') + 1))}]`;
}

/**
 * `;` parts frames and a line end parts stacks: the first becomes `:`, as in stackcollapse-perf.pl, and what ends a line or steers a
 * terminal becomes an escape such as `\u000a`.
 */
function escaped(name: string): string {
  return name
    .replaceAll(';', ':')
    .replace(
      /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
      (character) => `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`,
    );
}
