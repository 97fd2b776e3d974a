import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Catalogue, CatalogueEntry } from './catalogue.js';
import { type Finding, Findings, formatFinding } from './finding.js';
import { makePlan, type PlanOptions } from './make-plan.js';
import { readPipelineFile } from './pipeline-file.js';
import type { Plan } from './plan.js';
import { schemaProblems } from './validate.js';

const entry = (kind: CatalogueEntry['kind'], name: string, properties: object, more: Partial<CatalogueEntry> = {}) => ({
  kind,
  name,
  version: '1.0.0',
  summary: name,
  origin: 'built-in',
  schema: { type: 'object', additionalProperties: false, properties },
  ...more,
});

const entries: CatalogueEntry[] = [
  entry('source', 'file', { paths: { type: 'array', items: { type: 'string', format: 'path-glob' }, minItems: 1 } }),
  entry('source', 'stdin', {}),
  entry(
    'codec',
    'pprof',
    { level: { type: 'integer', minimum: 0, maximum: 9, default: 1 } },
    {
      decodes: true,
      encodes: true,
      extensions: ['.pb.gz', '.pprof'],
      provides: ['addresses'],
    },
  ),
  entry('codec', 'json', {}, { decodes: true, encodes: true, extensions: ['.json', '.json.gz'] }),
  entry('codec', 'perfdata', {}, { decodes: true, encodes: false, extensions: [] }),
  entry('codec', 'folded', {}, { decodes: false, encodes: true, extensions: ['.folded'] }),
  entry(
    'stage',
    'symbolize',
    { binaries: { type: 'array', items: { type: 'string', format: 'path' }, default: [] } },
    {
      needs: ['addresses'],
      provides: ['symbols'],
    },
  ),
  entry(
    'stage',
    'filter',
    {
      focus: { type: 'string' },
      depth: { type: 'integer' },
      strict: { type: 'boolean', default: false },
      mode: { type: 'string', enum: ['keep', 'drop'], default: 'keep' },
    },
    { needs: ['symbols'] },
  ),
  entry(
    'aggregate',
    'aggregate',
    { by: { type: 'array', items: { type: 'string' }, default: [] } },
    { groupFields: (options) => (options as { by: string[] }).by },
  ),
  entry('sink', 'file', { path: { type: 'string', format: 'path-template' } }, { defaultCodec: 'pprof' }),
  entry('sink', 'stdout', {}, { defaultCodec: 'pprof' }),
];

const catalogue: Catalogue = {
  find: (kind, name) => entries.find((known) => known.kind === kind && known.name === name),
  list: () => entries,
};

for (const { schema } of catalogue.list()) assert.deepEqual(await schemaProblems(schema), []);

function plan(yaml: string, options: Partial<PlanOptions> = {}) {
  const findings = new Findings();
  const file = readPipelineFile({ file: 'p.yml', bytes: Buffer.from(yaml), base: '/pipelines' }, '/here', findings);
  const defaults = { catalogue, set: [], currentFolder: '/here', environment: {}, requireParams: true };
  const planned = file === undefined ? undefined : makePlan(file, { ...defaults, ...options }, findings);
  return { plan: planned?.plan, secrets: planned?.secrets ?? [], findings: findings.sorted() };
}

/** The plan of a pipeline that must be right. */
function right(yaml: string, options: Partial<PlanOptions> = {}): Plan {
  const made = plan(yaml, options);
  assert.deepEqual(made.findings.map(formatFinding), []);
  assert.ok(made.plan !== undefined);
  return made.plan;
}

/** `line:column code` of every finding. */
const codes = (yaml: string, options: Partial<PlanOptions> = {}) =>
  plan(yaml, options).findings.map(
    ({ file, line, column, code }: Finding) => `${file === 'p.yml' ? '' : `${file} `}${line}:${column} ${code}`,
  );
const messages = (yaml: string) => plan(yaml).findings.map(({ message }) => message);
const around = (stages: string) => `input: {stdin: {}}\noutput: [stdout: {}]\nstages:\n${stages}`;

