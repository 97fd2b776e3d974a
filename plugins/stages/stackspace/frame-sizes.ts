/** Bytes of stack by location of a profile, from the binaries behind its mappings. */
import {
  type Binary,
  type BinaryStore,
  compareBuildId,
  FormatError,
  ItemError,
  NO_ROW,
  type Profile,
  stringAt,
} from '../../../core/index.js';
import type { FrameCache, Unusable } from './frame-cache.js';
import { type Frame, type FunctionFrames, withoutTypeArguments } from './function-frames.js';
import { type CodePlace, findInlineMarks } from './inline-marks.js';
import { findLoadAddress } from './load-address.js';

export interface FrameSizes {
  /** By location row: bytes of the physical frame; 0 where it is not known. */
  readonly bytes: Float64Array;
  /** By location row: see `bytesNeeded`; 0 where it is not known. */
  readonly needed: Float64Array;
  /** By location row: 1 where the frame is not known. */
  readonly isUnsized: Uint8Array;
  /** Locations whose frame is not known, by reason. */
  readonly reasons: ReadonlyMap<string, number>;
  readonly bytesAboveRoot: number;
  /** Whether frames were found by name: text of debug=2 has no addresses. */
  readonly isByName: boolean;
  /** Whether C code is linked in: the C library keeps the threads' own stacks then. Costs a look at all names of the binary. */
  usesCgo(): boolean;
}

/**
 * @throws ItemError E_BINARY_DIFFERS for a binary that is not the profile's: by build ID, by the functions at its addresses, or
 *   because there is none at one of them; E_NO_BINARY when no location could be looked up
 */
export function frameSizes(profile: Profile, binaries: BinaryStore, cache: FrameCache): FrameSizes {
  const { length, mapping } = profile.locations;
  const sizes = {
    bytes: new Float64Array(length),
    needed: new Float64Array(length),
    isUnsized: new Uint8Array(length),
    reasons: new Map<string, number>(),
    bytesAboveRoot: 0,
  };
  const works = new Map<number, MappingFrames | Unusable>();
  let missing: Unusable | undefined;
  for (let location = 0; location < length; location++) {
    let work = works.get(mapping[location]!);
    if (work === undefined) {
      work = mappingFrames(profile, mapping[location]!, binaries, cache);
      works.set(mapping[location]!, work);
    }
    const frame = 'reason' in work ? work : work.frameOf(location);
    if ('reason' in frame) {
      sizes.isUnsized[location] = 1;
      sizes.reasons.set(frame.reason, (sizes.reasons.get(frame.reason) ?? 0) + 1);
      missing ??= frame;
      continue;
    }
    sizes.bytes[location] = frame.bytes;
    sizes.needed[location] = frame.needed;
  }
  const unmapped = works.get(NO_ROW);
  if (unmapped !== undefined && !('reason' in unmapped)) {
    findInlineMarks(profile, (location) => unmapped.placeOf(location))?.forEach((isMark, location) => {
      if (isMark === 1) sizes.bytes[location] = sizes.needed[location] = 0;
    });
  }
  for (const work of works.values()) {
    if ('reason' in work) continue;
    sizes.bytesAboveRoot = Math.max(sizes.bytesAboveRoot, work.frames.layout.bytesAboveRoot);
  }
  const text = works.get(NO_ROW);
  if (text !== undefined && 'frames' in text) clearInlinedCallers(profile, sizes, text);
  const unsized = [...sizes.reasons.values()].reduce((sum, count) => sum + count, 0);
  if (missing !== undefined && unsized === length) throw new ItemError('E_NO_BINARY', missing.message);
  const all = [...works.values()].filter((work) => 'frames' in work);
  return {
    ...sizes,
    isByName: all.some((work) => work.isByName),
    usesCgo: () => all.some((work) => work.frames.usesCgo),
  };
}

/**
 * Lists of addresses in text (debug=1) have a place for inlined calls too, and its caller another one in the same frame: only the innermost
 * is that of a call. What is inlined there says which they are: the caller's frames are those of the callee but for the first.
 */
