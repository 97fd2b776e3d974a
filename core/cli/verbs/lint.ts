/** `pipe lint`: all findings of pipelines, as the result. */
import { formatFinding } from '../../config/finding.js';
import { ExitCode } from '../exit-codes.js';
import { pipelineArgument, setOption } from '../pipeline-options.js';
import type { Verb } from '../verb.js';

export const lint: Verb = {
  words: ['lint'],
  summary: 'check a pipeline: print all that is wrong with it, run nothing',
  positionals: [pipelineArgument],
  options: { set: setOption, json: { kind: 'flag', describe: 'a JSON list of {file, line, column, code, message}' } },
  examples: [
    ['pipe lint enrich.yml', 'findings as file:line:column code message; exit code 2 when there are any'],
    ['pipe lint enrich.yml --json', 'the same for machines; [] when all is right'],
  ],
  async complete() {
    return (await import('../pipelines.js')).shippedPipelines();
  },
  async run(call) {
    const { loadPlan } = await import('../load-plan.js');
    const { findings } = await loadPlan(call, { requireParams: false });
    if (call.flag('json')) call.out.json(findings);
    else for (const finding of findings) call.out.line(formatFinding(finding));
    return findings.length === 0 ? ExitCode.ok : ExitCode.usage;
  },
};
