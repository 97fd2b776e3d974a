/**
 * What tells locations apart. By name, places of different binaries and builds become one. Source of what goes at which granularity:
 * google/pprof profile.Aggregate; unlike it, an address without a name keeps its address and mapping, since it is nobody else's.
 */
import { compactProfile, NO_ROW, type Profile, type StringTable } from '../../../core/index.js';

export type Granularity = 'addresses' | 'lines' | 'functions' | 'files';

export function coarsen(profile: Profile, granularity: Granularity): Profile {
  if (granularity === 'addresses') return profile;
  const { locations, functions } = profile;
  const { lineStart, lines } = locations;
  const isNamed = namedLocations(profile);
  const none = new BigInt64Array(lines.length);
  const coarse: Profile = {
    ...profile,
    locations: {
      ...locations,
      mapping: locations.mapping.map((mapping, row) => (isNamed[row] === 1 ? NO_ROW : mapping)),
      address: locations.address.map((address, row) => (isNamed[row] === 1 ? 0n : address)),
      isFolded: locations.isFolded.map((folded, row) => (isNamed[row] === 1 ? 0 : folded)),
      lineStart,
      lines: granularity === 'lines' ? { ...lines, column: undefined } : { ...lines, line: none, column: undefined },
    },
  };
  if (granularity === 'lines') return coarse;
  const startLine = new BigInt64Array(functions.length);
  if (granularity === 'functions') {
    const filename = new Uint32Array(functions.length);
    return compactProfile({ ...coarse, functions: { ...functions, systemName: functions.name, filename, startLine } });
  }
  // A function without a file would have no name at all; its own tells more.
  const name = functions.filename.map((file, row) => (file === 0 ? functions.name[row]! : file));
  return compactProfile({
    ...coarse,
    functions: { ...functions, name, systemName: name, filename: functions.filename, startLine },
  });
}

/** 1 for locations whose lines have a function with a name. */
function namedLocations({ locations, functions, strings }: Profile): Uint8Array {
  const { lineStart, lines } = locations;
  return Uint8Array.from({ length: locations.length }, (_, location) => {
    for (let line = lineStart[location]!; line < lineStart[location + 1]!; line++) {
      if (!isEmpty(strings, functions.name[lines.function[line]!]!)) return 1;
    }
    return 0;
  });
}

/** Tables may hold "" under other rows than 0. */
const isEmpty = ({ starts }: StringTable, row: number): boolean => starts[row] === starts[row + 1];
