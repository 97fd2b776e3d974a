/** One case, run: the pipeline's own stages and codecs, on the case's inputs, with its sinks asked for names only. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, isAbsolute, join, relative } from 'node:path';
import { type Finding, formatFinding } from '../../config/finding.js';
import type { PipelineCase } from '../../config/pipeline-cases.js';
import type { Plan } from '../../config/plan.js';
import { PluginRefusal } from '../../engine/contract/errors.js';
import type { SinkItem } from '../../engine/contract/plugin.js';
import { mainContext, makeSource } from '../../engine/flow/source-of-plan.js';
import type { SinkStandIn } from '../../engine/outputs/delivery.js';
import type { Registry } from '../../engine/plugins/registry.js';
import { runPlan } from '../../engine/run.js';
import { profileOfStacks } from '../../profile/edit/stacks.js';
import type { Profile } from '../../profile/profile.js';
import { encodeProfile } from '../encode-profile.js';
import { type LoadedPlan, loadPlan, refusalFinding } from '../load-plan.js';
import { loadPlugins, registryModule } from '../plugins.js';
import { decodeBytes } from '../read-profile.js';
import type { Call } from '../verb.js';
import type { TestFile } from './test-file.js';

export interface CaseResult {
  readonly exitCode: number;
  /** By the input's file name. */
  readonly deadLetters: ReadonlyMap<string, { readonly code: string; readonly message: string }>;
  /** What stopped the run. */
  readonly stopped?: string;
  /** By path from the test file's folder, with `/`; what is no path stands as the sink names it. */
  readonly outputs: ReadonlyMap<string, CaseOutput>;
}

export interface CaseOutput {
  readonly bytes: Uint8Array;
  /** Absent where its codec only writes. */
  readonly profile?: Profile;
}

/** The case cannot start: what `pipe run` would say with exit code 2, a line each. */
export class CaseRefused extends Error {
  override readonly name = 'CaseRefused';
  readonly lines: readonly string[];

  constructor(lines: readonly string[]) {
    super(lines.join('\n'));
    this.lines = lines;
  }
}

/** Writes to a temporary folder only. @throws CaseRefused */
export async function runCase(call: Call, tests: TestFile, given: PipelineCase): Promise<CaseResult> {
  const { plan: written, uses } = await planOf(call, tests, given);
  const registry = await loadPlugins(written.pluginModules);
  const folder = mkdtempSync(join(tmpdir(), 'profpipe-test-'));
  try {
    if (given.input === undefined) await refuseEndless(written, registry);
    const ofCase = given.input === undefined ? written : await withInput(written, given.input, folder, registry);
    const plan: Plan = { ...ofCase, deadLetter: join(folder, 'dead-letter') };
    const captured = new Map<string, { readonly output: number; readonly bytes: Uint8Array }>();
    const { drain, stop } = call.interruption.takeOver();
    const summary = await runPlan(plan, {
      registryModule,
      drain,
      signal: stop,
      standIn: capturing((output, { bytes }, destination) =>
        captured.set(pathFrom(tests.folder, destination), { output, bytes: Buffer.concat(bytes) }),
      ),
    });
    const outputs = new Map<string, CaseOutput>();
    for (const [path, { output, bytes }] of [...captured].sort(([a], [b]) => (a < b ? -1 : 1))) {
      outputs.set(path, await decoded(path, bytes, plan.outputs[output]!.codec.plugin, registry));
    }
    return {
      exitCode: summary.exitCode,
      deadLetters: new Map(
        summary.failures.map(({ uri, code, message }) => [basename(uri), { code, message }] as const),
      ),
      ...(summary.stopped === undefined ? {} : { stopped: summary.stopped.message }),
      outputs,
    };
  } catch (error) {
    if (!(error instanceof PluginRefusal)) throw error;
    const finding = refusalFinding(error, uses);
    throw finding === undefined ? error : refused([finding]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function planOf(
  call: Call,
  { pipeline, folder }: TestFile,
  { set = {}, input }: PipelineCase,
): Promise<LoadedPlan & { readonly plan: Plan }> {
  const ofPipeline: Call = { ...call, argument: () => pipeline };
  const values = { set: Object.entries(set).map(([name, value]) => `${name}=${value}`), folder };
  const request = { values, hasOwnInput: input !== undefined };
  // A parameter that only the pipeline's own source takes needs no value.
  const loaded = await loadPlan(ofPipeline, { ...request, requireParams: input === undefined });
  if (loaded.plan !== undefined) return { ...loaded, plan: loaded.plan };
  if (loaded.findings.length > 0) throw refused(loaded.findings);
  throw refused((await loadPlan(ofPipeline, { ...request, requireParams: true })).findings);
}

const refused = (findings: readonly Finding[]) => new CaseRefused(findings.map(formatFinding));

/** @throws CaseRefused; PluginRefusal as the run would */
async function refuseEndless(plan: Plan, registry: Registry): Promise<void> {
  const context = await mainContext(plan, registry, new AbortController().signal);
  const source = await makeSource(plan, registry, context);
  await source.close?.();
  if (source.isEndless !== true) return;
  throw new CaseRefused([`the source ${plan.source.plugin} has no end: the case names its inputs under "input"`]);
}

/** The plan, reading these inputs, which are laid out below the folder. */
async function withInput(
  { inputCodec, ...plan }: Plan,
  input: NonNullable<PipelineCase['input']>,
  folder: string,
  registry: Registry,
): Promise<Plan> {
  const inputs = join(folder, 'inputs');
  mkdirSync(inputs);
  for (const [name, content] of Object.entries(input)) {
    const file = name.includes('.') ? name : `${name}.pb`;
    const bytes = typeof content === 'string' ? await encoded(content, name, registry) : readFileSync(content.file);
    writeFileSync(join(inputs, file), bytes);
  }
  const source = { plugin: 'file', options: { paths: [inputs] } };
  // Stacks become pprof, whatever codec the pipeline names.
  const isByBytes = inputCodec === undefined || Object.values(input).some((content) => typeof content === 'string');
  return isByBytes ? { ...plan, source } : { ...plan, source, inputCodec };
}

async function encoded(stacks: string, name: string, registry: Registry): Promise<Uint8Array> {
  let profile: Profile;
  try {
    profile = profileOfStacks(stacks);
  } catch (error) {
    throw new CaseRefused([`input ${name}: ${(error as Error).message}`]);
  }
  return Buffer.concat(await encodeProfile(profile, registry, name));
}

type Capture = (output: number, item: SinkItem, destination: string) => void;

const capturing =
  (capture: Capture): SinkStandIn =>
  (sink, output) => ({
    labelKeys: sink.labelKeys,
    destination: (item) => sink.destination(item),
    prepare: async () => {},
    async write(item) {
      const destination = sink.destination(item);
      capture(output, item, destination);
      return { destination, bytes: 0 };
    },
    close: () => sink.close?.(),
  });

const pathFrom = (folder: string, destination: string) =>
  isAbsolute(destination) ? relative(folder, destination) : destination;

async function decoded(path: string, bytes: Uint8Array, codec: string, registry: Registry): Promise<CaseOutput> {
  const plugin = registry.get('codec', codec);
  if (!plugin.decodes) return { bytes };
  return { bytes, profile: await decodeBytes(bytes, { path, registry, codecs: [plugin] }, () => {}) };
}
