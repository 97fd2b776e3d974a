/** `pipe run`: the whole way of a pipeline. Results go where the pipeline says; what is said of them goes to stderr. */
import type { Finding } from '../../config/finding.js';
import type { Plan } from '../../config/plan.js';
import { ExitCode } from '../exit-codes.js';
import { paramsHelp, pipelineArgument, setOption } from '../pipeline-options.js';
import { logFormats } from '../run/log.js';
import { type Reporter, reporterFor } from '../run/reporter.js';
import type { RunProfile } from '../run/run-profile.js';
import { type Call, CallProblem, type Verb } from '../verb.js';

export const run: Verb = {
  words: ['run'],
  summary: 'run a pipeline',
  positionals: [pipelineArgument],
  options: {
    set: setOption,
    workers: { kind: 'count', least: 1, describe: 'worker threads; default: one a core' },
    'in-process': { kind: 'flag', describe: 'everything in the main thread, for debugging' },
    'dry-run': { kind: 'flag', describe: 'say what would be read and written, and do neither' },
    watch: {
      kind: 'flag',
      describe: 'run again whenever the pipeline, a file that it names, an input or a plugin changes',
    },
    profile: { kind: 'text', describe: 'write what the run itself spends, by V8, as a pprof profile to this file' },
    json: { kind: 'flag', describe: 'the summary as one JSON object on stdout' },
    'log-format': {
      kind: 'text',
      choices: logFormats,
      describe: 'on stderr a line an event as it happens, in place of progress and summary',
    },
    quiet: { kind: 'flag', describe: 'no progress, and no summary unless something went wrong' },
  },
  examples: [
    ['pipe run enrich.yml --dry-run', 'what it would read and write'],
    ['pipe run enrich.yml', 'run a pipeline of your own, or the shipped one of that name'],
    ['pipe run enrich.yml --set profile=cpu.pb.gz --set exe=./server', 'with your own profile and binary'],
    ['pipe run enrich.yml --help', 'the parameters of the pipeline'],
    ['pipe run enrich.yml --profile self.pb.gz', 'and what the run itself spent, for `pipe profile top self.pb.gz`'],
  ],
  moreHelp: paramsHelp,
  async complete() {
    return (await import('../pipelines.js')).shippedPipelines();
  },
  async run(call) {
    refuseWithDryRun(call);
    if (call.flag('watch')) return (await import('../watch/supervise.js')).superviseRuns(call);
    const { loadPlan, refusalFinding } = await import('../load-plan.js');
    const { PluginRefusal } = await import('../../engine/contract/errors.js');
    const { plan, findings, uses, pipeline } = await loadPlan(call, { requireParams: true });
    if (plan === undefined) return refuse(findings, pipeline?.name, call);
    if (!call.flag('dry-run')) refuseSharedStdout(plan, call);
    try {
      if (!call.flag('dry-run')) return await runPlanned(plan, call);
      const { showDryRun } = await import('../run/show-dry-run.js');
      return await showDryRun(plan, call);
    } catch (error) {
      if (!(error instanceof PluginRefusal)) throw error;
      const finding = refusalFinding(error, uses);
      if (finding === undefined) throw error;
      return refuse([finding], plan.name, call);
    }
  },
};

/** Nothing was started. */
async function refuse(findings: readonly Finding[], pipeline: string | undefined, call: Call): Promise<number> {
  if (call.flag('json')) call.out.json({ version: 1, exitCode: ExitCode.usage, pipeline, findings });
  (await reporterFor(call)).refused(findings);
  return ExitCode.usage;
}

async function runPlanned(plan: Plan, call: Call): Promise<number> {
  const { runPlan } = await import('../../engine/run.js');
  const { registryModule } = await import('../plugins.js');
  const workers = call.count('workers');
  const { drain, stop } = call.interruption.takeOver();
  const reporter = await reporterFor(call);
  const profile = await startProfile(plan, call, reporter);
  const { end, ...listeners } = await reporter.begin();
  const summary = await runPlan(plan, {
    registryModule,
    drain,
    signal: stop,
    inProcess: call.flag('in-process'),
    ...listeners,
    ...(workers === undefined ? {} : { workers }),
    ...(profile === undefined ? {} : { beforeClose: () => profile.stop() }),
  }).finally(end);
  await profile?.write();
  if (call.flag('json')) call.out.json(summary);
  await reporter.ended(summary);
  return summary.exitCode;
}

/** The run's own profile, when it is asked for. */
async function startProfile(plan: Plan, call: Call, reporter: Reporter): Promise<RunProfile | undefined> {
  const path = call.text('profile');
  if (path === undefined) return undefined;
  if (plan.isolation === 'process')
    reporter.warn(
      '--profile: with isolation: process the workers may not be looked into; the profile has the main process only',
    );
  const { RunProfile } = await import('../run/run-profile.js');
  return RunProfile.start(path);
}

/** Options of a run that happens. */
function refuseWithDryRun(call: Call): void {
  const other = ['watch', 'profile'].find((option) => call.flag(option));
  if (call.flag('dry-run') && other !== undefined)
    throw new CallProblem('usage', `--${other}: with --dry-run nothing runs`, ExitCode.usage);
}

/** Two things on one stdout could not be told apart. */
function refuseSharedStdout(plan: Plan, call: Call): void {
  if (!call.flag('json') || !plan.outputs.some(({ sink }) => sink.plugin === 'stdout')) return;
  throw new CallProblem(
    'usage',
    '--json prints the summary on stdout, where this pipeline writes its output',
    ExitCode.usage,
  );
}
