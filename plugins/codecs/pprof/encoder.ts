/**
 * A Profile as a profile.proto message, in pieces.
 *
 * Fields stand in the order of their numbers, numbers that are 0 are left out, repeated numbers are packed, unknown fields stand at
 * the end of their message: one profile has one encoding. Rows, ids and strings keep their places.
 */
import type { IdColumn, Profile } from '../../../core/index.js';
import { halves, MappingFlag, UnknownIn } from '../../../core/index.js';
import {
  FunctionField,
  LabelField,
  LineField,
  LocationField,
  MappingField,
  ProfileField,
  SampleField,
} from './fields.js';
import { encodeHeader, encodeSampleTypes } from './header.js';
import { PieceWriter } from './piece-writer.js';
import { UnknownCursor } from './unknown-cursor.js';
import { viewOf } from './words.js';

/** Large enough to compress well, small enough that several are deflated side by side. */
const PIECE_BYTES = 512 * 1024;
/** The longest varint, and the longest tag and varint of a field below 16. */
const VARINT_BYTES = 10;
const FIELD_BYTES = 11;
/** Tag and length of a nested message. */
const MESSAGE_BYTES = 6;

/** The cuts between pieces depend on the profile alone. */
export function* encodePieces(profile: Profile): Generator<Uint8Array, void, undefined> {
  const writer = new PieceWriter(PIECE_BYTES);
  writeBytes(writer, encodeSampleTypes(profile));
  yield* encodeRows(writer, profile.samples.length, sampleEncoder(profile, writer));
  yield* encodeRows(writer, profile.mappings.length, mappingEncoder(profile, writer));
  yield* encodeRows(writer, profile.locations.length, locationEncoder(profile, writer));
  yield* encodeRows(writer, profile.functions.length, functionEncoder(profile, writer));
  yield* encodeRows(writer, profile.strings.length, stringEncoder(profile, writer));
  writeBytes(writer, encodeHeader(profile));
  new UnknownCursor(profile.unknown, UnknownIn.profile).write(0, writer);
  yield writer.take();
}

function* encodeRows(
  writer: PieceWriter,
  length: number,
  encodeRow: (row: number) => void,
): Generator<Uint8Array, void, undefined> {
  for (let row = 0; row < length; row++) {
    encodeRow(row);
    if (writer.isFull) yield writer.take();
  }
}

function writeBytes(writer: PieceWriter, bytes: Uint8Array): void {
  writer.reserve(bytes.length);
  writer.bytes(bytes, viewOf(bytes), 0, bytes.length);
}

function sampleEncoder(profile: Profile, writer: PieceWriter): (row: number) => void {
  const { samples, sampleTypes, locations } = profile;
  const { stackStart, stackLocations, labelStart, labels } = samples;
  const values = halves(samples.values);
  const typeCount = sampleTypes.length;
  const ids = idHalves(locations.id);
  const num = halves(labels.num);
  const idBytes = locations.length < 128 ? 1 : 2;
  const unknown = new UnknownCursor(profile.unknown, UnknownIn.sample);
  const unknownInLabel = new UnknownCursor(profile.unknown, UnknownIn.label);

  const writeLabel = (row: number) => {
    writer.reserve(MESSAGE_BYTES + 4 * FIELD_BYTES);
    const message = writer.begin(SampleField.label, 0);
    writer.field(LabelField.key, labels.key[row]!);
    writer.field(LabelField.str, labels.str[row]!);
    writer.field64(LabelField.num, num[2 * row]!, num[2 * row + 1]!);
    writer.field(LabelField.numUnit, labels.numUnit[row]!);
    unknownInLabel.write(row, writer);
    writer.end(message);
  };

  return (row) => {
    const stackEnd = stackStart[row + 1]!;
    const depth = stackEnd - stackStart[row]!;
    writer.reserve(3 * MESSAGE_BYTES + (depth + typeCount) * VARINT_BYTES);
    const message = writer.begin(ProfileField.sample, depth * idBytes + 4 * typeCount);
    if (depth > 0) {
      const packed = writer.begin(SampleField.locationId, depth * idBytes);
      if (ids === undefined) writer.varintsOfRows(stackLocations, stackStart[row]!, stackEnd);
      else {
        for (let i = stackStart[row]!; i < stackEnd; i++) {
          const location = stackLocations[i]!;
          writer.varint64(ids[2 * location]!, ids[2 * location + 1]!);
        }
      }
      writer.end(packed);
    }
    if (typeCount > 0) {
      const packed = writer.begin(SampleField.value, typeCount);
      const end = 2 * typeCount * (row + 1);
      for (let i = 2 * typeCount * row; i < end; i += 2) writer.varint64(values[i]!, values[i + 1]!);
      writer.end(packed);
    }
    for (let label = labelStart[row]!; label < labelStart[row + 1]!; label++) writeLabel(label);
    unknown.write(row, writer);
    writer.end(message);
  };
}

