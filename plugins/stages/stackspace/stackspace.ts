/** Breaks the stacks of a goroutine profile down by frame. */
import {
  type BinaryStore,
  Budget,
  FormatError,
  moveUnknown,
  NO_ROW,
  type Profile,
  ProfileEditor,
  type StageItemContext,
  stringAt,
  UnknownIn,
} from '../../../core/index.js';
import type { StackspaceOptions } from '../../../schemas/gen/options/stackspace.js';
import { cutDepths } from './cut-stacks.js';
import type { FrameCache } from './frame-cache.js';
import { type FrameSizes, frameSizes } from './frame-sizes.js';
import { countType, type GoroutineStacks, goroutineStacks } from './goroutine-stacks.js';
import { processStacks } from './process-stacks.js';
import type { StackspaceReport } from './report.js';
import { NO_LABELS, SampleRows } from './sample-rows.js';
import { type StackSizes, stackSizes } from './stack-sizes.js';

/** File of the virtual functions: no real file has this name. */
const VIRTUAL_FILE = '<builtin>';
const SIGNAL_STACK = 'runtime._SignalStack';
const SYSTEM_STACK = 'runtime._SystemStack';

type Context = Pick<StageItemContext<StackspaceReport>, 'item' | 'limits' | 'count' | 'warn' | 'report'>;

/**
 * Every stack becomes a sample for each of its prefixes from the root, with the bytes of the last frame times the number of goroutines
 * that have the prefix; equal prefixes become one sample. The number of goroutines, and values of other types, stay on the whole stack.
 * @throws ItemError E_SAMPLE_TYPE, E_BINARY_DIFFERS, E_NO_BINARY, E_STACKS_BYTES; FormatError E_LIMIT, E_OVERFLOW
 */
export function addStackSpace(
  profile: Profile,
  options: Omit<StackspaceOptions, 'metrics'>,
  binaries: BinaryStore,
  cache: FrameCache,
  context: Context,
): Profile {
  const { sampleTypes, strings } = profile;
  if (sampleTypes.some(({ type }) => stringAt(strings, type) === options.sample_type)) {
    context.warn('has_stack_space', `the profile has the sample type "${options.sample_type}" already: left as it is`);
    return profile;
  }
  const type = countType(profile);
  const sizes = frameSizes(profile, binaries, cache);
  const stacks = goroutineStacks(profile, type);
  const stackBytes = stackSizes(profile, stacks.tree, sizes);
  const report = reportOf(stacks, stackBytes, sizes);
  const process = processStacks(options, Number(report.frameBytes + report.freeBytes), sizes.usesCgo, context.item);
  for (const [reason, count] of sizes.reasons) context.count(`locations_unsized.${reason}`, count);
  context.report(process === undefined ? report : { ...report, process: process.report });

  const editor = new ProfileEditor(profile);
  const virtual = (name: string): number => {
    const row = editor.function({ name, systemName: name, filename: VIRTUAL_FILE, startLine: 0 });
    return editor.addLocation({ lines: [{ function: row, line: 0 }] });
  };
  const free = virtual(options.free_name);
  const writer = new Writer(profile, stacks, type, context);
  writer.writeStacks(sizes, stackBytes, free);
  if (process !== undefined) {
    const { signalBytes, systemBytes, restBytes } = process;
    if (signalBytes > 0) writer.writeBytes([virtual(SIGNAL_STACK), free], signalBytes);
    if (systemBytes > 0) writer.writeBytes([virtual(SYSTEM_STACK), free], systemBytes);
    if (restBytes > 0) writer.writeBytes([free], restBytes);
  }
  const spaceType = { type: editor.string(options.sample_type), unit: editor.string('bytes') };
  return writer.finish({ ...editor.finish(), sampleTypes: [...sampleTypes, spaceType] });
}

/** Writes the new samples. */
class Writer {
  readonly #profile: Profile;
  readonly #stacks: GoroutineStacks;
  readonly #countType: number;
  readonly #spaceType: number;
  readonly #rows: SampleRows;
  /** New row by old one. */
  readonly #wholeRow: Uint32Array;

  constructor(profile: Profile, stacks: GoroutineStacks, type: number, { limits }: Context) {
    this.#profile = profile;
    this.#stacks = stacks;
    this.#countType = type;
    this.#spaceType = profile.sampleTypes.length;
    this.#wholeRow = new Uint32Array(stacks.tree.length).fill(NO_ROW);
    const { depth, length } = stacks.tree;
    let rows = 3;
    let entries = 5;
    for (let node = 0; node < length; node++) {
      rows += 1 + stacks.isWhole[node]!;
      entries += depth[node]! + stacks.isWhole[node]! * (depth[node]! + 1);
    }
    // A prefix for every frame of a deep stack: its number of entries is the square of its depth.
    new Budget(limits).check('steps', entries, { section: 'prefixes of stacks' });
    this.#rows = new SampleRows(profile, rows, entries, profile.sampleTypes.length + 1);
  }

