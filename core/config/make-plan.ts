/** A pipeline file and what the command line says -> a checked, frozen plan. `run`, `lint` and `graph` share this one way. */
import { join } from 'node:path';
import { pipelineSchema } from '../../schemas/gen/pipeline.js';
import { checkStageOrder, type PlacedStage } from './capabilities.js';
import type { Catalogue, CatalogueEntry } from './catalogue.js';
import { expandScalar, type Scope } from './expand.js';
import type { Findings } from './finding.js';
import type { PlacedUse } from './option-checks.js';
import { type CheckedOutput, checkOutputs, firstOutputFolder } from './outputs.js';
import { bindParams } from './params.js';
import type { PipelineFile } from './pipeline-file.js';
import type { Plan, PlanSegment, PluginUse } from './plan.js';
import { Secrets } from './secrets.js';
import { type ConfigNode, type MapEntry, type MapNode, mapScalars } from './tree.js';
import { checkCodecUse, checkUse, splitEntry, type UseContext } from './uses.js';
import { validate } from './validate.js';

export interface PlanOptions {
  /** All plugins, those of `PipelineFile.pluginModules` too. */
  readonly catalogue: Catalogue;
  /** `name=value`, as given with --set. */
  readonly set: readonly string[];
  /** Absolute: what relative paths on the command line and in the environment start from. */
  readonly currentFolder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether a parameter that has no value is a finding; without it there is no plan then, and no finding either. */
  readonly requireParams: boolean;
}

export interface Planned {
  /** Undefined when there are findings, or parameters without a value. */
  readonly plan: Plan | undefined;
  /** For `checkOptions`, and for the places of what a plugin's `create` finds. */
  readonly uses: readonly PlacedUse[];
  /** To be masked in whatever is printed, findings included. */
  readonly secrets: readonly string[];
}

/** Keys whose text is taken as it is. */
const notExpanded = new Set(['params', 'plugins', 'name', 'description']);

export function makePlan(pipeline: PipelineFile, options: PlanOptions, findings: Findings): Planned {
  const secrets = new Secrets();
  const scope = { environment: options.environment, environmentBase: options.currentFolder, secrets };
  const params = bindParams(
    pipeline.params,
    { set: options.set, setBase: options.currentFolder, requireAll: options.requireParams, scope },
    findings,
  );
  const root = expandTree(pipeline.root, { ...scope, params }, findings);
  const context: UseContext = { catalogue: options.catalogue, findings, base: pipeline.base, uses: [] };
  const settings = validate(pipelineSchema, root, { where: '', base: pipeline.base }, findings);
  const input = checkInput(root.entries.get('input')?.value, context);
  const segments = checkStages(root.entries.get('stages')?.value, input.codecEntry, context);
  const outputs = checkOutputs(root.entries.get('output')?.value, groupFields(segments, options.catalogue), context);
  // Settings are undefined too where a parameter without a value stands anywhere: some use is missing then.
  if (findings.length > 0 || settings === undefined || input.source === undefined) {
    return { plan: undefined, uses: context.uses, secrets: secrets.list() };
  }
  const { on_error, dead_letter, isolation, timeout, limits } = settings.value as Settings;
  const plan: Plan = {
    name: pipeline.name,
    file: pipeline.file,
    pluginModules: pipeline.pluginModules.map(({ url }) => url),
    source: input.source,
    ...(input.codec === undefined ? {} : { inputCodec: input.codec }),
    segments,
    outputs: outputs.map((output) => output.plan),
    onError: on_error,
    deadLetter: dead_letter ?? defaultDeadLetter(outputs, options.currentFolder),
    isolation,
    timeoutMs: milliseconds(timeout),
    limits: limits ?? {},
    secrets: secrets.list(),
  };
  return { plan: deepFreeze(plan), uses: context.uses, secrets: secrets.list() };
}

/** What the plan takes of the file as schemas/pipeline.schema.json describes it. */
interface Settings {
  readonly on_error: Plan['onError'];
  readonly dead_letter?: string;
  readonly isolation: Plan['isolation'];
  readonly timeout: string;
  readonly limits?: Plan['limits'];
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000 };

