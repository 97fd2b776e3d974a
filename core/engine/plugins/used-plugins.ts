/** Which plugins a plan makes, and in which thread. */
import type { Plan, PluginUse } from '../../config/plan.js';
import type { Plugin } from '../contract/plugin.js';
import type { Registry } from './registry.js';

/** Source and sinks. */
export function mainThreadPlugins({ source, outputs }: Plan, registry: Registry): Plugin[] {
  return [registry.get('source', source.plugin), ...outputs.map(({ sink }) => registry.get('sink', sink.plugin))];
}

/** Stages, aggregates and codecs; all codecs where the pipeline names none for its inputs. */
export function workerPlugins({ segments, outputs, inputCodec }: Plan, registry: Registry): Plugin[] {
  const codecOf = ({ plugin }: PluginUse) => registry.get('codec', plugin);
  return [
    ...segments.flatMap(({ stages, aggregate }) => [
      ...stages.map(({ plugin }) => registry.get('stage', plugin)),
      ...(aggregate === undefined ? [] : [registry.get('aggregate', aggregate.plugin)]),
    ]),
    ...(inputCodec === undefined ? registry.codecs() : [codecOf(inputCodec)]),
    ...outputs.map(({ codec }) => codecOf(codec)),
  ];
}