test('stages are cut into segments at the barriers', () => {
  const stages = right(around('  - symbolize: {}\n  - aggregate:\n  - filter: {focus: main}')).segments;
  assert.deepEqual(
    stages.map((segment) => [segment.stages.map((use) => use.plugin), segment.aggregate?.plugin]),
    [
      [['symbolize'], 'aggregate'],
      [['filter'], undefined],
    ],
  );
});

test('a pipeline without stages has one empty segment', () => {
  assert.deepEqual(right('input: {stdin: {}}\noutput: [stdout: {}]').segments, [{ stages: [] }]);
});

test('options get their defaults, in a frozen plan', () => {
  const made = right(around('  - symbolize: {}\n  - filter: {focus: a}'));
  assert.equal(JSON.stringify(made.segments[0]!.stages[1]!.options), '{"focus":"a","strict":false,"mode":"keep"}');
  assert.throws(() => Object.assign(made.segments[0]!.stages[1]!.options as object, { focus: 'b' }), TypeError);
});

test('a relative path starts from the file that names it, from the current folder when --set or the environment does', () => {
  const yaml = `params:
  exe: {type: string, default: bin/app}
  out: {type: string, default: out}
input: {file: {paths: ["\${ENV:PROFILES}/*.pb.gz", "a.pb", "/abs.pb"]}}
stages: [symbolize: {binaries: ["\${exe}"]}]
output: [file: {path: "\${out}/x.pb.gz"}]
dead_letter: bad`;
  const environment = { PROFILES: 'prof' };
  const byDefault = right(yaml, { environment });
  assert.deepEqual(
    JSON.stringify(byDefault.source.options),
    '{"paths":["/here/prof/*.pb.gz","/pipelines/a.pb","/abs.pb"]}',
  );
  assert.equal(JSON.stringify(byDefault.segments[0]!.stages[0]!.options), '{"binaries":["/pipelines/bin/app"]}');
  assert.equal(JSON.stringify(byDefault.outputs[0]!.sink.options), '{"path":"/pipelines/out/x.pb.gz"}');
  assert.equal(byDefault.deadLetter, '/pipelines/bad');
  const set = right(yaml, { environment, set: ['exe=bin/other', 'out=mine'] });
  assert.equal(JSON.stringify(set.segments[0]!.stages[0]!.options), '{"binaries":["/here/bin/other"]}');
  assert.equal(JSON.stringify(set.outputs[0]!.sink.options), '{"path":"/here/mine/x.pb.gz"}');
});

test('a default may start from the current folder instead: where results go', () => {
  const yaml = (where: string) => `params: {out: {type: string, default: out, relative_to: ${where}}}
input: {stdin: {}}
output: [file: {path: "\${out}/x.pb.gz"}]`;
  const target = (where: string) => JSON.stringify(right(yaml(where)).outputs[0]!.sink.options);
  assert.equal(target('cwd'), '{"path":"/here/out/x.pb.gz"}');
  assert.equal(target('pipeline'), '{"path":"/pipelines/out/x.pb.gz"}');
  assert.match(messages(yaml('home'))[0]!, /relative_to/);
});

test('what looks like a wildcard in the folder before a glob is escaped, and ".." is resolved', () => {
  const resolved = (glob: string) => {
    const findings = new Findings();
    const bytes = Buffer.from(`input: {file: {paths: ["${glob}"]}}\noutput: [stdout: {}]`);
    const file = readPipelineFile({ file: 'p.yml', bytes, base: '/a (1)/{b}' }, '/here', findings)!;
    const options = { catalogue, set: [], currentFolder: '/', environment: {}, requireParams: true };
    return (makePlan(file, options, findings).plan!.source.options as { paths: string[] }).paths[0];
  };
  assert.equal(resolved('*.pb'), '/a \\(1\\)/[{]b[}]/*.pb');
  assert.equal(resolved('../x/./**/*.pb'), '/a \\(1\\)/x/**/*.pb');
  assert.equal(resolved('x.pb'), '/a (1)/{b}/x.pb');
  assert.equal(resolved('/*.pb'), '/*.pb');
  assert.equal(resolved('/c/../*/x'), '/*/x');
});