/** "1.5s" as the schema lets it through. */
function milliseconds(duration: string): number {
  const [, amount, unit] = /^([\d.]+)(ms|s|m)$/.exec(duration)!;
  return Number(amount) * unitMs[unit!]!;
}

function expandTree(root: MapNode, scope: Scope, findings: Findings): MapNode {
  const entries = new Map<string, MapEntry>();
  for (const [key, { keyPlace, value }] of root.entries) {
    const expand = notExpanded.has(key)
      ? value
      : mapScalars(value, (scalar) => expandScalar(scalar, { ...scope, groups: key === 'output' }, findings));
    entries.set(key, { keyPlace, value: expand });
  }
  return { ...root, entries };
}

interface CheckedInput {
  readonly source?: PluginUse;
  readonly codec?: PluginUse;
  readonly codecEntry?: CatalogueEntry;
}

function checkInput(node: ConfigNode | undefined, context: UseContext): CheckedInput {
  if (node?.kind !== 'map') return {};
  const { rest, entry: codecNode } = splitEntry(node, 'codec');
  const [first, ...others] = rest.entries;
  for (const [name, { keyPlace }] of others) {
    context.findings.add(keyPlace, 'source-count', `input: one source, and it has "${first![0]}" before "${name}"`);
  }
  // Of an empty map the schema says it.
  if (first === undefined && codecNode !== undefined) {
    context.findings.add(node.place, 'source-count', 'input: names no source');
  }
  const source =
    first === undefined ? undefined : checkUse(['source'], first[0], first[1], 'input', context).checked?.use;
  const codec = codecNode === undefined ? undefined : checkCodecUse(codecNode.value, 'input.codec', context);
  if (codec?.entry !== undefined && codec.entry.decodes !== true) {
    const message = `input.codec: codec "${codec.entry.name}" writes only`;
    context.findings.add(codecNode!.value.place, 'codec-cannot-decode', message);
  }
  return {
    ...(source === undefined ? {} : { source }),
    ...(codec?.checked === undefined ? {} : { codec: codec.checked.use }),
    ...(codec?.entry === undefined ? {} : { codecEntry: codec.entry }),
  };
}

/** Stages cut into runs at the aggregates; at least one run, which may be empty. */
function checkStages(
  node: ConfigNode | undefined,
  inputCodec: CatalogueEntry | undefined,
  context: UseContext,
): readonly PlanSegment[] {
  const items = node?.kind === 'list' ? node.items : [];
  const segments: PlanSegment[] = [];
  const placed: PlacedStage[] = [];
  let isOrderKnown = true;
  let stages: PluginUse[] = [];
  items.forEach((item, index) => {
    const only = item.kind === 'map' && item.entries.size === 1 ? [...item.entries][0] : undefined;
    if (only === undefined) return;
    const [name, entry] = only;
    const { entry: known, checked } = checkUse(['stage', 'aggregate'], name, entry, `stages[${index}]`, context);
    // Behind an unknown stage nothing is said of the order: it may have been meant to provide what is missing.
    isOrderKnown &&= known !== undefined;
    if (known !== undefined && isOrderKnown) {
      placed.push({ entry: known, place: entry.keyPlace, where: `stages[${index}].${name}` });
    }
    if (checked === undefined) return;
    if (checked.entry.kind === 'stage') stages.push(checked.use);
    else {
      segments.push({ stages, aggregate: checked.use });
      stages = [];
    }
  });
  if (stages.length > 0 || segments.length === 0) segments.push({ stages });
  checkStageOrder(placed, inputCodec, context.catalogue, context.findings);
  return segments;
}

/** Of what comes out at the end: the last aggregate says. */
function groupFields(segments: readonly PlanSegment[], catalogue: Catalogue): readonly string[] {
  const last = segments.findLast(({ aggregate }) => aggregate !== undefined)?.aggregate;
  return last === undefined ? [] : (catalogue.find('aggregate', last.plugin)?.groupFields?.(last.options) ?? []);
}

function defaultDeadLetter(outputs: readonly CheckedOutput[], currentFolder: string): string {
  return join(firstOutputFolder(outputs) ?? currentFolder, 'dead-letter');
}

/** Recursion is bounded by the depth that YAML may have. */
function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}
