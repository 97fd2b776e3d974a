/** The plugins that work on a plan's items: made once, used for all of its tasks. */
import { defaultOptions } from '../../config/default-options.js';
import type { Plan } from '../../config/plan.js';
import { FIRST_STAGE_PLACE, type PluginSite } from '../contract/places.js';
import type { Codec, CreateContext, Stage } from '../contract/plugin.js';
import { openBinaries } from '../plugins/binaries.js';
import { Maker } from '../plugins/maker.js';
import type { Registry } from '../plugins/registry.js';
import { workerPlugins } from '../plugins/used-plugins.js';
import { Barrier } from './barrier.js';
import { createContext } from './create-context.js';
import type { NamedCodec } from './decode-input.js';

export interface StageInUse {
  readonly site: PluginSite;
  /** "segment.stage", the key of its reports. */
  readonly position: string;
  readonly stage: Stage<unknown>;
  /** Whether it works on captures, which no merged profile has. */
  readonly needsCaptures: boolean;
}

export interface Encoder {
  readonly site: PluginSite;
  readonly codec: Codec;
  /** The first output that encodes alike: they share the bytes. */
  readonly sameAs: number;
}

export interface SegmentInUse {
  readonly stages: readonly StageInUse[];
  readonly barrier?: Barrier;
}

export interface PlanPlugins {
  readonly context: CreateContext;
  /** That may read the inputs. */
  readonly codecs: readonly NamedCodec[];
  readonly segments: readonly SegmentInUse[];
  /** By output. */
  readonly encoders: readonly Encoder[];
}

/** @throws PluginRefusal for what a plugin's `create` throws */
export async function makePlugins(plan: Plan, registry: Registry, signal: AbortSignal): Promise<PlanPlugins> {
  const codecs: NamedCodec[] = [];
  const binaries = await openBinaries(workerPlugins(plan, registry), plan.limits, signal);
  const context = createContext(binaries, plan.limits, signal, codecs);
  const make = new Maker(registry, context);
  for (const { decodes, name, schema, detect, sharesParts = false } of registry.codecs()) {
    if (!decodes || (plan.inputCodec !== undefined && plan.inputCodec.plugin !== name)) continue;
    const use = plan.inputCodec ?? { plugin: name, options: defaultOptions(schema) };
    const codec = await make.make('codec', use, `input.codec.${name}`);
    codecs.push({ plugin: registry.ref('codec', name), detect, codec, sharesParts });
  }

  const segments: SegmentInUse[] = [];
  let number = 0;
  const nextSite = (kind: 'stage' | 'aggregate', name: string): PluginSite => {
    const stage = `stages[${number}]`;
    return { place: FIRST_STAGE_PLACE + number++, stage, plugin: registry.ref(kind, name) };
  };
  for (const { stages: uses, aggregate } of plan.segments) {
    const stages: StageInUse[] = [];
    for (const use of uses) {
      const site = nextSite('stage', use.plugin);
      const stage = await make.make('stage', use, `${site.stage}.${use.plugin}`);
      const needsCaptures = registry.get('stage', use.plugin).needs?.includes('capture') === true;
      stages.push({ site, position: `${segments.length}.${stages.length}`, stage, needsCaptures });
    }
    if (aggregate === undefined) segments.push({ stages });
    else {
      const site = nextSite('aggregate', aggregate.plugin);
      const made = await make.make('aggregate', aggregate, `${site.stage}.${aggregate.plugin}`);
      const windowRules = registry.get('aggregate', aggregate.plugin).windowRules?.(aggregate.options);
      segments.push({ stages, barrier: new Barrier(site, made, windowRules) });
    }
  }

  const encoders: Encoder[] = [];
  const keys = plan.outputs.map(({ codec }) => JSON.stringify([codec.plugin, codec.options]));
  for (const [index, { sink, codec: use }] of plan.outputs.entries()) {
    const sameAs = keys.indexOf(keys[index]!);
    const codec =
      sameAs < index
        ? encoders[sameAs]!.codec
        : await make.make('codec', use, `output[${index}].${sink.plugin}.codec.${use.plugin}`);
    const plugin = registry.ref('codec', use.plugin);
    const site = { place: FIRST_STAGE_PLACE + number + index, stage: `outputs[${index}]`, plugin };
    encoders.push({ site, codec, sameAs });
  }
  return { context, codecs, segments, encoders };
}

export async function closePlugins({ context, codecs, segments, encoders }: PlanPlugins): Promise<void> {
  for (const { codec } of codecs) await codec.close?.();
  for (const { stages, barrier } of segments) {
    for (const { stage } of stages) await stage.close?.();
    await barrier?.close();
  }
  for (const { codec } of encoders) await codec.close?.();
  context.binaries.close();
}
