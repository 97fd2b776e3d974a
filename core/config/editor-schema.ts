/** The JSON Schema of pipelines for editors: one file, with the options of all plugins at hand. */
import { bundlePipelineSchema } from '../../schemas/gen/bundle.js';
import { pipelineSchema } from '../../schemas/gen/pipeline.js';
import type { CatalogueEntry, JsonSchema, PluginKind } from './catalogue.js';

/** How its definitions are grouped: stages and aggregates stand in one list. */
const groups: Readonly<Record<PluginKind, string>> = {
  source: 'sources',
  codec: 'codecs',
  stage: 'stages',
  aggregate: 'stages',
  sink: 'sinks',
};

export function editorSchema(entries: readonly CatalogueEntry[]): JsonSchema {
  const plugins = entries.map(({ kind, name, schema }) => ({ folder: groups[kind], name, schema }));
  return bundlePipelineSchema(pipelineSchema, plugins);
}
