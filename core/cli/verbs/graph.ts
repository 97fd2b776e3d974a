/** `pipe graph`: a pipeline as a picture, in the language of a program that draws. */
import { formatFinding } from '../../config/finding.js';
import { ExitCode } from '../exit-codes.js';
import { pipelineArgument, setOption } from '../pipeline-options.js';
import type { Verb } from '../verb.js';

export const graph: Verb = {
  words: ['graph'],
  summary: 'print a pipeline as a flowchart',
  positionals: [pipelineArgument],
  options: {
    set: setOption,
    format: { kind: 'text', choices: ['mermaid', 'dot'], describe: 'language of the picture; default: mermaid' },
  },
  examples: [
    ['pipe graph enrich.yml > enrich.mmd', 'text that GitHub and mermaid.live draw'],
    ['pipe graph enrich.yml --format dot | dot -Tsvg > enrich.svg', 'a picture by Graphviz'],
  ],
  async complete() {
    return (await import('../pipelines.js')).shippedPipelines();
  },
  async run(call) {
    const { loadPlan } = await import('../load-plan.js');
    const { plan, findings } = await loadPlan(call, { requireParams: true });
    for (const finding of findings) call.err.line(formatFinding(finding));
    if (plan === undefined) return ExitCode.usage;
    const { drawPlan } = await import('../graph/drawing.js');
    const draw = call.text('format') === 'dot' ? await import('../graph/dot.js') : await import('../graph/mermaid.js');
    const lines = 'dot' in draw ? draw.dot(drawPlan(plan)) : draw.mermaid(drawPlan(plan));
    for (const line of lines) call.out.line(line);
    return ExitCode.ok;
  },
};
