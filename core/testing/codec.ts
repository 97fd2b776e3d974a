/** What comes for free with each case of a codec. */
import assert from 'node:assert/strict';
import type { Codec, CodecPlugin } from '../engine/contract/plugin.js';
import { assertPieces, assertProfile } from '../engine/strangers/profile-shape.js';
import { isInParts, mergeParts, WHOLE } from '../engine/tasks/parts.js';
import { openInput } from '../formats/compression/input.js';
import { Budget } from '../formats/limits.js';
import { stacksOfProfile } from '../profile/edit/stacks.js';
import type { Profile } from '../profile/profile.js';
import { testCreateContext, testItemContext } from './context.js';

/** Places at which an input is cut, and at which a byte of it is another. */
const SPOILT_PLACES = 200;

/**
 * @returns the text of the profile
 * @throws AssertionError when it is another the second time, and when something else than FormatError comes of spoilt bytes
 */
export async function runDecoder(plugin: CodecPlugin<any>, options: unknown, bytes: Uint8Array): Promise<string> {
  const codec = await plugin.create(options, testCreateContext());
  const text = stacksOfProfile(await decode(codec, bytes));
  assert.equal(stacksOfProfile(await decode(codec, bytes)), text, 'the second run gave another profile');
  const step = Math.max(1, Math.floor(bytes.length / SPOILT_PLACES));
  for (let at = 0; at < bytes.length; at += step) {
    await decodeSpoilt(codec, bytes.slice(0, at), `cut off at byte ${at}`);
    const changed = bytes.slice();
    changed[at] = changed[at]! ^ (1 << (at % 8));
    await decodeSpoilt(codec, changed, `byte ${at} is ${changed[at]}`);
  }
  await codec.close?.();
  return text;
}

async function decode(codec: Codec, bytes: Uint8Array): Promise<Profile> {
  const context = testItemContext();
  const input = openInput(bytes.slice(), new Budget());
  const decoded = await (codec.decodeParts?.(input, context, WHOLE) ?? codec.decode!(input, context));
  const profile = isInParts(decoded) ? await mergeParts(decoded, async (part) => part, context.warn) : decoded;
  assertProfile(profile);
  return profile;
}

/** By name: a plugin may have a copy of this package of its own. */
async function decodeSpoilt(codec: Codec, bytes: Uint8Array, how: string): Promise<void> {
  try {
    await decode(codec, bytes);
  } catch (error) {
    const { name, stack } = error as Error;
    assert.equal(name, 'FormatError', `${how}: bytes that are no profile are a FormatError, not ${stack}`);
  }
}

/** @returns the bytes @throws AssertionError when they are others the second time, or the profile is changed */
export async function runEncoder(plugin: CodecPlugin<any>, options: unknown, profile: Profile): Promise<Uint8Array> {
  const before = structuredClone(profile);
  const codec = await plugin.create(options, testCreateContext());
  const encode = async (): Promise<Uint8Array> => {
    const pieces = await codec.encode!(profile, testItemContext());
    assertPieces(pieces);
    return Buffer.concat(pieces);
  };
  const bytes = await encode();
  assert.deepEqual(await encode(), bytes, 'the second run gave other bytes');
  assert.deepEqual(profile, before, 'the codec changed its input');
  await codec.close?.();
  return bytes;
}
