/** A first pipeline, with comments, and a case for it. */
import { basename, join, relative, sep } from 'node:path';
import { packageFolder } from '../version.js';

export interface FirstPipeline {
  /** Absolute, of the file to be. */
  readonly path: string;
  /** Default of what is read: a file, a folder or a pattern. */
  readonly profiles?: string;
  /** Default of the binary that addresses are looked up in; without it profiles are taken as they are. */
  readonly binary?: string;
  /** One output for all inputs, instead of one for each. */
  readonly merges: boolean;
}

/** The file's own folder stands for where relative paths start. */
export function firstPipeline({ path, profiles, binary, merges }: FirstPipeline): string {
  const file = basename(path);
  const params = [
    param('profiles', profiles, 'what to read: a file, a folder or a pattern such as "cpu/*.pb.gz"'),
    ...(binary === undefined ? [] : [param('binary', binary, 'the program that the profiles were taken from')]),
    param('out', 'out', 'folder for the results', ', relative_to: cwd'),
  ];
  const symbolize = binary === undefined ? '[./server] } # names for addresses, from binaries' : '["${binary}"] }';
  const stages = [
    { isOn: binary !== undefined, text: `- symbolize: { binaries: ${symbolize}` },
    { isOn: false, text: '- filter: { ignore: ^runtime\\. } # samples without such a frame' },
    { isOn: merges, text: '- aggregate: {} # all inputs become one profile' },
  ];
  const areOn = stages.some(({ isOn }) => isOn);
  return [
    `# yaml-language-server: $schema=${schemaPath('gen/pipeline.schema.json', path)}`,
    `# pipe lint ${file} checks it, pipe run ${file} runs it, pipe test ${file} runs the cases beside it.`,
    '# pipe list names the plugins that it may use, pipe explain NAME tells what one does.',
    'params: # values for --set NAME=VALUE',
    ...params,
    'input:',
    '  file: { paths: ["${profiles}"] } # the format is told by the bytes',
    `${areOn ? '' : '# '}stages: # in this order`,
    ...stages.map(({ isOn, text }) => (isOn ? `  ${text}` : `${areOn ? '  # ' : '#   '}${text}`)),
    'output:',
    `  - file: { path: "\${out}/${merges ? 'merged' : '{name}'}.pb.gz" } # for go tool pprof, speedscope …`,
    `  # - file: { path: "\${out}/${merges ? 'merged' : '{name}'}.folded" } # for flame graph tools`,
    'on_error: dead-letter # a bad input is put aside, in a folder beside the outputs; or stop',
    '',
  ].join('\n');
}

/** The case that stays true when stages are added, until they change what it says. */
export function firstCases({ path, merges }: FirstPipeline): string {
  return `# yaml-language-server: $schema=${schemaPath('pipeline-test.schema.json', path)}
# pipe test ${basename(path)} runs these cases; with --update it writes what came out as what is expected.
cases:
  - name: samples come through
    input: # in place of the pipeline's own: sample types, then a line each sample, root first
      cpu: |
        samples/count cpu/nanoseconds
        main;serve;parse 3 30
        main;idle 2 20
    expect:
      outputs:
        out/${merges ? 'merged' : 'cpu'}.pb.gz: { totals: { samples: 5, cpu: 50 } }
`;
}

function param(name: string, byDefault: string | undefined, description: string, more = ''): string {
  const value = byDefault === undefined ? '' : `, default: ${JSON.stringify(byDefault)}`;
  return `  ${name}: { type: string${value}${more}, description: ${JSON.stringify(description)} }`;
}

/** From the file, where profpipe is installed below its folder or beside it; else absolute. */
function schemaPath(schema: string, path: string): string {
  const target = join(packageFolder, 'schemas', schema);
  const from = relative(join(path, '..'), target).split(sep);
  return from.filter((step) => step === '..').length > 2 ? target : from.join('/');
}
