/** Which columns of a profile are which fields, of the messages that are rows of tables. Fields stand in the order of their numbers. */
import { type IdColumn, MappingFlag, type Profile, type UnknownFields, UnknownIn } from '../../../core/index.js';
import { CHILD, FLAG, ID, PACKED_REFERENCES, PACKED_WIDE, REFERENCE, SHORT, WIDE } from './encode-codes.js';
import {
  bytesTag,
  FunctionField,
  LabelField,
  LineField,
  LocationField,
  MappingField,
  SampleField,
  varintTag,
} from './fields.js';

export interface FieldColumn {
  /** Of encode-codes.ts, as is the parameter. */
  readonly kind: number;
  readonly tag: number;
  readonly column?: Uint8Array | Uint32Array | BigInt64Array | BigUint64Array | undefined;
  readonly starts?: Uint32Array;
  /** Of the row itself, or of the table that the column refers to. */
  readonly ids?: IdColumn;
  readonly child?: MessageColumns;
  readonly parameter?: number;
}

export interface MessageColumns {
  /** Of UnknownIn. */
  readonly message: number;
  readonly length: number;
  readonly fields: readonly FieldColumn[];
  readonly unknown: UnknownRows | undefined;
}

/** Unknown fields of a message: entries `from` to `to`, by row. */
export interface UnknownRows {
  readonly fields: UnknownFields;
  readonly from: number;
  readonly to: number;
}

export function unknownRows(fields: UnknownFields | undefined, message: number): UnknownRows | undefined {
  const from = fields?.message.indexOf(message) ?? -1;
  if (fields === undefined || from < 0) return undefined;
  return { fields, from, to: fields.message.lastIndexOf(message) + 1 };
}

const short = (field: number, column: Uint32Array): FieldColumn => ({ kind: SHORT, tag: varintTag(field), column });
const wide = (field: number, column: BigInt64Array | BigUint64Array): FieldColumn => {
  return { kind: WIDE, tag: varintTag(field), column };
};
const flag = (field: number, column: Uint8Array, bit: number): FieldColumn => {
  return { kind: FLAG, tag: varintTag(field), column, parameter: bit };
};
const id = (field: number, ids: IdColumn): FieldColumn => ({ kind: ID, tag: varintTag(field), ids });
const reference = (field: number, column: Uint32Array, table: { length: number; id?: IdColumn }): FieldColumn => {
  return { kind: REFERENCE, tag: varintTag(field), column, ids: table.id, parameter: table.length };
};
const children = (field: number, starts: Uint32Array, child: MessageColumns): FieldColumn => {
  return { kind: CHILD, tag: bytesTag(field), starts, child, parameter: child.message };
};

export function sampleColumns({ samples, sampleTypes, locations, unknown }: Profile): MessageColumns {
  const { stackStart, stackLocations, values, labelStart, labels } = samples;
  const label: MessageColumns = {
    message: UnknownIn.label,
    length: labels.length,
    fields: [
      short(LabelField.key, labels.key),
      short(LabelField.str, labels.str),
      wide(LabelField.num, labels.num),
      short(LabelField.numUnit, labels.numUnit),
    ],
    unknown: unknownRows(unknown, UnknownIn.label),
  };
  const stackTag = bytesTag(SampleField.locationId);
  return {
    message: UnknownIn.sample,
    length: samples.length,
    fields: [
      { kind: PACKED_REFERENCES, tag: stackTag, column: stackLocations, starts: stackStart, ids: locations.id },
      { kind: PACKED_WIDE, tag: bytesTag(SampleField.value), column: values, parameter: sampleTypes.length },
      children(SampleField.label, labelStart, label),
    ],
    unknown: unknownRows(unknown, UnknownIn.sample),
  };
}

export function mappingColumns({ mappings, unknown }: Profile): MessageColumns {
  const { length, memoryStart, memoryLimit, fileOffset, filename, buildId, flags } = mappings;
  return {
    message: UnknownIn.mapping,
    length,
    fields: [
      id(MappingField.id, mappings.id),
      wide(MappingField.memoryStart, memoryStart),
      wide(MappingField.memoryLimit, memoryLimit),
      wide(MappingField.fileOffset, fileOffset),
      short(MappingField.filename, filename),
      short(MappingField.buildId, buildId),
      flag(MappingField.hasFunctions, flags, MappingFlag.hasFunctions),
      flag(MappingField.hasFilenames, flags, MappingFlag.hasFilenames),
      flag(MappingField.hasLineNumbers, flags, MappingFlag.hasLineNumbers),
      flag(MappingField.hasInlineFrames, flags, MappingFlag.hasInlineFrames),
    ],
    unknown: unknownRows(unknown, UnknownIn.mapping),
  };
}

export function locationColumns({ locations, mappings, functions, unknown }: Profile): MessageColumns {
  const { length, mapping, address, lineStart, lines, isFolded } = locations;
  const line: MessageColumns = {
    message: UnknownIn.line,
    length: lines.length,
    fields: [
      reference(LineField.functionId, lines.function, functions),
      wide(LineField.line, lines.line),
      ...(lines.column === undefined ? [] : [wide(LineField.column, lines.column)]),
    ],
    unknown: unknownRows(unknown, UnknownIn.line),
  };
  return {
    message: UnknownIn.location,
    length,
    fields: [
      id(LocationField.id, locations.id),
      reference(LocationField.mappingId, mapping, mappings),
      wide(LocationField.address, address),
      children(LocationField.line, lineStart, line),
      flag(LocationField.isFolded, isFolded, 1),
    ],
    unknown: unknownRows(unknown, UnknownIn.location),
  };
}

export function functionColumns({ functions, unknown }: Profile): MessageColumns {
  const { length, name, systemName, filename, startLine } = functions;
  return {
    message: UnknownIn.function,
    length,
    fields: [
      id(FunctionField.id, functions.id),
      short(FunctionField.name, name),
      short(FunctionField.systemName, systemName),
      short(FunctionField.filename, filename),
      wide(FunctionField.startLine, startLine),
    ],
    unknown: unknownRows(unknown, UnknownIn.function),
  };
}
