/** `pipe graph`: a pipeline as a picture, in mermaid's language. */
import { formatFinding } from '../../config/finding.js';
import type { Plan } from '../../config/plan.js';
import { ExitCode } from '../exit-codes.js';
import { pipelineArgument, setOption } from '../pipeline-options.js';
import type { Verb } from '../verb.js';

export const graph: Verb = {
  words: ['graph'],
  summary: 'print a pipeline as a mermaid flowchart',
  positionals: [pipelineArgument],
  options: { set: setOption },
  examples: [['pipe graph enrich.yml > enrich.mmd', 'text that GitHub and mermaid.live draw']],
  async complete() {
    return (await import('../pipelines.js')).shippedPipelines();
  },
  async run(call) {
    const { loadPlan } = await import('../load-plan.js');
    const { plan, findings } = await loadPlan(call, { requireParams: true });
    for (const finding of findings) call.err.line(formatFinding(finding));
    if (plan === undefined) return ExitCode.usage;
    for (const line of mermaid(plan)) call.out.line(line);
    return ExitCode.ok;
  },
};

/** Per-profile stages are boxes, an aggregate is a hexagon: all profiles meet there. */
function* mermaid(plan: Plan): Generator<string> {
  yield 'flowchart LR';
  let previous = 'source';
  yield `  source([${label(plan.source.plugin, detail(plan.source.options, ['paths']))}])`;
  const codec = plan.inputCodec?.plugin ?? 'detected';
  yield `  decode[${label('decode', codec)}]`;
  yield `  source --> decode`;
  previous = 'decode';
  let count = 0;
  for (const { stages, aggregate } of plan.segments) {
    for (const { plugin } of stages) {
      const node = `stage${count++}`;
      yield `  ${node}[${label(plugin)}]`;
      yield `  ${previous} --> ${node}`;
      previous = node;
    }
    if (aggregate === undefined) continue;
    const node = `stage${count++}`;
    yield `  ${node}{{${label(aggregate.plugin)}}}`;
    yield `  ${previous} --> ${node}`;
    previous = node;
  }
  for (const [index, { sink, codec: encoder }] of plan.outputs.entries()) {
    yield `  output${index}([${label(sink.plugin, detail(sink.options, ['path']))}])`;
    yield `  ${previous} -->|${encoder.plugin}| output${index}`;
  }
}

function detail(options: unknown, keys: readonly string[]): string {
  const values = keys.flatMap((key) => (options as Readonly<Record<string, string | string[] | undefined>>)[key] ?? []);
  return values.join(' ');
}

/** A quoted text of mermaid: it knows HTML's entities by number, and no backslash. */
function label(...lines: string[]): string {
  const entity = (character: string) => `#${character.codePointAt(0)};`;
  const texts = lines.filter((line) => line !== '').map((line) => line.replace(/["#<>&;`]/g, entity));
  return `"${texts.join('<br/>')}"`;
}
