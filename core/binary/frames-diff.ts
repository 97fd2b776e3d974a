/**
 * Frames of one program built twice: by another version of Go, or with another profile for its optimizations.
 *
 * Functions are matched by name; those of one name (a function and its ABI wrapper) count by their largest frame. Go 1.27 names closures
 * after the function that they stand in, earlier versions also after those that it was inlined into, so closures that no name
 * matches are matched by where they stand in the source.
 */
import type { Binary } from './binary.js';
import { functionFrames } from './frames.js';

export interface FrameChange {
  /** As it is called in the later binary. */
  readonly function: string;
  /** As it was called in the earlier one: one name, or several. */
  readonly was: readonly string[];
  /** Largest pcsp values, see `FunctionFrame.frameBytes`. */
  readonly before: number;
  readonly after: number;
}

export interface FramesDiff {
  /** Frames that are not as large as they were: most grown first, then by name. */
  readonly changed: readonly FrameChange[];
  readonly same: number;
  /** Functions without a match. */
  readonly gone: number;
  readonly added: number;
}

/** `main.f.func1`, `main.f.gowrap2`, `main.f.deferwrap1`, `main.f-range1`, also inside of others. */
const closureName = /[.-](func|gowrap|deferwrap|range)\d/;

/** @throws FormatError E_GO_NO_TABLE, or of the tables */
export function diffFrames(before: Binary, after: Binary): FramesDiff {
  const earlier = largestFrames(before);
  const later = largestFrames(after);
  const changed: FrameChange[] = [];
  let same = 0;
  const compare = (name: string, was: readonly string[], from: number, to: number): void => {
    if (from === to) same++;
    else changed.push({ function: name, was, before: from, after: to });
  };
  for (const [name, { bytes }] of later) {
    const match = earlier.get(name);
    if (match === undefined) continue;
    compare(name, [name], match.bytes, bytes);
    earlier.delete(name);
    later.delete(name);
  }
  const earlierAt = closuresByPlace(before, earlier);
  for (const [place, names] of closuresByPlace(after, later)) {
    const matches = earlierAt.get(place);
    if (matches === undefined) continue;
    const largest = (frames: ReadonlyMap<string, NamedFrame>, of: readonly string[]) =>
      Math.max(...of.map((name) => frames.get(name)!.bytes));
    compare(names[0]!, matches, largest(earlier, matches), largest(later, names));
    for (const name of names) later.delete(name);
    for (const name of matches) earlier.delete(name);
  }
  changed.sort((a, b) => b.after - b.before - (a.after - a.before) || (a.function < b.function ? -1 : 1));
  return { changed, same, gone: earlier.size, added: later.size };
}

interface NamedFrame {
  readonly bytes: number;
  readonly entry: bigint;
}

function largestFrames(binary: Binary): Map<string, NamedFrame> {
  const frames = new Map<string, NamedFrame>();
  for (const { function: name, frameBytes, entry } of functionFrames(binary)) {
    if (frameBytes === undefined || name === '') continue;
    const known = frames.get(name);
    if (known === undefined || known.bytes < frameBytes) frames.set(name, { bytes: frameBytes, entry });
  }
  return frames;
}

/** Names by "folder/file.go:line" of the closure: the folders above differ between machines. */
function closuresByPlace(binary: Binary, frames: ReadonlyMap<string, NamedFrame>): Map<string, string[]> {
  const names = new Map<string, string[]>();
  for (const [name, { entry }] of frames) {
    if (!closureName.test(name)) continue;
    const frame = binary.go?.frames(Number(entry - binary.imageBase)).at(-1);
    if (frame === undefined) continue;
    const place = `${frame.file.split('/').slice(-2).join('/')}:${frame.startLine === 0 ? frame.line : frame.startLine}`;
    const known = names.get(place);
    if (known === undefined) names.set(place, [name]);
    else known.push(name);
  }
  return names;
}
