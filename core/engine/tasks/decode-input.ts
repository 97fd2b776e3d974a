/** Which codec reads an input: the one that the pipeline names, or the one that knows the bytes. */

import { FormatError } from '../../formats/errors.js';
import type { ByteInput } from '../../formats/input.js';
import type { Profile } from '../../profile/profile.js';
import type { PluginRef } from '../contract/places.js';
import type { Codec, DecodeContext } from '../contract/plugin.js';
import { callStrangerNow } from '../strangers/guards.js';
import { WHOLE } from './parts.js';

export interface NamedCodec {
  readonly plugin: PluginRef;
  readonly detect?: ((head: Uint8Array) => number) | undefined;
  readonly codec: Codec;
  readonly sharesParts: boolean;
}

/** @throws FormatError E_EMPTY, E_UNKNOWN_FORMAT */
export async function chooseCodec(
  input: ByteInput,
  codecs: readonly NamedCodec[],
  warn: (code: string, message: string) => void,
): Promise<NamedCodec> {
  const head = await input.head();
  if (head.length === 0) throw new FormatError('E_EMPTY', 'no bytes', { offset: 0 });
  const chosen = codecs.length === 1 ? codecs[0]! : findCodec(head, codecs, warn);
  if (chosen === undefined) {
    const magic = Array.from(head.subarray(0, 8), (byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const tried = codecs.map(({ plugin }) => plugin.name).join(', ');
    throw new FormatError('E_UNKNOWN_FORMAT', `no codec knows these bytes; tried ${tried}`, { offset: 0, got: magic });
  }
  return chosen;
}

/** @returns the profile, or its parts @throws the codec's own FormatErrors */
export async function decodeWith(
  codec: Codec,
  input: ByteInput,
  context: DecodeContext,
  share = WHOLE,
): Promise<Profile | AsyncIterable<Profile>> {
  return codec.decodeParts?.(input, context, share) ?? codec.decode!(input, context);
}

function findCodec(
  head: Uint8Array,
  codecs: readonly NamedCodec[],
  warn: (code: string, message: string) => void,
): NamedCodec | undefined {
  let best: NamedCodec | undefined;
  let bestScore = 0;
  for (const codec of codecs) {
    const score = codec.plugin.module === undefined ? (codec.detect?.(head) ?? 0) : guardedScore(codec, head, warn);
    if (score > bestScore) {
      best = codec;
      bestScore = score;
    }
  }
  return best;
}

/** All inputs pass here, so a third party's codec that cannot look at one is passed over. */
function guardedScore(
  { plugin, detect }: NamedCodec,
  head: Uint8Array,
  warn: (code: string, message: string) => void,
): number {
  try {
    const score = callStrangerNow(plugin, () => detect?.(head.slice()));
    return typeof score === 'number' && score <= 1 ? score : 0;
  } catch (error) {
    warn('detect_threw', `codec ${plugin.name} ${plugin.version} cannot look at bytes: ${error}`);
    return 0;
  }
}
