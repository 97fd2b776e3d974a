/** `pipe lint`: all findings of pipelines, as the result. */
import { type Finding, formatFinding } from '../../config/finding.js';
import { ExitCode } from '../exit-codes.js';
import { pipelineArgument, setOption } from '../pipeline-options.js';
import type { Call, Verb } from '../verb.js';

export const lint: Verb = {
  words: ['lint'],
  summary: 'check a pipeline or its cases: print all that is wrong with it, run nothing',
  positionals: [pipelineArgument],
  options: { set: setOption, json: { kind: 'flag', describe: 'a JSON list of {file, line, column, code, message}' } },
  examples: [
    ['pipe lint enrich.yml', 'findings as file:line:column code message; exit code 2 when there are any'],
    ['pipe lint enrich.test.yml', 'the cases of a pipeline, as pipe test reads them'],
    ['pipe lint enrich.yml --json', 'the same for machines; [] when all is right'],
  ],
  async complete() {
    return (await import('../pipelines.js')).shippedPipelines();
  },
  async run(call) {
    const findings = await findingsOf(call);
    if (call.flag('json')) call.out.json(findings);
    else for (const finding of findings) call.out.line(formatFinding(finding));
    return findings.length === 0 ? ExitCode.ok : ExitCode.usage;
  },
};

async function findingsOf(call: Call): Promise<readonly Finding[]> {
  const file = call.argument('pipeline');
  if (/\.test\.ya?ml$/.test(file)) {
    const { readTestFile } = await import('../pipeline-tests/test-file.js');
    return (await readTestFile(file, call.currentFolder)).findings;
  }
  const { loadPlan } = await import('../load-plan.js');
  return (await loadPlan(call, { requireParams: false })).findings;
}
