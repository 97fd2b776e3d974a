/** Compares the frames of a goroutine profile with the stacks themselves, as test/live/programs/stacks writes them down. */
import { type Profile, stringAt } from '../../core/index.js';
import type { FrameSizes } from '../../plugins/stages/stackspace/frame-sizes.js';

/** A stack as the process saw it. Places are bytes from its end: frames grow to larger ones. */
export interface TrueStack {
  readonly size: number;
  /** Place of the saved stack pointer. */
  readonly used: number;
  /** Words that point into code, by place. */
  readonly words: ReadonlyMap<number, bigint>;
}

export interface Truth {
  readonly stacks: readonly TrueStack[];
  /** /memory/classes/heap/stacks:bytes */
  readonly stacksBytes: number;
  readonly threads: number;
}

export function parseTruth(jsonLines: string): Truth {
  const rows = jsonLines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const { stacksBytes, threads } = rows.pop();
  const stacks = rows.map(({ size, used, words }) => ({
    size,
    used,
    words: new Map((words as [number, number][]).map(([place, word]) => [place, BigInt(word)])),
  }));
  return { stacks, stacksBytes, threads };
}

/** One goroutine of the profile and the stack that it stands for. */
export interface Match {
  readonly sample: number;
  readonly stack: TrueStack;
  /** Bytes of frames that the profile does not show: of wrappers, and of callers beyond those that Go records. */
  readonly hiddenBytes: number;
}

export interface Matches {
  readonly matches: readonly Match[];
  readonly frames: number;
  /** Samples with more goroutines than stacks that fit them, as text. */
  readonly unmatched: readonly string[];
}

/**
 * Gives each sample the stacks that fit all of its frames: the bytes of every frame lead from one return address to the next, and at
 * last to the saved stack pointer. A frame above which something is hidden begins below some other return address.
 * @param options.mostFrames as many as Go records, inlined ones counted: callers of a stack that has them may be missing
 */
export function matchStacks(
  profile: Profile,
  sizes: FrameSizes,
  truth: Truth,
  { mostFrames, architecture }: { readonly mostFrames: number; readonly architecture: keyof typeof layouts },
): Matches {
  const { samples, locations } = profile;
  const free = new Set(truth.stacks);
  const matches: Match[] = [];
  let frames = 0;
  const wanted = Array.from({ length: samples.length }, (_, sample) => {
    const stack = samples.stackLocations
      .subarray(samples.stackStart[sample]!, samples.stackStart[sample + 1]!)
      .toReversed();
    const rows = Array.from(stack, (row) => ({
      address: locations.address[row]!,
      bytes: sizes.bytes[row]!,
      name: nameOf(profile, row),
    }));
    const lines = stack.reduce((sum, row) => sum + locations.lineStart[row + 1]! - locations.lineStart[row]!, 0);
    return { sample, rows, isCut: lines >= mostFrames, left: rows.length === 0 ? 0 : Number(samples.values[sample]!) };
  });
  // With hidden frames a stack may fit several samples: those without come first, and those of more frames.
  wanted.sort((a, b) => b.rows.length - a.rows.length);
  for (const mayHide of [false, true]) {
    for (const want of wanted) {
      for (const candidate of free) {
        if (want.left === 0) break;
        const above = want.isCut ? bytesAboveCut(want.rows, candidate) : sizes.bytesAboveRoot;
        const fitted = fit(want.rows, candidate, above, layouts[architecture]);
        const hiddenBytes = fitted === undefined ? undefined : fitted + above - sizes.bytesAboveRoot;
        if (hiddenBytes === undefined || (hiddenBytes > 0 && !mayHide)) continue;
        free.delete(candidate);
        matches.push({ sample: want.sample, stack: candidate, hiddenBytes });
        frames += want.rows.length;
        want.left--;
      }
    }
  }
  const unmatched = wanted
    .filter(({ left }) => left > 0)
    .map(({ sample, rows, left }) => `${left} of ${samples.values[sample]}: ${rows.map(({ name }) => name).join(';')}`);
  return { matches, frames, unmatched };
}

/** Where the frames that are there begin, if none of them is hidden. */
const bytesAboveCut = (rows: readonly FrameRow[], { used }: TrueStack): number =>
  used - rows.reduce((sum, { bytes }) => sum + bytes, 0);

interface FrameRow {
  readonly address: bigint;
  readonly bytes: number;
  readonly name: string;
}

