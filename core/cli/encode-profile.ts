/** One profile as pprof, for what writes beside a run. */
import { createBinaryStore } from '../binary/file-store.js';
import { defaultOptions } from '../config/default-options.js';
import type { Registry } from '../engine/plugins/registry.js';
import { createContext } from '../engine/tasks/create-context.js';
import { defaultLimits } from '../formats/limits.js';
import type { Profile } from '../profile/profile.js';

/** @param uri for messages @returns the file's bytes, in pieces, compressed as the codec does by default */
export async function encodeProfile(profile: Profile, registry: Registry, uri: string): Promise<readonly Uint8Array[]> {
  const { signal } = new AbortController();
  const { schema, create } = registry.get('codec', 'pprof');
  const codec = await create(defaultOptions(schema), createContext(createBinaryStore(), {}, signal));
  const item = { index: 0, name: uri, uri, digest: new Uint8Array(32) };
  return codec.encode!(profile, { item, limits: defaultLimits, signal, count: () => {}, warn: () => {} });
}