test('bad items go beside the first file output, before any placeholder in its path', () => {
  const deadLetter = (path: string) => right(`input: {stdin: {}}\noutput: [file: {path: "${path}"}]`).deadLetter;
  assert.equal(deadLetter('out/x.pb.gz'), '/pipelines/out/dead-letter');
  assert.equal(deadLetter('out/{label:service}/{name}.pb.gz'), '/pipelines/out/dead-letter');
  assert.equal(deadLetter('out/a-{name}.pb.gz'), '/pipelines/out/dead-letter');
  assert.equal(right('input: {stdin: {}}\noutput: [stdout: {}]').deadLetter, '/here/dead-letter');
});

test("an output's codec is said outright, or told by the longest ending, or the sink's own", () => {
  const codec = (output: string) => {
    const { plugin, options } = right(`input: {stdin: {}}\noutput: [${output}]`).outputs[0]!.codec;
    return `${plugin} ${JSON.stringify(options)}`;
  };
  assert.equal(codec('file: {path: x.pb.gz}'), 'pprof {"level":1}');
  assert.equal(codec('file: {path: x.json.gz}'), 'json {}');
  assert.equal(codec('file: {path: x.json, codec: folded}'), 'folded {}');
  assert.equal(codec('file: {path: x.json, codec: {pprof: {level: 9}}}'), 'pprof {"level":9}');
  assert.equal(codec('file: {path: "{name}"}'), 'pprof {"level":1}');
  assert.equal(codec('stdout: {codec: json}'), 'json {}');
  assert.deepEqual(codes('input: {stdin: {}}\noutput: [file: {path: x.html}]'), ['2:10 codec-undetermined']);
  assert.deepEqual(codes('input: {stdin: {}}\noutput: [file: {path: x, codec: perfdata}]'), [
    '2:33 codec-cannot-encode',
  ]);
  assert.deepEqual(codes('input: {stdin: {}, codec: folded}\noutput: [stdout: {}]'), ['1:27 codec-cannot-decode']);
});

test('every finding is reported at its own place, with the nearest valid name', () => {
  const yaml = `inputs: {}
input:
  file: {paths: []}
stages:
  - simbolize: {}
  - symbolize: {binarys: [x]}
  - filter: {depth: deep, mode: dorp, strict: 1}
  - json: {}
  - ../evil: {}
output:
  - fil: {}
  - file: {path: "{nmae}.pb.gz"}
on_error: retry`;
  assert.deepEqual(plan(yaml).findings.map(formatFinding), [
    'p.yml:1:1 unknown-key inputs: unknown key; did you mean "input"?',
    'p.yml:3:17 bad-value input.file.paths: fewer than 1 items',
    'p.yml:5:5 unknown-plugin stages[0]: unknown stage "simbolize"; did you mean "symbolize"?',
    'p.yml:6:17 unknown-option stages[1].symbolize.binarys: unknown option; did you mean "binaries"?',
    'p.yml:7:21 wrong-type stages[2].filter.depth: expected integer, got "deep"',
    'p.yml:7:33 bad-value stages[2].filter.mode: "dorp" is none of the values; did you mean "drop"?',
    'p.yml:7:47 wrong-type stages[2].filter.strict: expected boolean, got 1',
    'p.yml:8:5 unknown-plugin stages[3]: "json" is a codec, not a stage',
    'p.yml:9:5 unknown-plugin stages[4]: "../evil" is no stage\'s name; a module with plugins goes under "plugins:"',
    'p.yml:11:5 unknown-plugin output[0]: unknown sink "fil"; did you mean "file"?',
    'p.yml:12:18 bad-template output[1].file.path: no placeholder {nmae}; did you mean "name"?',
    'p.yml:13:11 bad-value on_error: "retry" is none of the values; valid: dead-letter, stop',
  ]);
});

