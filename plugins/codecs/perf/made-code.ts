/**
 * Code that programs made while they ran, as their jitdumps list it. A function counts as there from the start until another one comes to
 * its place: only then does the time of its making matter, and only then does a process get another list of mappings.
 */
import type { JitDump, JitPlacement } from '../../../core/binaries.js';
import type { CodeMapping } from './space.js';

/** Placements at one address that are compared one by one; with more, each is taken for another time. */
const MAX_COMPARED = 64;

/** Functions of one process that came to places which nothing had since the era before. */
export interface Era {
  /** Nanoseconds; −Infinity for the first. */
  readonly start: number;
  /** In order of address, without overlaps. */
  readonly mappings: readonly CodeMapping[];
}

/** By process: its eras in order of time. */
export type MadeCode = ReadonlyMap<number, readonly Era[]>;

/** A dump and the path that mappings of it are to have. */
export interface NamedDump {
  readonly path: string;
  readonly dump: JitDump;
}

interface Placed {
  readonly time: number;
  readonly mapping: CodeMapping;
}

export function madeCode(dumps: readonly NamedDump[]): MadeCode {
  const placed = new Map<number, Placed[]>();
  for (const { path, dump } of dumps) {
    for (const placement of dump.placements) {
      const ofProcess = placed.get(placement.pid) ?? [];
      ofProcess.push({ time: dump.hasProcessorTime ? 0 : placement.time, mapping: mappingOf(placement, path) });
      placed.set(placement.pid, ofProcess);
    }
  }
  return new Map([...placed].map(([pid, ofProcess]) => [pid, erasOf(ofProcess)]));
}

const mappingOf = ({ address, code }: JitPlacement, filename: string): CodeMapping => ({
  start: address,
  end: address + code.size,
  fileOffset: BigInt(code.fileOffset),
  filename,
  buildId: '',
});

function erasOf(placed: Placed[]): Era[] {
  placed.sort((a, b) => a.time - b.time);
  const isReuse = findReuse(placed);
  const eras: Era[] = [];
  let start = Number.NEGATIVE_INFINITY;
  let mappings: CodeMapping[] = [];
  for (const [row, { time, mapping }] of placed.entries()) {
    if (isReuse[row]) {
      eras.push({ start, mappings: inOrder(mappings) });
      start = time;
      mappings = [];
    }
    mappings.push(mapping);
  }
  eras.push({ start, mappings: inOrder(mappings) });
  return eras;
}

const inOrder = (mappings: CodeMapping[]): CodeMapping[] => mappings.sort((a, b) => a.start - b.start);

/** Whether each placement's range was, in part, that of an earlier one. */
function findReuse(placed: readonly Placed[]): boolean[] {
  const isReuse: boolean[] = new Array(placed.length).fill(false);
  const byStart = Array.from(placed.keys()).sort((a, b) => placed[a]!.mapping.start - placed[b]!.mapping.start);
  let open: number[] = [];
  for (const row of byStart) {
    const { start } = placed[row]!.mapping;
    open = open.filter((other) => placed[other]!.mapping.end > start);
    for (const other of open) isReuse[Math.max(row, other)] = true;
    if (open.length < MAX_COMPARED) open.push(row);
    else isReuse[row] = true;
  }
  return isReuse;
}
