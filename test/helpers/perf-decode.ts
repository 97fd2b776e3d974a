/** The codec `perf` by itself: what it gives of a recording, before stages and merging. */

import {
  Budget,
  type CaptureTable,
  defaultLimits,
  type FormatError,
  type Limits,
  NO_ROW,
  openInput,
  type Profile,
  registersPerSample,
  type Share,
  stringAt,
} from '../../core/index.js';
import { testItem } from '../../core/testing/context.js';
import { decodeParts } from '../../plugins/codecs/perf/decode.js';
import type { MadeCode } from '../../plugins/codecs/perf/made-code.js';
import type { PerfOptions } from '../../schemas/gen/options/perf.js';

export interface DecodedRecording {
  readonly parts: readonly Profile[];
  readonly counters: { readonly [counter: string]: number };
  readonly warnings: readonly string[];
  /** Why it is not all of the recording. */
  readonly broken: FormatError | undefined;
}

/** @throws FormatError when nothing can be given */
export async function decodePerf(
  source: Uint8Array | AsyncIterable<Uint8Array>,
  options: Partial<PerfOptions> = {},
  limits: Partial<Limits> = {},
  share: Share = { index: 0, of: 1 },
  made?: MadeCode,
): Promise<DecodedRecording> {
  const parts: Profile[] = [];
  const counters: { [counter: string]: number } = {};
  const warnings: string[] = [];
  let broken: FormatError | undefined;
  const context = {
    item: testItem(0),
    limits: { ...defaultLimits, ...limits },
    signal: new AbortController().signal,
    count(counter: string, amount = 1) {
      counters[counter] = (counters[counter] ?? 0) + amount;
    },
    warn(code: string) {
      warnings.push(code);
    },
    breaksOff(error: FormatError) {
      broken = error;
    },
  };
  const complete = { event: '', labels: [], jitdumps: [], kernel: true, ...options } satisfies PerfOptions;
  const input = openInput(source, new Budget(limits));
  for await (const part of decodeParts(input, complete, context, share, made)) parts.push(withOwnCaptures(part));
  return { parts, counters, warnings, broken };
}

/** A part's captures are good until the next part is asked for. */
function withOwnCaptures(part: Profile): Profile {
  const { captures } = part.samples;
  if (captures === undefined) return part;
  return {
    ...part,
    samples: { ...part.samples, captures: { ...captures, stacks: captures.stacks.map((stack) => stack.slice()) } },
  };
}

export interface DecodedSample {
  /** Runtime addresses of the locations, leaf first. */
  readonly stack: readonly bigint[];
  /** By sample type. */
  readonly values: readonly bigint[];
  readonly labels: { readonly [key: string]: string | bigint };
  /** What was captured of an amd64 stack. */
  readonly capture:
    | { readonly pc: number; readonly sp: number; readonly fp: number; readonly stackBytes: number }
    | undefined;
}

/** DWARF numbers. */
const Amd64 = { fp: 6, sp: 7, pc: 16 } as const;

/** All samples in the order of the recording. */
export function samplesOf(parts: readonly Profile[]): DecodedSample[] {
  return parts.flatMap((part) => Array.from({ length: part.samples.length }, (_, row) => sampleOf(part, row)));
}

function sampleOf({ samples, sampleTypes, locations, strings }: Profile, row: number): DecodedSample {
  const text = (at: number) => stringAt(strings, at);
  const rows = samples.stackLocations.subarray(samples.stackStart[row]!, samples.stackStart[row + 1]!);
  const { labels } = samples;
  const entries: [string, string | bigint][] = [];
  for (let at = samples.labelStart[row]!; at < samples.labelStart[row + 1]!; at++) {
    entries.push([text(labels.key[at]!), labels.str[at] === 0 ? labels.num[at]! : text(labels.str[at]!)]);
  }
  const width = sampleTypes.length;
  return {
    stack: Array.from(rows, (location) => locations.address[location]!),
    values: Array.from(samples.values.subarray(row * width, (row + 1) * width)),
    labels: Object.fromEntries(entries),
    capture: captureOf(samples.captures, row),
  };
}

function captureOf(captures: CaptureTable | undefined, row: number): DecodedSample['capture'] {
  if (captures === undefined || captures.space[row] === NO_ROW) return undefined;
  const register = (number: number) => captures.registers[row * registersPerSample[captures.architecture] + number]!;
  const stackBytes = captures.stacks[row]!.length;
  return { pc: register(Amd64.pc), sp: register(Amd64.sp), fp: register(Amd64.fp), stackBytes };
}
