/** Message Sample. */
import { FormatError, type SampleTable, UnknownIn } from '../../../core/index.js';
import { asSigned } from './columns.js';
import { fieldNames, ProfileField, SampleField } from './fields.js';
import { type IdTable, rowOf } from './ids.js';
import { LabelDecoder } from './label-decoder.js';
import type { RowKernel } from './row-kernel.js';

export class SampleDecoder {
  readonly #kernel: RowKernel;
  readonly #labels: LabelDecoder;
  readonly #rows;
  readonly #stackStart;
  readonly #labelStart;

  constructor(kernel: RowKernel) {
    this.#kernel = kernel;
    this.#labels = new LabelDecoder(kernel);
    this.#rows = kernel.table(UnknownIn.sample, fieldNames.sample, ProfileField.sample);
    this.#rows.numbers(SampleField.locationId, SampleField.value);
    this.#stackStart = this.#rows.ownStarts();
    this.#labelStart = kernel.labelStarts;
    this.#rows.child(SampleField.label, this.#labels.rows);
  }

  get labelsOfBothKinds(): number {
    return this.#labels.ofBothKinds;
  }

  /** @throws FormatError E_SAMPLE_TYPES, E_VALUE_COUNT, E_DANGLING; string rows are left to the caller */
  finish(sampleTypes: number, locations: IdTable): SampleTable {
    const { stack, values, valueCounts } = this.#kernel;
    const length = this.#rows.length;
    if (length > 0) {
      const { first, oddRow, odd } = valueCounts;
      if (sampleTypes === 0)
        throw new FormatError('E_SAMPLE_TYPES', `${length} samples, but no sample types`, { section: 'Profile' });
      if (first !== sampleTypes) throw valueCount(0, first, sampleTypes);
      if (oddRow >= 0) throw valueCount(oddRow, odd, sampleTypes);
    }
    const labels = this.#labels.finish();
    this.#stackStart.append(Uint32Array.of(stack.rows.length));
    this.#labelStart.append(Uint32Array.of(labels.length));
    const stackStart = this.#stackStart.finish();
    const stackLocations = locations.resolve(stack, false, (index, id) => {
      const row = rowOf(stackStart, index);
      const section = `Profile.sample[${row}].location_id[${index - stackStart[row]!}]`;
      return new FormatError('E_DANGLING', 'no location has this id', { section, got: id });
    });
    const labelStart = this.#labelStart.finish();
    return { length, stackStart, stackLocations, values: asSigned(values.finish()), labelStart, labels };
  }
}

function valueCount(row: number, got: number, want: number): FormatError {
  return new FormatError('E_VALUE_COUNT', `${got} values, profile has ${want} sample types`, {
    section: `Profile.sample[${row}]`,
    got,
    limit: want,
  });
}
