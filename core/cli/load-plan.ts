/** Pipeline file and command line -> plan: the way that run, lint and graph share. */
import { fileURLToPath } from 'node:url';
import type { Catalogue } from '../config/catalogue.js';
import type { Finding } from '../config/finding.js';
import { Findings } from '../config/finding.js';
import { makePlan } from '../config/make-plan.js';
import { checkOptions, type PlacedUse, placeOfOption } from '../config/option-checks.js';
import { type PipelineFile, readPipelineFile, withStdin } from '../config/pipeline-file.js';
import type { Plan } from '../config/plan.js';
import { schemaProblems } from '../config/validate.js';
import type { PluginRefusal } from '../engine/contract/errors.js';
import { openPipeline } from './pipelines.js';
import { loadPlugins } from './plugins.js';
import type { Call } from './verb.js';

export interface LoadedPlan {
  /** Undefined when there are findings; and, without `requireParams`, when parameters have no value. */
  readonly plan: Plan | undefined;
  readonly findings: readonly Finding[];
  readonly uses: readonly PlacedUse[];
  /** Undefined when not even that could be read. */
  readonly pipeline: PipelineFile | undefined;
}

/** What a call says of a plan. */
export type PlanCall = Pick<Call, 'argument' | 'texts' | 'currentFolder' | 'environment'> & {
  readonly out: Pick<Call['out'], 'mask'>;
  readonly err: Pick<Call['err'], 'mask'>;
};

export interface PlanRequest {
  readonly requireParams: boolean;
  /** In place of the call's --set, and of the current folder for relative paths in values. */
  readonly values?: { readonly set: readonly string[]; readonly folder: string };
  /** Inputs come from somewhere else: what the pipeline says of its source is not looked at. */
  readonly hasOwnInput?: boolean;
}

/** Outputs of the call mask the plan's secrets from here on. @throws CallProblem when there is no such file */
export async function loadPlan(call: PlanCall, request: PlanRequest): Promise<LoadedPlan> {
  const findings = new Findings();
  const read = readPipelineFile(
    await openPipeline(call.argument('pipeline'), call.currentFolder),
    call.currentFolder,
    findings,
  );
  const pipeline = read !== undefined && request.hasOwnInput === true ? withStdin(read) : read;
  if (pipeline === undefined) return { plan: undefined, uses: [], findings: findings.sorted(), pipeline };
  const catalogue = await loadCatalogue(pipeline, findings);
  if (catalogue === undefined) return { plan: undefined, uses: [], findings: findings.sorted(), pipeline };
  const { plan, uses, secrets } = makePlan(
    pipeline,
    {
      catalogue,
      set: request.values?.set ?? call.texts('set'),
      currentFolder: request.values?.folder ?? call.currentFolder,
      environment: call.environment,
      requireParams: request.requireParams,
    },
    findings,
  );
  await checkOptions(uses, findings);
  call.out.mask(secrets);
  call.err.mask(secrets);
  return { plan: findings.length > 0 ? undefined : plan, uses, findings: findings.sorted(), pipeline };
}

/** What the `create` of a plugin throws, at the option that it is about, or else at the plugin's options. */
export function refusalFinding(refusal: PluginRefusal, uses: readonly PlacedUse[]): Finding | undefined {
  const use = uses.find(({ where }) => where === refusal.where);
  if (use === undefined) return undefined;
  return { ...placeOfOption(use, refusal.option), code: refusal.code, message: refusal.message };
}

/** A module that does not load is the pipeline's fault, not ours: a finding. Without its plugins the rest cannot be judged. */
async function loadCatalogue({ pluginModules }: PipelineFile, findings: Findings): Promise<Catalogue | undefined> {
  const placeOf = new Map(pluginModules.map(({ url, place }) => [url, place]));
  let isComplete = true;
  const { catalogue } = await loadPlugins([...placeOf.keys()], (module, { code, message }) => {
    findings.add(placeOf.get(module)!, code, message);
    isComplete = false;
  });
  for (const { origin, kind, name, schema } of catalogue.list()) {
    const place = placeOf.get(origin);
    if (place === undefined) continue;
    for (const problem of await schemaProblems(schema)) {
      findings.add(place, 'plugin-schema', `${kind} "${name}" of ${fileURLToPath(origin)}: ${problem}`);
      isComplete = false;
    }
  }
  return isComplete ? catalogue : undefined;
}
