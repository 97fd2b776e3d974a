/** What is done to one item: decoded, taken through stages, encoded. */
import { Budget } from '../../formats/limits.js';
import type { Profile } from '../../profile/profile.js';
import { tableBytes } from '../../profile/table-bytes.js';
import type { ItemInfo, Share } from '../contract/plugin.js';
import type { ItemShare, NumberedItem } from '../contract/protocol.js';
import { failureOf, isStranger } from '../plugins/attempt.js';
import { assertPieces, assertProfile, referencesHold } from '../strangers/profile-shape.js';
import type { AddedPieces } from './barrier.js';
import { type Decoded, decodeItem, type Made, withBytes } from './decode-item.js';
import { encodeParts, finishShares, isInParts, isInPieces, mergeParts, WHOLE } from './parts.js';
import type { Encoder, PlanPlugins, StageInUse } from './plan-plugins.js';
import type { ItemBytes } from './read-item.js';
import { withSourceLabels } from './source-labels.js';
import type { Work } from './work.js';

/**
 * The item as the stages before the first barrier leave it; or, where it came in pieces and there is no stage, added to a partial of its own.
 * @param arrivalMs see `ItemInfo`
 * @throws Misstep, FormatError
 */
export async function decodeAndStage(
  item: NumberedItem,
  plugins: PlanPlugins,
  work: Work,
  arrivalMs?: number,
): Promise<Made<Profile | AddedPieces>> {
  const { stages, barrier } = plugins.segments[0]!;
  const stageAll = async (decoded: Decoded, info: ItemInfo) => {
    if (isInPieces(decoded)) {
      return barrier!.addPieces(decoded.pieces, info, work, (samples) => {
        work.facts.samples += samples;
      });
    }
    if (!isInParts(decoded)) return stageDecoded(stages, decoded, item, info, work);
    const { ofParts, ofWhole } = splitBehindCaptures(stages);
    const stagePart = (part: Profile) => stageDecoded(ofParts, part, item, info, work);
    const whole = await mergeParts(decoded, stagePart, (code, message) => work.facts.warn(code, message));
    return throughStages(ofWhole, whole, info, work);
  };
  return (await decodeItem(item, WHOLE, plugins, work, stageAll, arrivalMs))!;
}

/**
 * A share of an item's parts, as far as the stages that need captures.
 * @returns undefined when the item's codec shares none
 * @throws Misstep, FormatError
 */
export async function decodeShare(
  item: NumberedItem,
  share: Share,
  plugins: PlanPlugins,
  work: Work,
): Promise<ItemShare | undefined> {
  const { ofParts } = splitBehindCaptures(plugins.segments[0]!.stages);
  const made = await decodeItem(item, share, plugins, work, async (decoded, info) => {
    if (!isInParts(decoded)) return undefined;
    const stagePart = (part: Profile) => stageDecoded(ofParts, part, item, info, work);
    return { partial: await encodeParts(decoded, share, stagePart, (code, message) => work.facts.warn(code, message)) };
  });
  if (made?.value === undefined) return undefined;
  const { value, broken } = made;
  return { ...value, facts: work.facts.plain(), broken: broken && failureOf(broken, item) };
}

/** What `decodeAndStage` gives, of all shares. @throws Misstep, FormatError */
export async function stageShares(
  item: NumberedItem,
  shares: readonly ItemShare[],
  { context, segments }: PlanPlugins,
  work: Work,
  arrivalMs?: number,
): Promise<Made<Profile>> {
  const { stages, barrier } = segments[0]!;
  const stageAll = async (_: ItemBytes, info: ItemInfo) => {
    for (const { facts } of shares) work.facts.addShare(facts);
    const whole = finishShares(shares.flatMap(({ partial }) => (partial === undefined ? [] : [partial])));
    const value = await throughStages(splitBehindCaptures(stages).ofWhole, whole, info, work);
    if (barrier !== undefined) info.digest;
    return { info, value };
  };
  return withBytes(item, new Budget(context.limits), work, stageAll, arrivalMs);
}

async function stageDecoded(
  stages: readonly StageInUse[],
  decoded: Profile,
  { labels }: NumberedItem,
  info: ItemInfo,
  work: Work,
): Promise<Profile> {
  work.facts.samples += decoded.samples.length;
  return throughStages(stages, withSourceLabels(decoded, labels), info, work);
}

/** Captures are of parts: no merged profile has any. */
function splitBehindCaptures(stages: readonly StageInUse[]): {
  readonly ofParts: readonly StageInUse[];
  readonly ofWhole: readonly StageInUse[];
} {
  const behind = stages.findLastIndex(({ needsCaptures }) => needsCaptures) + 1;
  return { ofParts: stages.slice(0, behind), ofWhole: stages.slice(behind) };
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
