/** Every string index of a profile, everywhere: each must be a row of the string table. */
import type { Profile } from '../../../core/index.js';
import { FormatError } from '../../../core/index.js';

/**
 * @param maxOfRows the largest in rows of samples, functions and mappings, or more
 * @throws FormatError E_STRING_INDEX, with the place in profile.proto's names: `Profile.function[12].name`
 */
export function checkStringRows(profile: Profile, maxOfRows: number): void {
  const { length } = profile.strings;
  const column = (rows: Uint32Array, message: string, field: string) => {
    let max = 0;
    for (let i = 0; i < rows.length; i++) if (rows[i]! > max) max = rows[i]!;
    if (max >= length) {
      const row = rows.findIndex((string) => string >= length);
      throw outOfTable(`Profile.${message}[${row}]${field}`, rows[row]!, length);
    }
  };
  const single = (row: number, field: string) => {
    if (row >= length) throw outOfTable(`Profile.${field}`, row, length);
  };
  const { samples, functions, mappings } = profile;
  if (maxOfRows >= length) {
    column(samples.labels.key, 'sample.label', '.key');
    column(samples.labels.str, 'sample.label', '.str');
    column(samples.labels.numUnit, 'sample.label', '.num_unit');
    column(functions.name, 'function', '.name');
    column(functions.systemName, 'function', '.system_name');
    column(functions.filename, 'function', '.filename');
    column(mappings.filename, 'mapping', '.filename');
    column(mappings.buildId, 'mapping', '.build_id');
  }
  column(profile.comments, 'comment', '');
  for (const [row, { type, unit }] of profile.sampleTypes.entries()) {
    single(type, `sample_type[${row}].type`);
    single(unit, `sample_type[${row}].unit`);
  }
  single(profile.periodType?.type ?? 0, 'period_type.type');
  single(profile.periodType?.unit ?? 0, 'period_type.unit');
  single(profile.defaultSampleType, 'default_sample_type');
  single(profile.dropFrames, 'drop_frames');
  single(profile.keepFrames, 'keep_frames');
  single(profile.docUrl, 'doc_url');
}

function outOfTable(section: string, got: number, length: number): FormatError {
  return new FormatError('E_STRING_INDEX', `no such string, the table has ${length}`, {
    section,
    got,
    limit: length - 1,
  });
}
