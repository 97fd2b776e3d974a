/** `pipe test` as a user meets it: what passes, what fails and how it is told, what --update writes. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { pipe, root } from './helpers/pipe.js';
import { temporaryFolder } from './helpers/temporary.js';

const pipeline = `
params:
  profile: { type: string }
  tenant: { type: string, default: acme }
  out: { type: string, default: out, relative_to: cwd }
input: { file: { paths: ["\${profile}"] } }
stages: [{ filter: { tagfocus: "tenant=\${tenant}" } }]
output:
  - file: { path: "\${out}/{name}.pb.gz" }
  - file: { path: "\${out}/{name}.folded" }
`;

const input = `    input:
      one: |
        samples/count
        main;serve 3 tenant=acme
        main;idle 2 tenant=other
`;

/** A folder with the pipeline p.yml and these files. */
function folderOf(t: TestContext, cases: string, files: Readonly<Record<string, string>> = {}): string {
  const folder = temporaryFolder(t);
  for (const [path, text] of Object.entries({ 'p.yml': pipeline, 'p.test.yml': `cases:\n${cases}`, ...files })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

function run(folder: string, ...more: string[]) {
  const { exitCode, stdout, stderr } = pipe(['test', 'p.yml', ...more], { cwd: folder });
  return { exitCode, stderr, lines: stdout.replaceAll(folder, '').trimEnd().split('\n') };
}

const expecting = (facts: string) => `  - name: one tenant\n${input}    expect:\n${facts}`;

test('the cases of the shipped pipelines pass', () => {
  const names = readdirSync(join(root, 'pipelines')).filter((name) => name.endsWith('.test.yml'));
  const shipped = readdirSync(join(root, 'pipelines')).filter((name) => /(?<!\.test)\.yml$/.test(name));
  assert.deepEqual(
    names,
    shipped.map((name) => name.replace('.yml', '.test.yml')),
    'each has cases',
  );
  const { exitCode, stdout } = pipe(['test', ...shipped]);
  assert.equal(exitCode, 0, stdout);
});

test('pipe lint says of a test file what pipe test would say before it runs', (t) => {
  const folder = folderOf(t, expecting('      exit: 0\n'), { 'q.yml': pipeline, 'q.test.yml': 'cases:\n  - nam: x\n' });
  const { exitCode, stdout } = pipe(['lint', 'p.test.yml'], { cwd: folder });
  assert.deepEqual([exitCode, stdout], [0, '']);
  const wrong = pipe(['lint', 'q.test.yml'], { cwd: folder });
  assert.equal(wrong.exitCode, 2);
  assert.match(wrong.stdout, /^q\.test\.yml:2:\d+ /);
  assert.equal(wrong.stdout, pipe(['test', 'q.yml'], { cwd: folder }).stderr);
});

test('facts that hold pass, and nothing is written', (t) => {
  const facts = `      outputs:
        out/one.pb.gz: { stacks: "samples/count\\nmain;serve 3 tenant=acme", totals: { samples: 3 }, top: { samples: [serve] } }
        out/one.folded: { file: one.txt }\n`;
  const folder = folderOf(t, expecting(facts), { 'one.txt': 'main;serve 3\n' });
  const { exitCode, lines } = run(folder);
  assert.deepEqual([exitCode, ...lines], [0, 'ok   p.yml: one tenant', '1 case, 0 failed']);
  assert.deepEqual(readdirSync(folder).sort(), ['one.txt', 'p.test.yml', 'p.yml']);
});

test('what differs is told line by line', (t) => {
  const facts = `      outputs:
        out/one.pb.gz: { stacks: "samples/count\\nmain;serve 4 tenant=acme", totals: { samples: 4, cpu: 1 }, top: { samples: [main] } }
        out/two.pb.gz: {}\n`;
  const { exitCode, lines } = run(folderOf(t, expecting(facts)));
  assert.equal(exitCode, 20);
  assert.deepEqual(lines, [
    'FAIL p.yml: one tenant',
    '  out/one.pb.gz: other stacks (- expected, + got)',
    '      samples/count',
    '    - main;serve 4 tenant=acme',
    '    + main;serve 3 tenant=acme',
    '  out/one.pb.gz: total samples: 4 expected, got 3',
    '  out/one.pb.gz: totals: no sample type "cpu"; the profile has samples',
    '  out/one.pb.gz: other top samples (- expected, + got)',
    '    - main',
    '    + serve',
    '  out/two.pb.gz: no such output; there are out/one.folded, out/one.pb.gz',
    '  out/one.folded: an output that is not expected',
    '1 case, 1 failed',
  ]);
});

test('a codec that only writes is compared by its text', (t) => {
  const facts = '      outputs: { out/one.pb.gz: {}, out/one.folded: { totals: { samples: 1 }, file: none.txt } }\n';
  const { lines } = run(folderOf(t, expecting(facts)));
  assert.deepEqual(lines.slice(1, 3), [
    '  out/one.folded: no such file: /none.txt; --update writes it',
    '  out/one.folded: its codec only writes, so it has no totals; compare it by "file"',
  ]);
});

test('dead letters are expected by their code', (t) => {
  const bad = '  - name: bad\n    input: { bad.pb: { file: p.test.yml } }\n';
  const { exitCode, lines } = run(folderOf(t, bad));
  assert.equal(exitCode, 20);
  assert.match(lines[1]!, /^ {2}dead letter bad.pb: none expected, got E_UNKNOWN_FORMAT: .*no codec knows/);
  assert.equal(lines[2], '  exit code 0 expected, got 20');
  const letters = (code: string) => `${bad}    expect: { dead_letters: { bad.pb: ${code} } }\n`;
  assert.equal(run(folderOf(t, letters('E_UNKNOWN_FORMAT'))).exitCode, 0);
  assert.match(run(folderOf(t, letters('E_EMPTY'))).lines[1]!, /bad.pb: E_EMPTY expected, got E_UNKNOWN_FORMAT/);
});

test('--update writes what came out, and keeps the rest of the file as it is', (t) => {
  const folder = folderOf(t, `  # why it is here\n  - name: One tenant!\n    set: { tenant: other } # them\n${input}`);
  const { exitCode, stderr } = run(folder, '--update');
  assert.equal(exitCode, 0);
  assert.equal(
    readFileSync(join(folder, 'p.test.yml'), 'utf8'),
    `cases:
  # why it is here
  - name: One tenant!
    set: { tenant: other } # them
${input}    expect:
      outputs:
        out/one.folded:
          file: p.expected/one-tenant/out/one.folded
        out/one.pb.gz:
          stacks: |
            samples/count
            main;idle 2 tenant=other
`,
  );
  assert.equal(readFileSync(join(folder, 'p.expected/one-tenant/out/one.folded'), 'utf8'), 'main;idle 2\n');
  assert.match(stderr, /written: .*one\.folded\nwritten: .*p\.test\.yml\n/);
  assert.equal(run(folder).exitCode, 0);
  const again = run(folder, '--update');
  assert.deepEqual([again.exitCode, again.stderr], [0, '']);
});

test('--update keeps to the facts that a case asks for', (t) => {
  const facts = '      outputs: { out/one.pb.gz: { top: { samples: [x] } }, out/gone.pb: {}, out/one.folded: {} }\n';
  const folder = folderOf(t, expecting(facts));
  run(folder, '--update');
  const { expect } = parse(readFileSync(join(folder, 'p.test.yml'), 'utf8')).cases[0];
  assert.deepEqual(expect.outputs, { 'out/one.folded': {}, 'out/one.pb.gz': { top: { samples: ['serve'] } } });
});

test('a case that cannot start is told as pipe run would', (t) => {
  const noParam = run(folderOf(t, '  - name: a\n'));
  assert.equal(noParam.exitCode, 20);
  assert.match(noParam.lines.join('\n'), /it cannot start\n {2}p\.yml:3:3 param-unset parameter "profile"/);
  const badSet = run(folderOf(t, `  - name: a\n    set: { tenat: x }\n${input}`));
  assert.match(badSet.lines.join('\n'), /unknown-param the pipeline has no parameter "tenat"; did you mean "tenant"/);
  const badStacks = run(folderOf(t, '  - name: a\n    input: { one: "samples/count\\nmain x" }\n'));
  assert.match(badStacks.lines.join('\n'), /input one: line 2: a value is no whole number/);
});

test('a pipeline without an end wants inputs from its cases', (t) => {
  const files = {
    'p.yml': 'input: { watch: { path: ".", checkpoint: .done } }\noutput: [file: { path: "out/{name}.pb.gz" }]\n',
  };
  const { exitCode, lines } = run(folderOf(t, '  - name: a\n', files));
  assert.equal(exitCode, 20);
  assert.match(
    lines.join('\n'),
    /it cannot start\n {2}the source watch has no end: the case names its inputs under "input"/,
  );
});

test('a test file that is wrong is a finding, and nothing is run', (t) => {
  const { exitCode, stderr } = run(folderOf(t, '  - nam: a\n    input: { ../x: "", y: { file: gone } }\n'));
  assert.equal(exitCode, 2);
  assert.match(stderr, /^p\.test\.yml:2:5 missing cases\[0\]: "name" is missing$/m);
  assert.match(stderr, /^p\.test\.yml:2:5 unknown-key cases\[0\]\.nam: unknown key; did you mean "name"\?$/m);
  assert.match(stderr, /unknown-key cases\[0\]\.input\.\.\.\/x: no valid name/);
  const { exitCode: noFile, stderr: why } = pipe(['test', 'enrich.yml'], {
    cwd: folderOf(t, '', { 'enrich.yml': '' }),
  });
  assert.equal(noFile, 2);
  assert.match(why, /^pipe: enrich\.test\.yml: no such file; the cases of enrich\.yml stand there/);
});

test("a third party's stage and sink are tested, and the sink writes nothing", (t) => {
  const base = "version: '1.0.0', api: '^1.0.0', summary: 's', schema: { type: 'object', additionalProperties: false }";
  const module = `import { writeFileSync } from 'node:fs';
export default [
  { ${base}, kind: 'stage', name: 'twice', create: () => ({ process: (profile) =>
    ({ ...profile, samples: { ...profile.samples, values: profile.samples.values.map((value) => value * 2n) } }) }) },
  { ${base}, kind: 'sink', name: 'shop', defaultCodec: 'pprof', create: () => ({ labelKeys: [], destination: ({ name }) => 'shop://' + name,
    prepare: async () => writeFileSync('prepared', ''), write: async () => writeFileSync('written', '') }) },
];`;
  const files = {
    'm.mjs': module,
    'p.yml': 'plugins: [./m.mjs]\ninput: { stdin: {} }\nstages: [twice: {}]\noutput: [shop: {}]\n',
  };
  const cases =
    '  - name: a\n    input: { one: "n/count\\nmain 1" }\n    expect: { outputs: { "shop://one": { totals: { n: 2 } } } }\n';
  const folder = folderOf(t, cases, files);
  const { exitCode, lines } = run(folder);
  assert.equal(exitCode, 0, lines.join('\n'));
  assert.ok(!existsSync(join(folder, 'prepared')) && !existsSync(join(folder, 'written')));
});

test('--json is by its schema', (t) => {
  const read = (name: string) => JSON.parse(readFileSync(join(root, 'schemas', name), 'utf8'));
  const { $id, $defs } = read('cli-output.schema.json');
  const validate = new Ajv2020({ strict: false }).compile({ $id, $defs, $ref: '#/$defs/pipelineTests' });
  const { lines } = run(folderOf(t, expecting('      outputs: { out/one.pb.gz: { stacks: "n/count" } }\n')), '--json');
  const result: unknown = JSON.parse(lines[0]!);
  assert.ok(validate(result), JSON.stringify(validate.errors));
  const { cases } = result as { readonly cases: readonly Record<string, unknown>[] };
  const told = cases.map(({ pipeline: file, name, passed }) => [file, name, passed]);
  assert.deepEqual(told, [['p.yml', 'one tenant', false]]);
  // The schema of test files itself, as an editor reads it.
  const ofFile = new Ajv2020({ strict: false, validateFormats: false }).compile(read('pipeline-test.schema.json'));
  for (const name of readdirSync(join(root, 'pipelines')).filter((file) => file.endsWith('.test.yml'))) {
    const text = readFileSync(join(root, 'pipelines', name), 'utf8');
    assert.match(text, /^# yaml-language-server: \$schema=\.\.\/schemas\/pipeline-test\.schema\.json$/m, name);
    assert.ok(ofFile(parse(text)), name);
  }
});