  writeStacks({ bytes }: FrameSizes, { used, smallest }: StackSizes, freeLocation: number): void {
    const { tree, own, through, isWhole, labelsOf } = this.#stacks;
    const rootNumber = new Uint32Array(tree.length);
    for (let node = 0; node < tree.length; node++) {
      const isRoot = tree.depth[node] === 0;
      rootNumber[node] = isRoot ? tree.location[node]! : rootNumber[tree.parent[node]!]!;
      const labels = labelsOf[rootNumber[node]!]!;
      const space = isRoot ? 0 : through[node]! * bytes[tree.location[node]!]!;
      if (space !== 0 || isWhole[node] === 1) {
        this.#pushStack(node);
        const row = this.#rows.end(labels);
        this.#rows.set(row, this.#spaceType, space);
        if (isWhole[node] === 1) {
          this.#rows.set(row, this.#countType, own[node]!);
          this.#wholeRow[node] = row;
        }
      }
      const free = own[node]! * (smallest[node]! - used[node]!);
      if (free === 0) continue;
      this.#rows.push(freeLocation);
      this.#pushStack(node);
      this.#rows.set(this.#rows.end(labels), this.#spaceType, free);
    }
  }

  /** A sample of bytes only. @param stack leaf first */
  writeBytes(stack: readonly number[], bytes: number): void {
    for (const location of stack) this.#rows.push(location);
    this.#rows.set(this.#rows.end(NO_LABELS), this.#spaceType, bytes);
  }

  /** @param profile the tables that the new samples refer to */
  finish(profile: Profile): Profile {
    const { samples, sampleTypes } = this.#profile;
    const newRow = this.#stacks.nodeOf.map((node) => this.#wholeRow[node]!);
    const types = sampleTypes.length;
    for (let type = 0; type < types; type++) {
      if (type === this.#countType) continue;
      newRow.forEach((row, sample) => {
        this.#rows.add(row, type, samples.values[sample * types + type]!);
      });
    }
    const unknown = moveUnknown(profile.unknown, [
      [UnknownIn.sample, newRow],
      // Labels stand on several samples now, or on fewer.
      [UnknownIn.label, new Uint32Array(samples.labels.length).fill(NO_ROW)],
    ]);
    return { ...profile, samples: this.#rows.finish(), unknown };
  }

  #pushStack(node: number): void {
    const { parent, location, depth } = this.#stacks.tree;
    for (let at = node; depth[at] !== 0; at = parent[at]!) this.#rows.push(location[at]!);
  }
}

/** @throws FormatError E_OVERFLOW for more bytes than a double counts exactly: 8 PiB */
function reportOf(stacks: GoroutineStacks, bytes: StackSizes, sizes: FrameSizes): StackspaceReport {
  const { tree, own, through, isWhole } = stacks;
  let [goroutines, withoutStack, frameBytes, freeBytes, aboveRootBytes, grownBytes, unsizedFrames] = [
    0, 0, 0, 0, 0, 0, 0,
  ];
  let [sumOfAbsolutes, mostFrames] = [0, 0];
  for (let node = 0; node < tree.length; node++) {
    const isRoot = tree.depth[node] === 0;
    if (!isRoot && sizes.isUnsized[tree.location[node]!] === 1) unsizedFrames += through[node]!;
    if (isWhole[node] === 0) continue;
    const count = own[node]!;
    const size = bytes.smallest[node]!;
    sumOfAbsolutes += Math.abs(count) * size;
    goroutines += count;
    if (isRoot) withoutStack += count;
    frameBytes += count * bytes.used[node]!;
    freeBytes += count * (size - bytes.used[node]!);
    aboveRootBytes += count * sizes.bytesAboveRoot;
    grownBytes += bytes.mayBeTwice[node]! * count * size;
    mostFrames = Math.max(mostFrames, bytes.frames[node]!);
  }
  if (sumOfAbsolutes > Number.MAX_SAFE_INTEGER) {
    throw new FormatError('E_OVERFLOW', 'more bytes of stack than there can be', {
      got: sumOfAbsolutes,
      limit: Number.MAX_SAFE_INTEGER,
    });
  }
  return {
    goroutines: BigInt(goroutines),
    withoutStack: BigInt(withoutStack),
    frameBytes: BigInt(frameBytes),
    freeBytes: BigInt(freeBytes),
    aboveRootBytes: BigInt(aboveRootBytes),
    grownBytes: BigInt(grownBytes),
    unsizedFrames: BigInt(unsizedFrames),
    cut: Object.fromEntries(
      cutDepths(mostFrames, sizes.isByName)
        .map((frames) => [frames, BigInt(goroutinesWith(frames, stacks, bytes))] as const)
        .filter(([, cut]) => cut !== 0n),
    ),
  };
}

function goroutinesWith(frames: number, { tree, own }: GoroutineStacks, bytes: StackSizes): number {
  let sum = 0;
  for (let node = 0; node < tree.length; node++) if (bytes.frames[node] === frames) sum += own[node]!;
  return sum;
}
