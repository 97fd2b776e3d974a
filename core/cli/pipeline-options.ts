/** What the verbs that take a pipeline share on the command line. */
import type { Call } from './verb.js';

export const pipelineArgument = {
  name: 'pipeline',
  describe: 'file, name of a shipped pipeline, or - for stdin',
} as const;

export const setOption = {
  kind: 'texts',

  describe: 'a value for a parameter of the pipeline (repeat for more); relative paths start from the current folder',
} as const;

/** The pipeline's parameters, for `--help`; nothing when the call does not say which pipeline. */
export async function paramsHelp(call: Call): Promise<readonly string[]> {
  const [name] = call.rest('pipeline');
  if (name === undefined) return [];
  const { openPipeline } = await import('./pipelines.js');
  const { readPipelineFile } = await import('../config/pipeline-file.js');
  const { Findings } = await import('../config/finding.js');
  const { tableLines } = await import('./table.js');
  const pipeline = readPipelineFile(await openPipeline(name, call.currentFolder), call.currentFolder, new Findings());
  if (pipeline === undefined) return [];
  const head = [
    '',
    `Pipeline ${pipeline.name}${pipeline.description === undefined ? '' : `: ${pipeline.description}`}`,
  ];
  if (pipeline.params.size === 0) return [...head, 'It has no parameters.'];
  const rows = [...pipeline.params.values()].map(({ name: param, type, description, choices, default: byDefault }) => [
    `  --set ${param}=…`,
    choices === undefined ? type : choices.join('|'),
    // As it is written: the value of an environment variable is not shown.
    byDefault === undefined ? 'required' : `default: ${byDefault.value}`,
    description ?? '',
  ]);
  return [...head, 'Parameters:', ...tableLines(Array(4).fill({ name: '' }), rows)];
}