test('names of the object prototype are unknown names as any other', () => {
  assert.deepEqual(
    codes(
      `params: {a: {type: string, default: x}}
input: {stdin: {}}
stages: [constructor: {}, filter: {__proto__: 1, toString: 2, focus: "\${constructor}"}]
output: [stdout: {}]`,
      { set: ['__proto__=1', 'valueOf=2'] },
    ),
    [
      '--set 1:1 unknown-param',
      '--set 2:1 unknown-param',
      '3:10 unknown-plugin',
      '3:36 unknown-option',
      '3:50 unknown-option',
      '3:70 unknown-param',
    ],
  );
});

test('there is one source, and no two outputs go to the same place', () => {
  assert.deepEqual(codes('input: {stdin: {}, file: {paths: [a]}}\noutput: [stdout: {}]'), ['1:20 source-count']);
  assert.deepEqual(codes('input: {codec: json}\noutput: [stdout: {}]'), ['1:8 source-count']);
  const twice =
    'input: {stdin: {}}\noutput:\n  - file: {path: a/x.json}\n  - file: {path: ./a/../a/x.json, codec: pprof}';
  assert.deepEqual(codes(twice), ['4:5 output-twice']);
  assert.deepEqual(codes('input: {stdin: {}}\noutput: [stdout: {}, stdout: {codec: json}]'), ['2:22 output-twice']);
});

test('a stage must find what it needs before it', () => {
  const yaml = around('  - filter: {focus: a}\n  - symbolize: {}');
  assert.deepEqual(messages(yaml), [
    'stages[0].filter: needs symbols, and nothing before it provides that; "symbolize" provides it: put it before',
  ]);
  assert.deepEqual(codes(`${around('  - symbolize: {}')}`.replace('stdin: {}', 'stdin: {}, codec: json')), [
    '4:5 stage-order',
  ]);
});

test('what a stage needs is not asked behind a stage whose name is unknown', () => {
  assert.deepEqual(codes(around('  - simbolize: {}\n  - filter: {focus: a}')), ['4:5 unknown-plugin']);
});

test('one stage an item: two keys in it are refused', () => {
  assert.deepEqual(codes(around('  - symbolize: {}\n    filter: {}')), ['4:5 bad-value']);
  assert.deepEqual(codes(around('  - {}')), ['4:5 bad-value']);
});

test('a stage by its name alone is told how it is written', () => {
  assert.deepEqual(plan(around('  - symbolize')).findings.map(formatFinding), [
    'p.yml:4:5 wrong-type stages[0]: expected a map, got "symbolize"; write "symbolize: {}"',
  ]);
});

test('parameters have types, given as text or as YAML', () => {
  const yaml = `params:
  depth: {type: integer, default: 3}
  strict: {type: boolean, default: false}
  mode: {type: string, default: keep, enum: [keep, drop]}
input: {stdin: {}}
stages: [symbolize: {}, filter: {depth: "\${depth}", strict: "\${strict}", mode: "\${mode}", focus: "d=\${depth} $\${x}"}]
output: [stdout: {}]`;
  const options = (set: string[]) => JSON.stringify(right(yaml, { set }).segments[0]!.stages[1]!.options);
  assert.equal(options([]), '{"depth":3,"strict":false,"mode":"keep","focus":"d=3 ${x}"}');
  assert.equal(
    options(['depth=7', 'strict=true', 'mode=drop', 'depth=8']),
    '{"depth":8,"strict":true,"mode":"drop","focus":"d=8 ${x}"}',
  );
  assert.deepEqual(codes(yaml, { set: ['depth=1.5', 'strict=yes', 'mode=dorp', 'dept=1', 'x'] }), [
    '--set 1:7 wrong-type',
    '--set 2:8 wrong-type',
    '--set 3:6 bad-value',
    '--set 4:1 unknown-param',
    '--set 5:1 bad-set',
  ]);
});

