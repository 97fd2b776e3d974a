/** What is done to one item: read and decoded, taken through stages, encoded. */
import { openInput } from '../formats/compression/input.js';
import { Budget } from '../formats/limits.js';
import type { Profile } from '../profile/profile.js';
import { tableBytes } from '../profile/table-bytes.js';
import { attempt, isStranger, Misstep, type PluginSite, type Site } from './attempt.js';
import { chooseCodec, decodeWith } from './decode-input.js';
import { isInParts, mergeParts } from './parts.js';
import { DECODE_PLACE, READ_PLACE } from './places.js';
import type { Encoder, PlanPlugins, StageInUse } from './plan-plugins.js';
import type { DecodeContext, ItemInfo } from './plugin.js';
import type { NumberedItem } from './protocol.js';
import { type ItemBytes, readItem } from './read-item.js';
import { withSourceLabels } from './source-labels.js';
import { assertPieces, assertProfile, referencesHold } from './strangers/profile-shape.js';
import type { Work } from './work.js';

const readSite: Site = { place: READ_PLACE, stage: 'read' };
const decodeSite: Site = { place: DECODE_PLACE, stage: 'decode' };

export interface StagedItem {
  readonly info: ItemInfo;
  readonly staged: Profile;
  /** Why it is not all of the item. */
  readonly broken?: Misstep;
}

/** The item as the stages before the first barrier leave it. @param arrivalMs see `ItemInfo` @throws Misstep, FormatError */
export async function decodeAndStage(
  item: NumberedItem,
  { context, codecs, segments }: PlanPlugins,
  work: Work,
  arrivalMs?: number,
): Promise<StagedItem> {
  const { stages, barrier } = segments[0]!;
  const budget = new Budget(context.limits);
  const bytes = await work.call(
    readSite,
    () => readItem(item, budget),
    ({ size }) => size,
  );
  try {
    const info = infoOf(item, bytes, arrivalMs);
    const input = openInput(bytes.source, budget, bytes.readAt);
    const warn = (code: string, message: string) => work.facts.warn(code, message);
    const { plugin, codec } = await attempt(decodeSite, work.trace, () => chooseCodec(input, codecs, warn));
    const site = { ...decodeSite, plugin };
    let broken: Misstep | undefined;
    const decodeContext: DecodeContext = {
      ...work.itemContext(info, plugin.name),
      breaksOff: (error) => {
        broken ??= new Misstep(site, error);
      },
    };
    const stage = (profile: Profile) => {
      work.facts.samples += profile.samples.length;
      return throughStages(stages, withSourceLabels(profile, item.labels), info, work);
    };
    const decoded = await work.call(
      site,
      async () => {
        const given = await decodeWith(codec, input, decodeContext);
        if (isStranger(site) && !isInParts(given)) assertProfile(given);
        return given;
      },
      (given) => (isInParts(given) ? 0 : tableBytes(given)),
    );
    const staged = isInParts(decoded)
      ? await mergeParts(timedParts(decoded, site, work), stage, warn)
      : await stage(decoded);
    for (const { code, message } of input.notes) work.facts.warn(code, message);
    // A barrier asks for it, when the file is closed.
    if (barrier !== undefined) info.digest;
    return broken === undefined ? { info, staged } : { info, staged, broken };
  } finally {
    await bytes.close();
  }
}

/** @throws Misstep */
export async function throughStages(
  stages: readonly StageInUse[],
  profile: Profile,
  info: ItemInfo,
  work: Work,
): Promise<Profile> {
  let current = profile;
  for (const { site, position, stage } of stages) {
    const input = current;
    const context = {
      ...work.itemContext(info, site.plugin.name),
      report: (value: unknown) => work.facts.report(position, isStranger(site) ? structuredClone(value) : value),
    };
    current = await work.call(
      site,
      async () => {
        const output = await stage.process(input, context);
        if (isStranger(site) && !(output === input && referencesHold(output))) assertProfile(output);
        return output;
      },
      tableBytes,
    );
  }
  return current;
}

/** @returns by output, the pieces @throws Misstep */
export async function encode(
  encoders: readonly Encoder[],
  profile: Profile,
  info: ItemInfo,
  work: Work,
): Promise<(readonly Uint8Array[])[]> {
  const outputs: (readonly Uint8Array[])[] = [];
  for (const [index, { site, codec, sameAs }] of encoders.entries()) {
    if (sameAs < index) {
      outputs.push(outputs[sameAs]!);
      continue;
    }
    const context = work.itemContext(info, site.plugin.name);
    const pieces = await work.call(
      site,
      async () => {
        const given = await codec.encode!(profile, context);
        if (isStranger(site)) assertPieces(given);
        return given;
      },
      (given) => given.reduce((sum, { length }) => sum + length, 0),
    );
    outputs.push(pieces);
  }
  return outputs;
}

/** The digest is computed when it is first asked for. */
function infoOf({ index, name, uri }: NumberedItem, bytes: ItemBytes, arrivalMs: number | undefined): ItemInfo {
  let digest: Uint8Array | undefined;
  return {
    index,
    name,
    uri,
    ...(arrivalMs === undefined ? {} : { arrivalMs }),
    get digest() {
      digest ??= bytes.digest();
      return digest;
    },
  };
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