/**
 * @param rows root first
 * @param place where the root's frame begins
 * @returns bytes of hidden frames; undefined where the stack is another one
 */
function fit(rows: readonly FrameRow[], stack: TrueStack, place: number, layout: Layout): number | undefined {
  const hiddenBytes = fitFrom(rows, stack, place, layout);
  if (hiddenBytes !== undefined) return hiddenBytes;
  // A hidden frame above the root may be as large as the root's own.
  const lower = layout.findBelow(rows, 0, place, stack);
  const hiddenBelow = lower === undefined || lower <= place ? undefined : fitFrom(rows, stack, lower, layout);
  return hiddenBelow === undefined ? undefined : hiddenBelow + lower! - place;
}

function fitFrom(rows: readonly FrameRow[], stack: TrueStack, place: number, layout: Layout): number | undefined {
  let hiddenBytes = 0;
  let start = place;
  for (const [index, { bytes }] of rows.entries()) {
    if (!layout.isAt(rows, index, start, stack)) {
      const shown = start;
      const lower = layout.findBelow(rows, index, shown, stack);
      if (lower === undefined || lower < shown) return undefined;
      hiddenBytes += lower - shown;
      start = lower;
    }
    start += bytes;
  }
  return hiddenBytes;
}

/** Where a processor's calls leave their return addresses. */
interface Layout {
  /** Whether a frame begins at a place, right below its caller's. */
  isAt(rows: readonly FrameRow[], index: number, start: number, stack: TrueStack): boolean;
  /** Where a frame begins that has something hidden above it, which was called from its caller. */
  findBelow(rows: readonly FrameRow[], index: number, shown: number, stack: TrueStack): number | undefined;
}

const isReturnTo = (words: TrueStack['words'], place: number, { address }: FrameRow): boolean =>
  words.get(place) === address + 1n || words.get(place) === address;

/** A call pushes the return address: it is the first word of the callee's frame. */
const amd64: Layout = {
  isAt(rows, index, start, { used, words }) {
    const { bytes, name } = rows[index]!;
    const end = start + bytes;
    if (index < rows.length - 1) return isReturnTo(words, end + 8, rows[index]!);
    // C code runs on another stack, but the saved pointer is that of the call's last step on this one.
    return end === used || (name === 'runtime.cgocall' && words.has(end + 8));
  },
  findBelow(rows, index, shown, { used, words }) {
    const { bytes } = rows[index]!;
    const start =
      index === rows.length - 1
        ? used - bytes
        : [...words.keys()]
            .map((at) => at - 8 - bytes)
            .find((at) => at > shown && isReturnTo(words, at + bytes + 8, rows[index]!) && words.has(at + 8));
    return start !== undefined && words.has(start + 8) ? start : undefined;
  },
};

/** The callee saves the return address itself: it is the last word of its frame. */
const arm64: Layout = {
  isAt(rows, index, start, { used, words }) {
    const end = start + rows[index]!.bytes;
    if (index === rows.length - 1 && end !== used) return false;
    // A goroutine that has not run has nothing saved.
    return rows[index]!.bytes === 0 || (index === 0 ? words.has(end) : isReturnTo(words, end, rows[index - 1]!));
  },
  findBelow(rows, index, shown, stack) {
    const { used, words } = stack;
    const { bytes } = rows[index]!;
    const places = [...words.keys()];
    const firstHiddenEnd =
      index === 0 ? shown : places.find((place) => place > shown && isReturnTo(words, place, rows[index - 1]!));
    if (firstHiddenEnd === undefined) return undefined;
    const isLeaf = index === rows.length - 1;
    const candidates = places.filter(
      (start) =>
        start >= firstHiddenEnd &&
        words.has(start + bytes) &&
        (isLeaf
          ? start + bytes === used
          : places.some((place) => place > start + bytes && isReturnTo(words, place, rows[index]!))),
    );
    return candidates.find((start) => isLeaf || arm64.isAt(rows, index + 1, start + bytes, stack)) ?? candidates[0];
  },
};

const layouts = { amd64, arm64 };

function nameOf({ locations, functions, strings }: Profile, row: number): string {
  const last = locations.lineStart[row + 1]! - 1;
  return last < locations.lineStart[row]!
    ? `0x${locations.address[row]!.toString(16)}`
    : stringAt(strings, functions.name[locations.lines.function[last]!]!);
}
