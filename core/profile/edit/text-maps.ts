/** Other texts for what a profile names, by the part that a text plays: one string may be a function's name and a label's value. */

import { type Profile, type StringTable, stringAt } from '../profile.js';
import { compactProfile } from './compact.js';
import { StringInterner } from './string-interner.js';

export type TextMap = (text: string) => string;

/** Asked once for each distinct string of a part; an absent one leaves the part as it is. "" is never asked: it says "none". */
export interface TextMaps {
  readonly functionName?: TextMap | undefined;
  readonly systemName?: TextMap | undefined;
  /** Of source files. */
  readonly filename?: TextMap | undefined;
  readonly mappingFile?: TextMap | undefined;
  readonly buildId?: TextMap | undefined;
  readonly labelKey?: TextMap | undefined;
  /** Of texts; one that becomes "" would be a number, and stays as it is. */
  readonly labelValue?: TextMap | undefined;
}

/** Functions, labels and mappings that become alike stay rows of their own; a merge puts them together. */
export function mapTexts(profile: Profile, maps: TextMaps): Profile {
  const { functions, mappings, samples } = profile;
  const strings = new StringInterner(profile.strings);
  const map = (column: Uint32Array, change: TextMap | undefined, keepsEmpty = false) =>
    change === undefined ? column : mapColumn(profile.strings, strings, column, change, keepsEmpty);
  const changed = {
    functions: {
      ...functions,
      name: map(functions.name, maps.functionName),
      systemName: map(functions.systemName, maps.systemName),
      filename: map(functions.filename, maps.filename),
    },
    mappings: {
      ...mappings,
      filename: map(mappings.filename, maps.mappingFile),
      buildId: map(mappings.buildId, maps.buildId),
    },
    samples: {
      ...samples,
      labels: {
        ...samples.labels,
        key: map(samples.labels.key, maps.labelKey),
        str: map(samples.labels.str, maps.labelValue, true),
      },
    },
  };
  return compactProfile({ ...profile, ...changed, strings: strings.finish() });
}

function mapColumn(
  base: StringTable,
  strings: StringInterner,
  column: Uint32Array,
  change: TextMap,
  keepsEmpty: boolean,
): Uint32Array {
  const moved = new Map<number, number>([[0, 0]]);
  return column.map((row) => {
    let to = moved.get(row);
    if (to === undefined) {
      const text = stringAt(base, row);
      const changed = change(text);
      // Bytes that are no UTF-8 stay what they are unless the text really changes.
      to = changed === text || (changed === '' && keepsEmpty) ? row : strings.row(changed);
      moved.set(row, to);
    }
    return to;
  });
}
