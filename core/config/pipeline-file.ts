/**
 * A pipeline file, read but not yet checked: what must be known of it before its plugins are loaded, and for `--help`.
 * The second half of the way to a plan is `make-plan.ts`.
 */
import { basename } from 'node:path';
import type { Findings } from './finding.js';
import { type Param, readParams } from './params.js';
import { type PluginModule, resolvePluginModules } from './plugin-modules.js';
import type { ConfigNode, MapEntry, MapNode } from './tree.js';
import { readYaml, type YamlFile } from './yaml.js';

export interface PipelineFile {
  readonly file: string;
  /** Absolute folder that relative paths in it start from. */
  readonly base: string;
  readonly root: MapNode;
  readonly name: string;
  readonly description?: string;
  readonly params: ReadonlyMap<string, Param>;
  /** `plugins:`, found. */
  readonly pluginModules: readonly PluginModule[];
}

/**
 * @param currentFolder where plugins are looked for besides the file's own folder
 * @returns undefined after adding at least one finding
 */
export function readPipelineFile(
  source: YamlFile,
  currentFolder: string,
  findings: Findings,
): PipelineFile | undefined {
  const root = readYaml(source, findings);
  if (root === undefined) return undefined;
  if (root.kind !== 'map') {
    findings.add(root.place, 'wrong-type', 'a pipeline is a map with the keys input, stages, output …');
    return undefined;
  }
  const description = textAt(root, 'description');
  return {
    file: source.file,
    base: source.base,
    root,
    name: textAt(root, 'name') ?? basename(source.file).replace(/\.ya?ml$/, ''),
    ...(description === undefined ? {} : { description }),
    params: readParams(root),
    pluginModules: resolvePluginModules(root, currentFolder, findings),
  };
}

/** The same pipeline, made to read stdin; the codec that it names stays. */
export function withStdin(pipeline: PipelineFile): PipelineFile {
  const { root, base } = pipeline;
  const input = root.entries.get('input');
  if (input?.value.kind !== 'map') return pipeline;
  const { keyPlace, value } = input;
  const codec = value.entries.get('codec');
  const noOptions: MapEntry = { keyPlace, value: { kind: 'scalar', place: keyPlace, base, value: null } };
  const entries = new Map([['stdin', noOptions], ...(codec === undefined ? [] : [['codec', codec] as const])]);
  const changed = new Map(root.entries).set('input', { keyPlace, value: { ...value, entries } });
  return { ...pipeline, root: { ...root, entries: changed } };
}

function textAt(root: MapNode, key: string): string | undefined {
  const node: ConfigNode | undefined = root.entries.get(key)?.value;
  return node?.kind === 'scalar' && typeof node.value === 'string' ? node.value : undefined;
}
