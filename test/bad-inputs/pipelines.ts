/** Rows B77 to B86: pipeline files that are wrong, with all the findings that `pipe lint` must have, at their places. */

export interface BadPipeline {
  readonly name: string;
  readonly yaml: string;
  readonly findings: readonly { readonly line: number; readonly column: number; readonly message: RegExp }[];
}

const pipeline = (stages: string, more = '') =>
  `input:\n  file: { paths: [a.pb.gz] }\nstages: ${stages}\noutput:\n  - file: { path: out.pb.gz }\n${more}`;

const aliases = ['a: &a [x, x, x, x, x, x, x, x, x, x]'];
for (const [previous, letter] of ['ab', 'bc', 'cd', 'de', 'ef', 'fg', 'gh', 'hi', 'ij'].map((pair) => [...pair])) {
  aliases.push(`${letter}: &${letter} [${Array.from({ length: 10 }, () => `*${previous}`).join(', ')}]`);
}

export const badPipelines: readonly BadPipeline[] = [
  {
    name: 'B77 ten thousand million values in ten lines',
    yaml: aliases.join('\n'),
    findings: [{ line: 2, column: 12, message: /alias/ }],
  },
  {
    name: 'B78 a key twice',
    yaml: pipeline('[]', 'on_error: stop\non_error: dead-letter\n'),
    findings: [{ line: 7, column: 1, message: /on_error|unique|twice/i }],
  },
  {
    name: 'B79 a tab as indentation',
    yaml: 'input:\n\tfile: { paths: [a] }\n',
    findings: [{ line: 2, column: 1, message: /tab/i }],
  },
  {
    name: 'B79 ten thousand brackets',
    yaml: `input: ${'['.repeat(10_000)}`,
    findings: [{ line: 1, column: 1, message: /nest|deep/ }],
  },
  {
    name: 'B80 an unknown tag',
    yaml: pipeline('!!js/function "x"'),
    findings: [{ line: 3, column: 9, message: /tag/ }],
  },
  { name: 'B81 an empty file', yaml: '', findings: [{ line: 1, column: 1, message: /empty/ }] },
  { name: 'B81 a comment alone', yaml: '# nothing\n', findings: [{ line: 1, column: 1, message: /empty/ }] },
  {
    name: 'B82 an unknown stage, and an unknown option of the next',
    yaml: pipeline('[ { symbolise: {} }, { mark: { check: [boundcheck] } } ]'),
    findings: [
      { line: 3, column: 13, message: /did you mean "symbolize"/ },
      { line: 3, column: 40, message: /did you mean "checks"/ },
    ],
  },
  {
    name: 'B83 text where a list belongs',
    yaml: pipeline('nothing'),
    findings: [{ line: 3, column: 9, message: /list|array/ }],
  },
  {
    name: 'B83 a whole number that JavaScript cannot hold',
    yaml: pipeline('[]', 'limits: { fileBytes: 9007199254740993 }\n'),
    findings: [{ line: 6, column: 22, message: /9007199254740993/ }],
  },
  {
    name: 'B84 two outputs with one path',
    yaml: `${pipeline('[]')}  - file: { path: out.pb.gz }\n`,
    findings: [{ line: 6, column: 5, message: /out\.pb\.gz/ }],
  },
  ...['https://example.org/p.js', 'data:text/javascript,0', 'file:///tmp/p.js', 'node:fs'].map(
    (module): BadPipeline => ({
      name: `B85 a plugin from ${module}`,
      yaml: pipeline('[]', `plugins: ["${module}"]\n`),
      findings: [{ line: 6, column: 11, message: /plugin/ }],
    }),
  ),
  {
    name: 'B85 a stage named by a path',
    yaml: pipeline('[ { ../x: {} } ]'),
    findings: [{ line: 3, column: 13, message: /"\.\.\/x" is no stage's name/ }],
  },
  {
    name: 'B86 an environment variable that is not set',
    yaml: pipeline('[ { filter: { focus: "${ENV:PROFPIPE_NOT_SET}" } } ]'),
    findings: [{ line: 3, column: 30, message: /PROFPIPE_NOT_SET.*not set/ }],
  },
];
