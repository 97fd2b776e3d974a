/** Which codec reads an input: the one that the pipeline names, or the one that knows the bytes. */

import { FormatError } from '../formats/errors.js';
import type { ByteInput } from '../formats/input.js';
import type { Profile } from '../profile/profile.js';
import type { Codec, DecodeContext } from './plugin.js';

export interface NamedCodec {
  readonly name: string;
  readonly detect?: ((head: Uint8Array) => number) | undefined;
  readonly codec: Codec;
}

/** @throws FormatError E_EMPTY, E_UNKNOWN_FORMAT, or the codec's own */
export async function decodeInput(
  input: ByteInput,
  codecs: readonly NamedCodec[],
  contextFor: (plugin: string) => DecodeContext,
): Promise<Profile | AsyncIterable<Profile>> {
  const head = await input.head();
  if (head.length === 0) throw new FormatError('E_EMPTY', 'no bytes', { offset: 0 });
  const chosen = codecs.length === 1 ? codecs[0]! : findCodec(head, codecs);
  if (chosen === undefined) {
    const magic = Array.from(head.subarray(0, 8), (byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const tried = codecs.map(({ name }) => name).join(', ');
    throw new FormatError('E_UNKNOWN_FORMAT', `no codec knows these bytes; tried ${tried}`, { offset: 0, got: magic });
  }
  const context = contextFor(chosen.name);
  return chosen.codec.decodeParts?.(input, context) ?? chosen.codec.decode!(input, context);
}

function findCodec(head: Uint8Array, codecs: readonly NamedCodec[]): NamedCodec | undefined {
  let best: NamedCodec | undefined;
  let bestScore = 0;
  for (const codec of codecs) {
    const score = codec.detect?.(head) ?? 0;
    if (score > bestScore) {
      best = codec;
      bestScore = score;
    }
  }
  return best;
}
