/** Parts of a profile: fewer samples, stack entries, lines or labels, and of the tables what is still referred to. */

import { type Profile, type SampleTable, UnknownIn } from '../profile.js';
import { moveUnknown } from '../unknown.js';
import { compactProfile } from './compact.js';
import { absentIfZero, newRows, pick64, pickRows, rowsWhere } from './pick.js';

/** Flags, 1 = keep, a byte for each row of a table. Absent: all are kept. */
export interface Selection {
  readonly samples?: Uint8Array;
  /** Of `samples.stackLocations`. */
  readonly stackEntries?: Uint8Array;
  /** Of `samples.labels`. */
  readonly labels?: Uint8Array;
  /** Of `locations.lines`. A location that loses all its lines stays, as one without symbols. */
  readonly lines?: Uint8Array;
}

/**
 * What was selected, in its order. Locations, functions and strings that nothing refers to any more are left out; mappings all
 * stay: the first one says which program it was.
 */
export function selectRows(profile: Profile, selection: Selection): Profile {
  const { samples, locations } = profile;
  const sampleRows = keptRows(selection.samples, samples.length);
  const entries = keptWithin(sampleRows, samples.stackStart, selection.stackEntries);
  const labels = keptWithin(sampleRows, samples.labelStart, selection.labels);
  const lines = keptWithin(keptRows(undefined, locations.length), locations.lineStart, selection.lines);

  const selectedSamples: SampleTable = {
    length: sampleRows.length,
    stackStart: entries.start,
    stackLocations: pickRows(samples.stackLocations, entries.rows),
    values: pick64(samples.values, valueRows(sampleRows, profile.sampleTypes.length)),
    labelStart: labels.start,
    labels: {
      length: labels.rows.length,
      key: pickRows(samples.labels.key, labels.rows),
      str: pickRows(samples.labels.str, labels.rows),
      num: pick64(samples.labels.num, labels.rows),
      numUnit: pickRows(samples.labels.numUnit, labels.rows),
    },
  };
  const unknown = moveUnknown(profile.unknown, [
    [UnknownIn.sample, newRows(sampleRows, samples.length)],
    [UnknownIn.label, newRows(labels.rows, samples.labels.length)],
    [UnknownIn.line, newRows(lines.rows, locations.lines.length)],
  ]);
  const { column } = locations.lines;
  return compactProfile({
    ...profile,
    samples: selectedSamples,
    locations: {
      ...locations,
      lineStart: lines.start,
      lines: {
        length: lines.rows.length,
        function: pickRows(locations.lines.function, lines.rows),
        line: pick64(locations.lines.line, lines.rows),
        column: column && absentIfZero(pick64(column, lines.rows)),
      },
    },
    unknown,
  });
}

function keptRows(flags: Uint8Array | undefined, length: number): Uint32Array {
  return rowsWhere(flags ?? new Uint8Array(length).fill(1));
}

/** The kept children of kept parents: `start` are the offsets of the parents among the children's rows. */
function keptWithin(parents: Uint32Array, childStart: Uint32Array, flags: Uint8Array | undefined) {
  const start = new Uint32Array(parents.length + 1);
  const rows = new Uint32Array(childStart.at(-1)!);
  let length = 0;
  for (let at = 0; at < parents.length; at++) {
    const end = childStart[parents[at]! + 1]!;
    for (let child = childStart[parents[at]!]!; child < end; child++) {
      if (flags === undefined || flags[child] === 1) rows[length++] = child;
    }
    start[at + 1] = length;
  }
  return { start, rows: rows.subarray(0, length) };
}

function valueRows(sampleRows: Uint32Array, types: number): Uint32Array {
  const rows = new Uint32Array(sampleRows.length * types);
  for (let at = 0; at < rows.length; at++) rows[at] = sampleRows[Math.floor(at / types)]! * types + (at % types);
  return rows;
}
