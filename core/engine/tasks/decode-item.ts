/** One item's bytes, and what a codec makes of them. */
import { openInput } from '../../formats/compression/input.js';
import { Budget } from '../../formats/limits.js';
import type { Profile } from '../../profile/profile.js';
import { tableBytes } from '../../profile/table-bytes.js';
import { DECODE_PLACE, type PluginSite, READ_PLACE, type Site } from '../contract/places.js';
import type { DecodeContext, ItemInfo, ProfilePieces, Share, WindowsWritten } from '../contract/plugin.js';
import type { NumberedItem } from '../contract/protocol.js';
import { attempt, isStranger, Misstep } from '../plugins/attempt.js';
import { assertProfile } from '../strangers/profile-shape.js';
import { chooseCodec, decodeWith } from './decode-input.js';
import { isInParts, isInPieces, WHOLE } from './parts.js';
import type { PlanPlugins } from './plan-plugins.js';
import { type ItemBytes, readItem } from './read-item.js';
import type { Work } from './work.js';

const readSite: Site = { place: READ_PLACE, stage: 'read' };
const decodeSite: Site = { place: DECODE_PLACE, stage: 'decode' };

/** A profile, or the parts or pieces of one. */
export type Decoded = Profile | AsyncIterable<Profile> | ProfilePieces;

/** What was made of an item. */
export interface Made<Value> {
  readonly info: ItemInfo;
  readonly value: Value;
  /** Why it is not of all of the item. */
  readonly broken?: Misstep;
}

/**
 * @param share of the parts; of a codec that shares none, another one than the whole is nothing
 * @param take makes something of what was decoded, while the item is open
 * @param arrivalMs see `ItemInfo`
 * @returns undefined for a share of what cannot be shared
 * @throws Misstep; what `take` throws
 */
export async function decodeItem<Value>(
  item: NumberedItem,
  share: Share,
  { context, codecs, segments }: PlanPlugins,
  work: Work,
  take: (decoded: Decoded, info: ItemInfo) => Promise<Value>,
  arrivalMs?: number,
): Promise<Made<Value> | undefined> {
  const budget = new Budget(context.limits);
  const decodeBytes = async (bytes: ItemBytes, info: ItemInfo) => {
    const input = openInput(bytes.source, budget, bytes);
    const warn = (code: string, message: string) => work.facts.warn(code, message);
    const { plugin, codec, sharesParts } = await attempt(decodeSite, work.trace, () =>
      chooseCodec(input, codecs, warn),
    );
    if (share.of !== WHOLE.of && !sharesParts) return undefined;
    const site = { ...decodeSite, plugin };
    const { stages, barrier } = segments[0]!;
    let broken: Misstep | undefined;
    const decodeContext: DecodeContext = {
      ...work.itemContext(info, plugin.name),
      breaksOff: (error) => {
        broken ??= new Misstep(site, error);
      },
      // The built-in aggregate copies what it adds.
      isUsedUp: stages.length === 0 && barrier?.isBuiltIn === true,
    };
    // Labels of the source are put on the whole.
    const takesPieces =
      share === WHOLE && stages.length === 0 && barrier?.takesPieces === true && item.labels === undefined;
    const decoded = await work.call<Decoded>(
      site,
      async () => {
        const given = await (takesPieces && codec.decodeInPieces !== undefined
          ? codec.decodeInPieces(input, decodeContext)
          : decodeWith(codec, input, decodeContext, share));
        if (isStranger(site) && !isInParts(given) && !isInPieces(given)) assertProfile(given);
        return given;
      },
      (given) => (isInParts(given) || isInPieces(given) ? 0 : tableBytes(given)),
    );
    const value = await take(timed(decoded, site, work), info);
    for (const { code, message } of input.notes) work.facts.warn(code, message);
    // A barrier asks for it, when the file is closed.
    if (barrier !== undefined) info.digest;
    return broken === undefined ? { info, value } : { info, value, broken };
  };
  return withBytes(item, budget, work, decodeBytes, arrivalMs);
}

/** Takes the bytes of an item while it is open. @param arrivalMs see `ItemInfo` @throws Misstep; what `take` throws */
export async function withBytes<Value>(
  item: NumberedItem,
  budget: Budget,
  work: Work,
  take: (bytes: ItemBytes, info: ItemInfo) => Promise<Value>,
  arrivalMs: number | undefined,
): Promise<Value> {
  const bytes = await work.call(
    readSite,
    () => readItem(item, budget),
    ({ size }) => size,
  );
  try {
    return await take(bytes, infoOf(item, bytes, arrivalMs));
  } finally {
    await bytes.close();
  }
}

/** The digest is computed when it is first asked for. */
function infoOf(
  { index, name, uri, written }: NumberedItem,
  bytes: ItemBytes,
  arrivalMs: number | undefined,
): ItemInfo {
  let digest: Uint8Array | undefined;
  return {
    index,
    name,
    uri,
    ...(arrivalMs === undefined ? {} : timesOf(written, arrivalMs)),
    get digest() {
      digest ??= bytes.digest();
      return digest;
    },
  };
}

const timesOf = (written: WindowsWritten | undefined, arrivalMs: number) =>
  written === undefined ? { arrivalMs } : { arrivalMs: written.arrivalMs, writtenUntilMs: written.untilMs };

function timed(decoded: Decoded, site: PluginSite, work: Work): Decoded {
  if (isInParts(decoded)) return timedParts(decoded, site, work);
  return isInPieces(decoded) ? { pieces: timedParts(decoded.pieces, site, work) } : decoded;
}

/** The parts, with the time that it takes to decode them, and with errors that name the place. */
async function* timedParts(parts: AsyncIterable<Profile>, site: PluginSite, work: Work): AsyncGenerator<Profile> {
  const iterator = parts[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await work.call(
        site,
        async () => {
          const result = await iterator.next();
          if (isStranger(site) && result.done !== true) assertProfile(result.value);
          return result;
        },
        ({ done, value }) => (done === true ? 0 : tableBytes(value)),
      );
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}
