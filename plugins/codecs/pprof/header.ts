/** The few fields of a profile that are no table, by protobufjs' Writer. */
import protobuf from 'protobufjs/minimal.js';
import type { Profile, ValueType } from '../../../core/index.js';
import { UnknownIn } from '../../../core/index.js';
import { ProfileField, ValueTypeField, WireType } from './fields.js';

/** Field 1, repeated. */
export function encodeSampleTypes(profile: Profile): Uint8Array {
  const writer = protobuf.Writer.create();
  for (const [row, type] of profile.sampleTypes.entries()) {
    writer.uint32(tag(ProfileField.sampleType, WireType.bytes)).fork();
    writeValueType(writer, profile, type, UnknownIn.valueType, row);
    writer.ldelim();
  }
  return writer.finish();
}

/** Fields 7 … 15. */
export function encodeHeader(profile: Profile): Uint8Array {
  const writer = protobuf.Writer.create();
  writeRow(writer, ProfileField.dropFrames, profile.dropFrames);
  writeRow(writer, ProfileField.keepFrames, profile.keepFrames);
  writeInt64(writer, ProfileField.timeNanos, profile.timeNanos);
  writeInt64(writer, ProfileField.durationNanos, profile.durationNanos);
  if (profile.periodType !== undefined) {
    writer.uint32(tag(ProfileField.periodType, WireType.bytes)).fork();
    writeValueType(writer, profile, profile.periodType, UnknownIn.periodType, 0);
    writer.ldelim();
  }
  writeInt64(writer, ProfileField.period, profile.period);
  if (profile.comments.length > 0) {
    writer.uint32(tag(ProfileField.comment, WireType.bytes)).fork();
    for (const comment of profile.comments) writer.uint32(comment);
    writer.ldelim();
  }
  writeRow(writer, ProfileField.defaultSampleType, profile.defaultSampleType);
  writeRow(writer, ProfileField.docUrl, profile.docUrl);
  return writer.finish();
}

function writeValueType(
  writer: protobuf.Writer,
  profile: Profile,
  type: ValueType,
  message: number,
  row: number,
): void {
  writeRow(writer, ValueTypeField.type, type.type);
  writeRow(writer, ValueTypeField.unit, type.unit);
  const { unknown } = profile;
  if (unknown === undefined) return;
  for (let i = 0; i < unknown.length; i++) {
    if (unknown.message[i] !== message || unknown.row[i] !== row) continue;
    writer.raw(unknown.bytes.subarray(unknown.starts[i]!, unknown.starts[i + 1]!));
  }
}

function tag(field: number, wireType: number): number {
  return (field << 3) | wireType;
}

function writeRow(writer: protobuf.Writer, field: number, row: number): void {
  if (row !== 0) writer.uint32(tag(field, WireType.varint)).uint32(row);
}

function writeInt64(writer: protobuf.Writer, field: number, value: bigint): void {
  if (value === 0n) return;
  const low = Number(BigInt.asIntN(32, value));
  const high = Number(BigInt.asIntN(32, value >> 32n));
  writer.uint32(tag(field, WireType.varint)).int64({ low, high, unsigned: false } as never);
}
