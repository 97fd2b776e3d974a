/** A ByteInput that holds profile.proto, as a Profile. */
import type { ByteInput, Profile, WholeContext } from '../../../core/index.js';
import { FormatError } from '../../../core/index.js';
import { ProfileDecoder } from './decoder.js';

/** Its memory serves the next profile of this thread. */
let idle: ProfileDecoder | undefined;

/** @throws FormatError */
export async function decodeProfile(input: ByteInput, context: WholeContext): Promise<Profile> {
  return (await decodeUpTo(Number.POSITIVE_INFINITY, input, context))!;
}

/** @param mostBytes after decompression @returns undefined when there are more @throws FormatError */
export async function decodeUpTo(
  mostBytes: number,
  input: ByteInput,
  context: WholeContext,
): Promise<Profile | undefined> {
  const decoder = idle?.limits === context.limits ? idle : new ProfileDecoder(context.limits);
  idle = undefined;
  try {
    let total = 0;
    for await (const chunk of input.chunks()) {
      total += chunk.length;
      if (total > mostBytes) return undefined;
      decoder.push(chunk);
    }
    if (total === 0) throw new FormatError('E_EMPTY', 'input is empty');
    decoder.end();
    const profile = decoder.finish(context.isUsedUp === true);
    tellOddities(decoder, profile, context);
    return profile;
  } finally {
    decoder.clear();
    if (!decoder.isLarge) idle = decoder;
  }
}

/** What was accepted, but is told. */
export function tellOddities(decoder: ProfileDecoder, profile: Profile, context: WholeContext): void {
  if (decoder.unknownFields > 0) context.count('unknown_fields', decoder.unknownFields);
  if (decoder.labelsOfBothKinds > 0) context.count('labels_of_both_kinds', decoder.labelsOfBothKinds);
  if (decoder.hasNegativeValues) context.count('profiles_with_negative_values');
  warnOfInvertedMappings(profile, context);
}

/** A mapping that ends before it starts is kept as it is; no address lies in it. */
function warnOfInvertedMappings(profile: Profile, context: WholeContext): void {
  const { memoryStart, memoryLimit } = profile.mappings;
  const row = memoryStart.findIndex((start, index) => start > memoryLimit[index]!);
  if (row < 0) return;
  const range = `0x${memoryStart[row]!.toString(16)}..0x${memoryLimit[row]!.toString(16)}`;
  context.warn('mapping_inverted', `Profile.mapping[${row}]: start is beyond its limit (${range})`);
}