function clearInlinedCallers(
  { samples, locations }: Profile,
  { bytes, needed }: Pick<FrameSizes, 'bytes' | 'needed'>,
  text: MappingFrames,
): void {
  const { stackStart, stackLocations } = samples;
  const known = new Map<number, readonly string[]>();
  const placesOf = (location: number): readonly string[] => {
    let places = known.get(location);
    if (places === undefined) {
      places = locations.mapping[location] === NO_ROW && bytes[location] !== 0 ? text.inlinedPlaces(location) : [];
      known.set(location, places);
    }
    return places;
  };
  const inlinedCallers = new Set<number>();
  for (let sample = 0; sample < samples.length; sample++) {
    for (let at = stackStart[sample]! + 1; at < stackStart[sample + 1]!; at++) {
      const callee = placesOf(stackLocations[at - 1]!);
      if (callee.length < 2) continue;
      const caller = placesOf(stackLocations[at]!);
      if (caller.join('\n') === callee.slice(1).join('\n')) inlinedCallers.add(stackLocations[at]!);
    }
  }
  for (const location of inlinedCallers) {
    bytes[location] = 0;
    needed[location] = 0;
  }
}

const refusals: ReadonlySet<string> = new Set(['build_id_differs', 'mapping_differs']);

function mappingFrames(
  profile: Profile,
  row: number,
  binaries: BinaryStore,
  cache: FrameCache,
): MappingFrames | Unusable {
  const mapped = binaries.forMapping(profile, row);
  if (mapped.binary === undefined) {
    if (refusals.has(mapped.reason)) throw new ItemError('E_BINARY_DIFFERS', mapped.message);
    return mapped;
  }
  if (mapped.passedOver !== undefined) throw new ItemError('E_BINARY_DIFFERS', mapped.passedOver);
  const frames = cache.of(mapped.binary);
  if ('reason' in frames) return frames;
  const loadAddress =
    row === NO_ROW && mapped.binary.isPositionIndependent ? findLoadAddress(profile, frames) : undefined;
  const toObjectAddress =
    loadAddress === undefined
      ? mapped.toObjectAddress
      : (runtimeAddress: bigint) => Number(runtimeAddress) - loadAddress;
  return new MappingFrames(profile, row, mapped.binary, frames, toObjectAddress);
}

class MappingFrames {
  readonly frames: FunctionFrames;
  /** Whether some were found by name. */
  isByName = false;
  readonly #profile: Profile;
  readonly #binary: Binary;
  readonly #toObjectAddress: (runtimeAddress: bigint) => number | undefined;
  readonly #buildId: string;
  readonly #isSameBuild: boolean;

  constructor(
    profile: Profile,
    row: number,
    binary: Binary,
    frames: FunctionFrames,
    toObjectAddress: (runtimeAddress: bigint) => number | undefined,
  ) {
    this.#profile = profile;
    this.#binary = binary;
    this.frames = frames;
    this.#toObjectAddress = toObjectAddress;
    this.#buildId = row === NO_ROW ? '' : stringAt(profile.strings, profile.mappings.buildId[row]!);
    this.#isSameBuild = compareBuildId(binary, this.#buildId) === 'same';
  }

  frameOf(location: number): Frame | Unusable {
    try {
      return this.#frameOf(location);
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      return { reason: 'spoilt_go_table', message: `${this.#binary.path}: ${error.describe()}` };
    }
  }

  /** Undefined outside of Go's code, and where the tables are spoilt. */
  placeOf(location: number): CodePlace | undefined {
    const { go } = this.frames;
    const pc = this.#toObjectAddress(this.#profile.locations.address[location]!);
    try {
      const depth = pc === undefined ? 0 : go.frames(pc).length;
      return depth === 0 ? undefined : { functionIndex: go.find(pc!), depth };
    } catch (error) {
      if (error instanceof FormatError) return undefined;
      throw error;
    }
  }

  /** What stands at a location by address, innermost first, as function, file and line. */
  inlinedPlaces(location: number): readonly string[] {
    const pc = this.#toObjectAddress(this.#profile.locations.address[location]!);
    if (pc === undefined) return [];
    return this.frames.go.frames(pc).map(({ function: name, file, line }) => `${name} ${file}:${line}`);
  }

