/** Message Sample. */
import { FormatError, type SampleTable, UnknownIn } from '../../../core/index.js';
import { asSigned, type Column } from './columns.js';
import { fieldNames, ProfileField, SampleField } from './fields.js';
import { type IdTable, rowOf } from './ids.js';
import { LabelDecoder } from './label-decoder.js';
import type { RowKernel } from './row-kernel.js';

/** Key, text, number and unit. */
const LABEL_BYTES = 20;

export class SampleDecoder {
  readonly #kernel: RowKernel;
  readonly #labels: LabelDecoder;
  readonly #rows;
  readonly #stackStart;
  readonly #labelStart;
  /** Samples and labels that were taken out of the columns, as the kernel's `stackBefore`. */
  #before = 0;
  #labelsBefore = 0;

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

  /** Of what is in the columns. */
  get bytes(): number {
    const { stack, values } = this.#kernel;
    const labels = this.#labels.rows.length - this.#labelsBefore;
    return 4 * stack.rows.length + 8 * values.length + LABEL_BYTES * labels;
  }

  /** @throws FormatError E_SAMPLE_TYPES, E_VALUE_COUNT */
  checkCounts(sampleTypes: number): void {
    const { length } = this.#rows;
    if (length === 0) return;
    const { first, oddRow, odd } = this.#kernel.valueCounts;
    if (sampleTypes === 0)
      throw new FormatError('E_SAMPLE_TYPES', `${length} samples, but no sample types`, { section: 'Profile' });
    if (first !== sampleTypes) throw valueCount(0, first, sampleTypes);
    if (oddRow >= 0) throw valueCount(oddRow, odd, sampleTypes);
  }

  /** The samples that are in the columns, which are empty then. @throws FormatError E_DANGLING; string rows are left to the caller */
  finish(locations: IdTable): SampleTable {
    const { stack, values, stackBefore } = this.#kernel;
    const before = this.#before;
    const stackLength = stack.rows.length;
    const labels = this.#labels.finish();
    const stackStart = this.#startsFrom(this.#stackStart, stackBefore, stackLength);
    const stackLocations = locations.resolve(stack, false, (index, id) => {
      const row = rowOf(stackStart, index);
      const section = `Profile.sample[${before + row}].location_id[${index - stackStart[row]!}]`;
      return new FormatError('E_DANGLING', 'no location has this id', { section, got: id });
    });
    const labelStart = this.#startsFrom(this.#labelStart, this.#labelsBefore, labels.length);
    const length = stackStart.length - 1;
    this.#before += length;
    this.#labelsBefore += labels.length;
    this.#kernel.stackBefore += stackLength;
    return { length, stackStart, stackLocations, values: asSigned(values.finish()), labelStart, labels };
  }

  /** @param before entries that are in the columns no more @param length of those that are */
  #startsFrom(column: Column<Uint32Array>, before: number, length: number): Uint32Array {
    column.append(Uint32Array.of(before + length));
    const starts = column.finish();
    if (before > 0) for (let row = 0; row < starts.length; row++) starts[row]! -= before;
    return starts;
  }

  clear(): void {
    this.#before = 0;
    this.#labelsBefore = 0;
    this.#labels.ofBothKinds = 0;
  }
}

function valueCount(row: number, got: number, want: number): FormatError {
  return new FormatError('E_VALUE_COUNT', `${got} values, profile has ${want} sample types`, {
    section: `Profile.sample[${row}]`,
    got,
    limit: want,
  });
}
