/** Files for a pipeline that writes windows while it runs: each profile counts one of a function of its own. */
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Budget, defaultLimits, type ItemContext, openInput } from '../../core/index.js';
import { decodeProfile } from '../../plugins/codecs/pprof/decode.js';
import { encodeProfile } from '../../plugins/codecs/pprof/encode.js';
import { profileOf, stacksOf } from './profiles.js';

const context = { limits: defaultLimits, count() {}, warn() {} } as unknown as ItemContext;

/** Renamed into the folder whole. @param timeMs since 1970; 0 for none */
export async function putProfile(folder: string, name: string, timeMs: number): Promise<void> {
  const profile = profileOf(`main;${name} 1`, { timeNanos: BigInt(timeMs) * 1_000_000n });
  const path = join(folder, `${name}.pb`);
  writeFileSync(`${path}.tmp`, Buffer.concat(await encodeProfile(profile, { compression: 'none', level: 0 })));
  renameSync(`${path}.tmp`, path);
}

/** Function → how often it was counted, of a profile that was written. */
export async function countsOf(bytes: Uint8Array): Promise<Map<string, number>> {
  const profile = await decodeProfile(openInput(bytes, new Budget()), context);
  return new Map(
    stacksOf(profile).map((text) => {
      const [, name = '', count] = /^main;(\S+) (\d+)/.exec(text) ?? [];
      return [name, Number(count)];
    }),
  );
}
