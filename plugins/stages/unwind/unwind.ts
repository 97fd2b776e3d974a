/** Captured registers and stacks of a profile become stacks of locations: a pure function of the profile and the binaries. */
import { registerFile } from '../../../core/binaries.js';
import {
  type BinaryStore,
  type CaptureTable,
  compactProfile,
  NO_ROW,
  type Profile,
  ProfileEditor,
} from '../../../core/index.js';
import type { UnwindOptions } from '../../../schemas/gen/options/unwind.js';
import type { TableCache } from './binary-tables.js';
import { type Ending, isComplete } from './ending.js';
import { LocationRows } from './location-rows.js';
import { Modules } from './modules.js';
import { ReportBuilder, type UnwindReport } from './report.js';
import { Sites } from './site.js';
import { Walker } from './walker.js';

/** Name of the root frame of stacks that end too early. */
const TRUNCATED = '[truncated]';

export interface Unwound {
  readonly profile: Profile;
  /** By sample; undefined for one without a capture. */
  readonly endings: readonly (Ending | undefined)[];
  readonly report: UnwindReport;
  /** What a person should know, each once: the sentence and its code. */
  readonly warnings: ReadonlyMap<string, string>;
}

/** @param cache kept over profiles @returns the profile itself when it has no captures */
export function unwind(
  profile: Profile,
  binaries: BinaryStore,
  cache: TableCache,
  options: Pick<UnwindOptions, 'depth' | 'truncated' | 'audit'>,
): Unwound {
  const { captures } = profile.samples;
  if (captures === undefined) {
    const endings = Array(profile.samples.length).fill(undefined);
    return {
      profile,
      endings,
      report: new ReportBuilder().finish({ go: 0, cfi: 0, signal_return: 0, frame_pointer: 0 }, []),
      warnings: new Map(),
    };
  }
  const marked = options.truncated ? withTruncatedFrame(profile) : { profile, row: undefined };
  const registers = registerFile(captures.architecture)!;
  const modules = new Modules(marked.profile, binaries, cache, registers);
  const rows = new LocationRows(marked.profile.locations);
  const sites = new Sites(modules, rows, options.audit);
  const walker = new Walker(cache.kernel, registers, sites, options.depth, options.audit);
  const unwinding = new Unwinding(marked.profile, captures, rows, walker);
  const unwound = compactProfile(unwinding.run(marked.row));
  const { endings, report } = unwinding;
  return {
    profile: unwound,
    endings,
    report: report.finish(walker.steps, walker.audit?.rows ?? []),
    warnings: modules.warnings(),
  };
}

class Unwinding {
  readonly endings: (Ending | undefined)[] = [];
  readonly report = new ReportBuilder();
  readonly #profile: Profile;
  readonly #captures: CaptureTable;
  readonly #rows: LocationRows;
  readonly #walker: Walker;
  /** Stacks so far: location rows. */
  #stack: Uint32Array;
  #used = 0;

  constructor(profile: Profile, captures: CaptureTable, rows: LocationRows, walker: Walker) {
    this.#profile = profile;
    this.#captures = captures;
    this.#rows = rows;
    this.#walker = walker;
    this.#stack = new Uint32Array(Math.max(1024, 4 * profile.samples.stackLocations.length));
  }

  /** @param truncatedRow location that is put at the root of stacks that end too early */
  run(truncatedRow: number | undefined): Profile {
    const { samples } = this.#profile;
    const stackStart = new Uint32Array(samples.length + 1);
    for (let sample = 0; sample < samples.length; sample++) {
      for (let at = samples.stackStart[sample]!; at < samples.stackStart[sample + 1]!; at++) {
        this.#push(samples.stackLocations[at]!);
      }
      const ending = this.#walk(sample);
      this.endings.push(ending);
      if (truncatedRow !== undefined && ending !== undefined && !isComplete(ending)) this.#push(truncatedRow);
      stackStart[sample + 1] = this.#used;
    }
    const { captures: _, ...table } = samples;
    const stackLocations = this.#stack.slice(0, this.#used);
    return { ...this.#profile, locations: this.#rows.finish(), samples: { ...table, stackStart, stackLocations } };
  }

  /** @returns undefined for a sample without a capture */
  #walk(sample: number): Ending | undefined {
    if (this.#captures.space[sample] === NO_ROW) return undefined;
    const walker = this.#walker;
    const ending = walker.walk(this.#captures, sample);
    const { frameCount } = walker;
    // A sample may come while the kernel puts a signal's frame on the stack: the stack pointer is the handler's then, the pc is still that
    // of what is interrupted, which follows behind the frame. Else nothing is called by the instruction that it is at.
    const isDelivered = frameCount > 1 && this.#used > 0 && walker.frame(1) === this.#stack[this.#used - 1];
    for (let index = isDelivered ? 2 : 0; index < frameCount; index++) this.#push(walker.frame(index));
    this.report.end(ending, walker.lastModule);
    return ending;
  }

  #push(row: number): void {
    if (this.#used === this.#stack.length) {
      const larger = new Uint32Array(2 * this.#used);
      larger.set(this.#stack);
      this.#stack = larger;
    }
    this.#stack[this.#used++] = row;
  }
}

/** The profile and a location of no address with a frame of that name. */
function withTruncatedFrame(profile: Profile): { readonly profile: Profile; readonly row: number } {
  const editor = new ProfileEditor(profile);
  const row = editor.addLocation({ lines: [{ function: editor.function({ name: TRUNCATED }), line: 0 }] });
  return { profile: editor.finish(), row };
}
