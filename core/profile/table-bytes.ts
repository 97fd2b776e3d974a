/** How much a profile is. */
import type { Profile } from './profile.js';

/** Bytes of its columns. One that several profiles share counts in each. */
export function tableBytes(profile: Profile): number {
  const { strings, samples, locations, functions, mappings, unknown } = profile;
  const tables = [profile, strings, samples, samples.labels, samples.captures, locations, locations.lines];
  let bytes = 0;
  for (const table of [...tables, functions, mappings, unknown]) {
    if (table === undefined) continue;
    for (const column of Object.values(table)) if (ArrayBuffer.isView(column)) bytes += column.byteLength;
  }
  return bytes;
}