  #frameOf(location: number): Frame | Unusable {
    const { locations } = this.#profile;
    const address = locations.address[location]!;
    const name = this.#physicalName(location);
    const pc = this.#toObjectAddress(address);
    const { go } = this.frames;
    const isInText = pc !== undefined && pc >= go.textStart && pc < go.textEnd;
    if (!isInText && locations.mapping[location] === NO_ROW && name !== undefined) {
      return this.#frameByName(name, location, Number(address));
    }
    const functionIndex = pc === undefined ? -1 : go.find(pc);
    const frame = functionIndex < 0 ? undefined : this.frames.at(functionIndex, pc!);
    if (frame === undefined) return this.#noFunction(address);
    if (!this.#isSameBuild && name !== undefined && !this.#isCalled(name, functionIndex, pc!)) {
      this.#refuse(`at 0x${address.toString(16)} is ${go.name(functionIndex)}, in the profile ${name}`);
    }
    return frame;
  }

  /** Of a location of a text profile, which knows only the function and the offset into it, or not even that. */
  #frameByName(name: string, location: number, offset: number): Frame | Unusable {
    this.isByName = true;
    const candidates = this.frames.named(name === 'panic' ? 'runtime.gopanic' : name);
    if (candidates.length === 0) {
      // What is printed without offset may be inlined everywhere, or stand for frames that are not printed.
      if (offset === 0) return { reason: 'no_function', message: `${this.#binary.path}: no function ${name}` };
      this.#refuse(`it has no function ${name}`);
    }
    const place = this.#lineOf(location);
    const { go } = this.frames;
    const fitting = candidates.filter((index) => offset < go.end(index) - go.entry(index));
    const found =
      fitting.length === 1
        ? fitting[0]!
        : fitting.find((index) =>
            go.frames(go.entry(index) + offset).some(({ file, line }) => `${file}:${line}` === place),
          );
    if (found === undefined)
      return { reason: 'ambiguous_name', message: `${this.#binary.path}: several functions ${name}` };
    const frame = offset === 0 ? this.frames.atCalls(found) : this.frames.at(found, go.entry(found) + offset);
    return frame ?? this.#noFunction(BigInt(offset));
  }

  /** Code outside of Go's functions is C's, if the binary is the profile's for sure. */
  #noFunction(address: bigint): Unusable {
    if (!this.#isSameBuild)
      this.#refuse(`no function at 0x${address.toString(16)}, which is on a stack of the profile`);
    return { reason: 'no_function', message: `${this.#binary.path}: no Go function at 0x${address.toString(16)}` };
  }

  /** Wrappers that the compiler made stand in the binary but not in Go's profiles, which show what is inlined in them. */
  #isCalled(name: string, functionIndex: number, pc: number): boolean {
    const wanted = withoutTypeArguments(name);
    const { go } = this.frames;
    if (withoutTypeArguments(go.name(functionIndex)) === wanted) return true;
    return go.frames(pc).some((frame) => withoutTypeArguments(frame.function) === wanted);
  }

  #physicalName(location: number): string | undefined {
    const { locations, functions, strings } = this.#profile;
    const last = locations.lineStart[location + 1]! - 1;
    if (last < locations.lineStart[location]!) return undefined;
    return stringAt(strings, functions.name[locations.lines.function[last]!]!);
  }

  /** "file:line" of the physical frame. */
  #lineOf(location: number): string {
    const { locations, functions, strings } = this.#profile;
    const last = locations.lineStart[location + 1]! - 1;
    const file = stringAt(strings, functions.filename[locations.lines.function[last]!]!);
    return `${file}:${locations.lines.line[last]}`;
  }

  #refuse(why: string): never {
    const { path, gnuBuildId, goBuildId } = this.#binary;
    const own = gnuBuildId ?? goBuildId;
    const idText = (id: string | undefined) => (id === undefined || id === '' ? 'no build id' : `build id ${id}`);
    throw new ItemError(
      'E_BINARY_DIFFERS',
      `${path} (${idText(own)}) is not the binary of the profile (${idText(this.#buildId)}): ${why}`,
    );
  }
}
