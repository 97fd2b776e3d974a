/** `pipe run`: the whole way of a pipeline. Results go where the pipeline says; what is said of them goes to stderr. */
import { type Finding, formatFinding } from '../../config/finding.js';
import type { Plan } from '../../config/plan.js';
import { ExitCode } from '../exit-codes.js';
import { paramsHelp, pipelineArgument, setOption } from '../pipeline-options.js';
import type { RunProfile } from '../run-profile.js';
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
    profile: { kind: 'text', describe: 'write what the run itself spends, by V8, as a pprof profile to this file' },
    json: { kind: 'flag', describe: 'the summary as one JSON object on stdout' },
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
    const { loadPlan, refusalFinding } = await import('../load-plan.js');
    const { PluginRefusal } = await import('../../engine/errors.js');
    const { plan, findings, uses, pipeline } = await loadPlan(call, { requireParams: true });
    if (plan === undefined) return refuse(findings, pipeline?.name, call);
    if (!call.flag('dry-run')) refuseSharedStdout(plan, call);
    try {
      return call.flag('dry-run') ? await showDryRun(plan, call) : await runPlanned(plan, call);
    } catch (error) {
      if (!(error instanceof PluginRefusal)) throw error;
      const finding = refusalFinding(error, uses);
      if (finding === undefined) throw error;
      return refuse([finding], plan.name, call);
    }
  },
};

/** Nothing was started. */
function refuse(findings: readonly Finding[], pipeline: string | undefined, call: Call): number {
  if (call.flag('json')) call.out.json({ version: 1, exitCode: ExitCode.usage, pipeline, findings });
  for (const finding of findings) call.err.line(formatFinding(finding));
  return ExitCode.usage;
}

async function runPlanned(plan: Plan, call: Call): Promise<number> {
  const { runPlan } = await import('../../engine/run.js');
  const { registryModule } = await import('../plugins.js');
  const { showProgress } = await import('../progress.js');
  const workers = call.count('workers');
  const { drain, stop } = call.interruption.takeOver();
  const profile = await startProfile(plan, call);
  const progress = await showProgress(call.err.isTerminal && !call.flag('quiet'));
  const summary = await runPlan(plan, {
    registryModule,
    drain,
    signal: stop,
    inProcess: call.flag('in-process'),
    onProgress: progress.update,
    ...(workers === undefined ? {} : { workers }),
    ...(profile === undefined ? {} : { beforeClose: () => profile.stop() }),
  }).finally(progress.end);
  await profile?.write();
  if (call.flag('json')) call.out.json(summary);
  if (!call.flag('quiet') || summary.exitCode !== ExitCode.ok) {
    const { printSummary } = await import('../summary.js');
    printSummary(summary, call.err, {
      isBrief: call.flag('quiet') || call.flag('json'),
      currentFolder: call.currentFolder,
    });
  }
  return summary.exitCode;
}

/** The run's own profile, when it is asked for. */
async function startProfile(plan: Plan, call: Call): Promise<RunProfile | undefined> {
  const path = call.text('profile');
  if (path === undefined) return undefined;
  if (plan.isolation === 'process')
    call.err.line(
      { text: 'warning ', style: 'yellow' },
      '--profile: with isolation: process the workers may not be looked into; the profile has the main process only',
    );
  const { RunProfile } = await import('../run-profile.js');
  return RunProfile.start(path);
}

/** More paths than that would hide the rest. */
const SHOWN_PATHS = 20;

async function showDryRun(plan: Plan, call: Call): Promise<number> {
  const { dryRun } = await import('../../engine/dry-run.js');
  const { registryModule } = await import('../plugins.js');
  const { inputs, outputs } = await dryRun(plan, registryModule);
  if (call.flag('json')) {
    const shown = outputs.map((destinations) => (destinations === undefined ? {} : { destinations }));
    call.out.json({ version: 1, pipeline: plan.name, isDryRun: true, inputs, outputs: shown });
    return ExitCode.ok;
  }
  const { formatValue, groupDigits } = await import('../units.js');
  const { count, bytes, names } = inputs;
  const known = [
    count === undefined ? 'not known yet' : groupDigits(count),
    bytes === undefined ? '' : formatValue(bytes, 'bytes'),
  ];
  call.out.line({ text: 'inputs ', style: 'bold' }, known.filter((part) => part !== '').join(', '));
  listPaths(names ?? [], call);
  for (const [index, { sink, codec }] of plan.outputs.entries()) {
    const destinations = outputs[index];
    const number = destinations === undefined ? 'known when the inputs are read' : groupDigits(destinations.length);
    call.out.line({ text: 'outputs ', style: 'bold' }, `${sink.plugin} ${codec.plugin}: ${number}`);
    listPaths(destinations ?? [], call);
  }
  call.out.line('no input was read, nothing was written');
  return ExitCode.ok;
}

function listPaths(paths: readonly string[], call: Call): void {
  for (const path of paths.slice(0, SHOWN_PATHS)) call.out.line(`  ${path}`);
  if (paths.length > SHOWN_PATHS) call.out.line(`  … and ${paths.length - SHOWN_PATHS} more`);
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
