/** How the stacks of a run ended, by the binary in which they did. */
import type { ReportTable } from '../../../core/index.js';
import { type AuditRow, mergeAuditRows } from './audit-rows.js';
import { type Ending, isComplete } from './ending.js';
import type { Module } from './modules.js';
import type { Method } from './walker.js';

export interface EndingRow {
  readonly ending: Ending;
  /** Path of the binary of the last frame; "" where no code is mapped. */
  readonly file: string;
  /** Why there was no binary: "no_binary", "build_id_differs" …; "" where there was one. */
  readonly reason: string;
  readonly stacks: number;
}

export interface UnwindReport {
  readonly stacks: number;
  readonly complete: number;
  /** Frames by how their caller was found. */
  readonly frames: { readonly [method in Method]: number };
  /** In order of ending, file and reason, each once. */
  readonly endings: readonly EndingRow[];
  /** In order of file and means, each once; none without an audit. */
  readonly audit: readonly AuditRow[];
}

export class ReportBuilder {
  /** Stacks by module of the last frame (undefined where no code is mapped) and ending. */
  readonly #ended = new Map<Module | undefined, Map<Ending, number>>();

  end(ending: Ending, module: Module | undefined, stacks: number): void {
    let endings = this.#ended.get(module);
    if (endings === undefined) {
      endings = new Map();
      this.#ended.set(module, endings);
    }
    endings.set(ending, (endings.get(ending) ?? 0) + stacks);
  }

  /** @param frames by how their caller was found */
  finish(frames: UnwindReport['frames'], audit: readonly AuditRow[]): UnwindReport {
    const rows = [...this.#ended].flatMap(([module, endings]) =>
      [...endings].map(([ending, stacks]) => {
        const reason = ending === 'no_binary' ? (module?.reason ?? '') : '';
        return { ending, file: module?.name ?? '', reason, stacks };
      }),
    );
    return makeReport(frames, rows, audit);
  }
}

/** Associative and commutative. */
export function mergeReports(a: UnwindReport, b: UnwindReport): UnwindReport {
  const frames = {
    go: a.frames.go + b.frames.go,
    cfi: a.frames.cfi + b.frames.cfi,
    signal_return: a.frames.signal_return + b.frames.signal_return,
    frame_pointer: a.frames.frame_pointer + b.frames.frame_pointer,
  };
  return makeReport(frames, [...a.endings, ...b.endings], mergeAuditRows([...a.audit, ...b.audit]));
}

/** @param rows in any order; several of one key become one */
function makeReport(
  frames: UnwindReport['frames'],
  rows: readonly EndingRow[],
  audit: readonly AuditRow[],
): UnwindReport {
  const merged = new Map<string, EndingRow>();
  for (const row of rows) {
    const key = `${row.ending}\0${row.file}\0${row.reason}`;
    merged.set(key, { ...row, stacks: row.stacks + (merged.get(key)?.stacks ?? 0) });
  }
  const endings = [...merged].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, row]) => row);
  const sum = (some: readonly EndingRow[]) => some.reduce((total, { stacks }) => total + stacks, 0);
  return {
    stacks: sum(endings),
    complete: sum(endings.filter(({ ending }) => isComplete(ending))),
    frames,
    endings,
    audit,
  };
}

export function renderReport({ stacks, complete, frames, endings, audit }: UnwindReport): ReportTable {
  const share = stacks === 0 ? '' : ` (${((100 * complete) / stacks).toFixed(2)} %)`;
  return {
    title: 'Unwinding',
    columns: [{ name: 'stacks ended' }, { name: 'in' }, { name: 'stacks', align: 'right' }],
    rows: endings.map(({ ending, file, reason, stacks: count }) => [
      `${ending.replaceAll('_', ' ')}${reason === '' || reason === ending ? '' : ` (${reason.replaceAll('_', ' ')})`}`,
      file === '' ? '(no mapping)' : file,
      String(count),
    ]),
    notes: [
      `${complete} of ${stacks} stacks are complete${share}`,
      `callers found by Go's table: ${frames.go}, by call frame information: ${frames.cfi}, by signal frame without a table: ${frames.signal_return}, by frame pointer: ${frames.frame_pointer}`,
      ...audit.map(auditNote),
    ],
  };
}

function auditNote({ file, taken, other, same, different, places }: AuditRow): string {
  const counts = `${file}: ${other} finds the same callers as ${taken} for ${same} frames, others for ${different}`;
  return different === 0 ? counts : `${counts}, as at ${places.map((place) => `0x${place.toString(16)}`).join(', ')}`;
}