test('a parameter without default must be set for a run; lint says nothing, and makes no plan', () => {
  const yaml = 'params: {x: {type: string}}\ninput: {file: {paths: ["${x}"]}}\noutput: [stdout: {}]';
  assert.deepEqual(codes(yaml), ['1:10 param-unset']);
  const linted = plan(yaml, { requireParams: false });
  assert.deepEqual([linted.plan, linted.findings], [undefined, []]);
  assert.equal(JSON.stringify(right(yaml, { set: ['x=/p'] }).source.options), '{"paths":["/p"]}');
});

test('environment variables: unset ones have a place, values are secrets and never expanded again', () => {
  const yaml = around('  - symbolize: {}\n  - filter: {focus: "${ENV:TOKEN}", depth: "${ENV:DEPTH}"}');
  assert.deepEqual(codes(yaml), ['5:21 env-unset', '5:44 env-unset']);
  const made = plan(yaml, { environment: { TOKEN: 's3cret${x}', DEPTH: '7' } });
  assert.equal(
    JSON.stringify(made.plan!.segments[0]!.stages[1]!.options),
    '{"focus":"s3cret${x}","depth":7,"strict":false,"mode":"keep"}',
  );
  assert.deepEqual(made.secrets, ['s3cret${x}']);
  assert.deepEqual(made.plan!.secrets, ['s3cret${x}']);
});

test('references that are broken, or stand where none may, are findings', () => {
  assert.deepEqual(codes(around('  - symbolize: {}\n  - filter: {focus: "${a", mode: "x${"}')), [
    '5:21 bad-reference',
    '5:34 bad-reference',
  ]);
  const yaml = 'params: {a: {type: string, default: "${b}"}}\ninput: {file: {paths: ["${a}"]}}\noutput: [stdout: {}]';
  assert.deepEqual(codes(yaml), ['1:37 bad-reference']);
});

test('whole numbers beyond 2^53 are refused where they would not be exact', () => {
  const yaml = around('  - symbolize: {}\n  - filter: {depth: 9007199254740993}');
  assert.deepEqual(codes(yaml), ['5:21 number-range']);
});

test('plugin modules are files or packages, never URLs', () => {
  const yaml = `plugins: ["http://x/p.js", "data:text/javascript,1", "node:fs", "./missing.js", "no-such-package-here"]
input: {stdin: {}}
output: [stdout: {}]`;
  assert.deepEqual(codes(yaml), [
    '1:11 plugin-module',
    '1:28 plugin-module',
    '1:54 plugin-module',
    '1:65 plugin-module',
    '1:81 plugin-module',
  ]);
});

test('outputs name the fields of groups, and every group has a path of its own', () => {
  const grouped = (path: string, by = '[service, host]') =>
    `input: {stdin: {}}\nstages: [{aggregate: {by: ${by}}}]\noutput: [file: {path: "${path}"}]`;
  const made = right(grouped('${group.service}/x-${group.host}.pb.gz'));
  assert.equal(
    (made.outputs[0]!.sink.options as { path: string }).path,
    '/pipelines/{group:service}/x-{group:host}.pb.gz',
  );
  assert.equal(
    (right(grouped('${group.host}', '[host]')).outputs[0]!.sink.options as { path: string }).path,
    '/pipelines/{group:host}',
  );
  right(grouped('{index}.pb.gz'));
  assert.deepEqual(messages(grouped('${group.servce}-${group.host}.pb.gz')), [
    'output[0].file.path: groups have no field "servce"; did you mean "service"?',
    'output[0].file.path: groups that differ in "service" only would have one path; put ${group.service} in it',
  ]);
  assert.deepEqual(messages(grouped('${group.host}.pb.gz', '[]')), [
    'output[0].file.path: ${group.host}: nothing is grouped (aggregate: { by: … })',
  ]);
  assert.deepEqual(codes(`input: {file: {paths: ["\${group.host}"]}}\noutput: [stdout: {}]`), ['1:24 unknown-param']);
});