function mappingEncoder(profile: Profile, writer: PieceWriter): (row: number) => void {
  const { mappings } = profile;
  const ids = idHalves(mappings.id);
  const start = halves(mappings.memoryStart);
  const limit = halves(mappings.memoryLimit);
  const offset = halves(mappings.fileOffset);
  const unknown = new UnknownCursor(profile.unknown, UnknownIn.mapping);
  return (row) => {
    writer.reserve(MESSAGE_BYTES + 10 * FIELD_BYTES);
    const message = writer.begin(ProfileField.mapping, 0);
    writeId(writer, MappingField.id, ids, row);
    writer.field64(MappingField.memoryStart, start[2 * row]!, start[2 * row + 1]!);
    writer.field64(MappingField.memoryLimit, limit[2 * row]!, limit[2 * row + 1]!);
    writer.field64(MappingField.fileOffset, offset[2 * row]!, offset[2 * row + 1]!);
    writer.field(MappingField.filename, mappings.filename[row]!);
    writer.field(MappingField.buildId, mappings.buildId[row]!);
    const flags = mappings.flags[row]!;
    writer.field(MappingField.hasFunctions, flags & MappingFlag.hasFunctions ? 1 : 0);
    writer.field(MappingField.hasFilenames, flags & MappingFlag.hasFilenames ? 1 : 0);
    writer.field(MappingField.hasLineNumbers, flags & MappingFlag.hasLineNumbers ? 1 : 0);
    writer.field(MappingField.hasInlineFrames, flags & MappingFlag.hasInlineFrames ? 1 : 0);
    unknown.write(row, writer);
    writer.end(message);
  };
}

function locationEncoder(profile: Profile, writer: PieceWriter): (row: number) => void {
  const { locations, mappings, functions } = profile;
  const { lineStart, lines } = locations;
  const ids = idHalves(locations.id);
  const mappingIds = idHalves(mappings.id);
  const functionIds = idHalves(functions.id);
  const address = halves(locations.address);
  const line = halves(lines.line);
  const column = lines.column === undefined ? undefined : halves(lines.column);
  const unknown = new UnknownCursor(profile.unknown, UnknownIn.location);
  const unknownInLine = new UnknownCursor(profile.unknown, UnknownIn.line);

  const writeLine = (row: number) => {
    writer.reserve(MESSAGE_BYTES + 3 * FIELD_BYTES);
    const message = writer.begin(LocationField.line, 0);
    writeId(writer, LineField.functionId, functionIds, lines.function[row]!);
    writer.field64(LineField.line, line[2 * row]!, line[2 * row + 1]!);
    if (column !== undefined) writer.field64(LineField.column, column[2 * row]!, column[2 * row + 1]!);
    unknownInLine.write(row, writer);
    writer.end(message);
  };

  return (row) => {
    writer.reserve(MESSAGE_BYTES + 4 * FIELD_BYTES);
    const message = writer.begin(ProfileField.location, 0);
    writeId(writer, LocationField.id, ids, row);
    // NO_ROW is beyond the table's end: no mapping_id.
    const mapping = locations.mapping[row]!;
    if (mapping < mappings.length) writeId(writer, LocationField.mappingId, mappingIds, mapping);
    writer.field64(LocationField.address, address[2 * row]!, address[2 * row + 1]!);
    for (let i = lineStart[row]!; i < lineStart[row + 1]!; i++) writeLine(i);
    writer.reserve(FIELD_BYTES);
    writer.field(LocationField.isFolded, locations.isFolded[row]!);
    unknown.write(row, writer);
    writer.end(message);
  };
}

function functionEncoder(profile: Profile, writer: PieceWriter): (row: number) => void {
  const { functions } = profile;
  const ids = idHalves(functions.id);
  const startLine = halves(functions.startLine);
  const unknown = new UnknownCursor(profile.unknown, UnknownIn.function);
  return (row) => {
    writer.reserve(MESSAGE_BYTES + 5 * FIELD_BYTES);
    const message = writer.begin(ProfileField.function, 0);
    writeId(writer, FunctionField.id, ids, row);
    writer.field(FunctionField.name, functions.name[row]!);
    writer.field(FunctionField.systemName, functions.systemName[row]!);
    writer.field(FunctionField.filename, functions.filename[row]!);
    writer.field64(FunctionField.startLine, startLine[2 * row]!, startLine[2 * row + 1]!);
    unknown.write(row, writer);
    writer.end(message);
  };
}

function stringEncoder(profile: Profile, writer: PieceWriter): (row: number) => void {
  const { bytes, starts } = profile.strings;
  const words = viewOf(bytes);
  return (row) => {
    const start = starts[row]!;
    const end = starts[row + 1]!;
    writer.reserve(MESSAGE_BYTES + end - start);
    const string = writer.begin(ProfileField.stringTable, end - start);
    writer.bytes(bytes, words, start, end);
    writer.end(string);
  };
}

function idHalves(id: IdColumn): Uint32Array | undefined {
  return id === undefined ? undefined : halves(id);
}

/** An id is written even where it is the row's number: `undefined` ids mean row + 1. */
function writeId(writer: PieceWriter, field: number, ids: Uint32Array | undefined, row: number): void {
  if (ids === undefined) writer.field(field, row + 1);
  else writer.field64(field, ids[2 * row]!, ids[2 * row + 1]!);
}
