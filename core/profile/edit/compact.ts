/** A profile without the rows that nothing refers to. */

import { type Profile, type StringTable, UnknownIn, type ValueType } from '../profile.js';
import { moveUnknown } from '../unknown.js';
import { absentIfZero, newRows, pick64, pickBytes, pickRows, rowsWhere } from './pick.js';

/**
 * Leaves out locations that are in no stack, their lines, functions that no line calls, and strings that nobody names; the others
 * keep their order and ids. Mappings all stay: the first one says which program it was. Returns its input when nothing is to go.
 */
export function compactProfile(profile: Profile): Profile {
  const { locations, functions } = profile;
  const locationRows = referred(locations.length, [profile.samples.stackLocations]);
  const lineFlags = new Uint8Array(locations.lines.length);
  for (const location of locationRows) {
    lineFlags.fill(1, locations.lineStart[location]!, locations.lineStart[location + 1]!);
  }
  const lineRows = rowsWhere(lineFlags);
  const calledFunctions = pickRows(locations.lines.function, lineRows);
  const functionRows = referred(functions.length, [calledFunctions]);
  const unreferred = locationRows.length < locations.length || functionRows.length < functions.length;
  return compactStrings(unreferred ? pickTables(profile, { locationRows, lineRows, functionRows }) : profile);
}

interface TableRows {
  readonly locationRows: Uint32Array;
  readonly lineRows: Uint32Array;
  readonly functionRows: Uint32Array;
}

function pickTables(profile: Profile, { locationRows, lineRows, functionRows }: TableRows): Profile {
  const { samples, locations, functions } = profile;
  const { lineStart, lines } = locations;
  const newLocation = newRows(locationRows, locations.length);
  const newLine = newRows(lineRows, lines.length);
  const newFunction = newRows(functionRows, functions.length);
  const start = new Uint32Array(locationRows.length + 1);
  locationRows.forEach((row, at) => {
    start[at + 1] = start[at]! + lineStart[row + 1]! - lineStart[row]!;
  });
  return {
    ...profile,
    samples: { ...samples, stackLocations: pickRows(newLocation, samples.stackLocations) },
    locations: {
      length: locationRows.length,
      id: locations.id && pick64(locations.id, locationRows),
      mapping: pickRows(locations.mapping, locationRows),
      address: pick64(locations.address, locationRows),
      isFolded: pickBytes(locations.isFolded, locationRows),
      lineStart: start,
      lines: {
        length: lineRows.length,
        function: pickRows(newFunction, pickRows(lines.function, lineRows)),
        line: pick64(lines.line, lineRows),
        column: lines.column && absentIfZero(pick64(lines.column, lineRows)),
      },
    },
    functions: {
      length: functionRows.length,
      id: functions.id && pick64(functions.id, functionRows),
      name: pickRows(functions.name, functionRows),
      systemName: pickRows(functions.systemName, functionRows),
      filename: pickRows(functions.filename, functionRows),
      startLine: pick64(functions.startLine, functionRows),
    },
    unknown: moveUnknown(profile.unknown, [
      [UnknownIn.location, newLocation],
      [UnknownIn.line, newLine],
      [UnknownIn.function, newFunction],
    ]),
  };
}

function compactStrings(profile: Profile): Profile {
  const { samples, functions, mappings, strings } = profile;
  const { labels } = samples;
  const types = profile.periodType === undefined ? profile.sampleTypes : [...profile.sampleTypes, profile.periodType];
  const header = [profile.defaultSampleType, profile.dropFrames, profile.keepFrames, profile.docUrl, 0];
  const rows = referred(strings.length, [
    Uint32Array.from([...header, ...types.flatMap(({ type, unit }) => [type, unit])]),
    profile.comments,
    labels.key,
    labels.str,
    labels.numUnit,
    functions.name,
    functions.systemName,
    functions.filename,
    mappings.filename,
    mappings.buildId,
  ]);
  if (rows.length === strings.length) return profile;

  const moved = newRows(rows, strings.length);
  const to = (row: number) => moved[row]!;
  const valueType = ({ type, unit }: ValueType): ValueType => ({ type: to(type), unit: to(unit) });
  return {
    ...profile,
    strings: pickStrings(strings, rows),
    sampleTypes: profile.sampleTypes.map(valueType),
    periodType: profile.periodType && valueType(profile.periodType),
    comments: profile.comments.map(to),
    defaultSampleType: to(profile.defaultSampleType),
    dropFrames: to(profile.dropFrames),
    keepFrames: to(profile.keepFrames),
    docUrl: to(profile.docUrl),
    samples: {
      ...samples,
      labels: {
        ...labels,
        key: pickRows(moved, labels.key),
        str: pickRows(moved, labels.str),
        numUnit: pickRows(moved, labels.numUnit),
      },
    },
    functions: {
      ...functions,
      name: pickRows(moved, functions.name),
      systemName: pickRows(moved, functions.systemName),
      filename: pickRows(moved, functions.filename),
    },
    mappings: {
      ...mappings,
      filename: pickRows(moved, mappings.filename),
      buildId: pickRows(moved, mappings.buildId),
    },
  };
}

function pickStrings({ starts, bytes }: StringTable, rows: Uint32Array): StringTable {
  const newStarts = new Uint32Array(rows.length + 1);
  rows.forEach((row, at) => {
    newStarts[at + 1] = newStarts[at]! + starts[row + 1]! - starts[row]!;
  });
  const newBytes = new Uint8Array(newStarts[rows.length]!);
  rows.forEach((row, at) => {
    newBytes.set(bytes.subarray(starts[row]!, starts[row + 1]!), newStarts[at]!);
  });
  return { length: rows.length, bytes: newBytes, starts: newStarts };
}

/** Rows of a table that any of the columns names, in order. */
function referred(length: number, columns: readonly Uint32Array[]): Uint32Array {
  const flags = new Uint8Array(length);
  for (const column of columns) for (const row of column) flags[row] = 1;
  return rowsWhere(flags);
}
