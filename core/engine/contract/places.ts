/** The places of a plan where work is done, numbered alike in the main thread and in every worker. */
import type { Plan } from '../../config/plan.js';
import type { PluginKind } from './plugin.js';

/** Which plugin, and whose: for messages about it. */
export interface PluginRef {
  readonly kind: PluginKind;
  readonly name: string;
  readonly version: string;
  /** file: URL of the module that a third party's plugin came from; absent for a built-in. */
  readonly module?: string;
}

/** A place, and the plugin at work there. */
export interface Site {
  /** Its number in the plan. */
  readonly place: number;
  readonly stage: string;
  readonly plugin?: PluginRef;
}

export type PluginSite = Site & { readonly plugin: PluginRef };

export interface Place {
  /** As failures name it: "read", "decode", "stages[1]", "outputs[0]". */
  readonly stage: string;
  readonly use?: { readonly kind: PluginKind; readonly name: string };
}

/** Where nothing of a plugin is at work: numbering begins with it. */
export const ENGINE_PLACE = 0;
export const READ_PLACE = 1;
export const DECODE_PLACE = 2;
/** Number of the first stage's place; the others follow, then the encoders of the outputs. */
export const FIRST_STAGE_PLACE = 3;

/** By number. Stages and aggregates stand in the order of the YAML. */
export function placesOf(plan: Plan): readonly Place[] {
  const stages = plan.segments.flatMap(({ stages, aggregate }) => [
    ...stages.map(({ plugin }) => ({ kind: 'stage' as const, name: plugin })),
    ...(aggregate === undefined ? [] : [{ kind: 'aggregate' as const, name: aggregate.plugin }]),
  ]);
  const codec = plan.inputCodec === undefined ? {} : { use: { kind: 'codec' as const, name: plan.inputCodec.plugin } };
  return [
    { stage: 'engine' },
    { stage: 'read' },
    { stage: 'decode', ...codec },
    ...stages.map((use, index) => ({ stage: `stages[${index}]`, use })),
    ...plan.outputs.map(({ codec }, index) => ({
      stage: `outputs[${index}]`,
      use: { kind: 'codec' as const, name: codec.plugin },
    })),
  ];
}
