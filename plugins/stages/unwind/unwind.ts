/** Captured registers and stacks of a profile become stacks of locations: a pure function of the profile and the binaries. */
import { registerFile } from '../../../core/binaries.js';
import {
  type BinaryStore,
  type CaptureTable,
  compactProfile,
  NO_ROW,
  type Profile,
  ProfileEditor,
  TRUNCATED_FRAME,
} from '../../../core/index.js';
import type { UnwindOptions } from '../../../schemas/gen/options/unwind.js';
import type { TableCache } from './binary-tables.js';
import type { Ending } from './ending.js';
import { endingsByCode } from './kernel-endings.js';
import { LocationRows } from './location-rows.js';
import { Modules } from './modules.js';
import { ReportBuilder, type UnwindReport } from './report.js';
import { type Site, Sites } from './site.js';
import type { Walks } from './walk-kernel.js';
import { Walker } from './walker.js';

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
  const walker = new Walker(cache.kernel, registers, sites, captures, options);
  const { captures: _, ...table } = marked.profile.samples;
  const { stackStart, stackLocations, ...ends } = walker.walk(table, marked.row);
  const samples = { ...table, stackStart, stackLocations };
  return {
    profile: compactProfile({ ...marked.profile, locations: rows.finish(), samples }),
    endings: Array.from(captures.space, (space, sample) =>
      space === NO_ROW ? undefined : endingsByCode[ends.endings[sample]!]!,
    ),
    report: countEnds(captures, ends, walker.sites).finish(walker.steps, walker.audit?.rows ?? []),
    warnings: modules.warnings(),
  };
}

/** @param sites by number */
function countEnds({ space }: CaptureTable, ends: Pick<Walks, 'endings' | 'lastSites'>, sites: readonly Site[]) {
  const kinds = endingsByCode.length;
  const stacks = new Uint32Array(sites.length * kinds);
  for (let sample = 0; sample < space.length; sample++) {
    if (space[sample] !== NO_ROW) stacks[ends.lastSites[sample]! * kinds + ends.endings[sample]!]!++;
  }
  const report = new ReportBuilder();
  for (const [at, count] of stacks.entries()) {
    if (count > 0) report.end(endingsByCode[at % kinds]!, sites[Math.floor(at / kinds)]!.module, count);
  }
  return report;
}

/** The profile and a location of no address with a frame of that name. */
function withTruncatedFrame(profile: Profile): { readonly profile: Profile; readonly row: number } {
  const editor = new ProfileEditor(profile);
  const row = editor.addLocation({ lines: [{ function: editor.function({ name: TRUNCATED_FRAME }), line: 0 }] });
  return { profile: editor.finish(), row };
}
