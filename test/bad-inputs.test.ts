/**
 * Hostile bytes, as a user meets them: files in a folder and a pipeline over it. Every bad one gets an error of its own that names
 * the file and the place, every good one among them is delivered, and nothing is written under a final name for a bad one.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import type { Finding } from '../core/config/finding.js';
import type { RunSummary } from '../core/engine/contract/telemetry.js';
import { badBinaries, profileOf } from './bad-inputs/binaries.js';
import type { Refused } from './bad-inputs/case.js';
import { bombs, compressedInputs } from './bad-inputs/compressed.js';
import { perfInputs } from './bad-inputs/perf.js';
import { badPipelines } from './bad-inputs/pipelines.js';
import { pprofInputs } from './bad-inputs/pprof.js';
import { block, int, pprof } from './helpers/assemble-pprof.js';
import { pipe } from './helpers/pipe.js';
import { temporaryFolder } from './helpers/temporary.js';

type Failure = RunSummary['failures'][number];

/**
 * The contract is a second on a quiet machine. A test must not depend on how quiet it is: what fails here is far beyond, as reading
 * a bomb to its end is.
 */
const mostMilliseconds = () => 5000 * Math.max(1, loadavg()[0]! / availableParallelism());
const MOST_BYTES = 256 * 2 ** 20;

/** Writes `content` to `NAME.pprof` below the folder's `in` and runs a pipeline with these stages over all of it. */
function runOver(folder: string, inputs: readonly { name: string; content: Uint8Array }[], stages = ''): RunSummary {
  mkdirSync(join(folder, 'in'));
  for (const { name, content } of inputs) writeFileSync(join(folder, 'in', `${name}.pprof`), content);
  writeFileSync(
    join(folder, 'pipeline.yml'),
    `input:\n  file: { paths: [in] }\n${stages}output:\n  - file: { path: "out/{name}.pb.gz" }\n`,
  );
  const { exitCode, stdout, stderr } = pipe(['run', join(folder, 'pipeline.yml'), '--json']);
  assert.ok(exitCode === 0 || exitCode === 20, `exit code ${exitCode}\n${stderr}`);
  const summary: RunSummary = JSON.parse(stdout);
  assert.equal(summary.exitCode, exitCode);
  assert.ok(summary.peakRssBytes <= MOST_BYTES, `${summary.peakRssBytes} bytes`);
  return summary;
}

function failureOf(summary: RunSummary, name: string): Failure | undefined {
  return summary.failures.find(({ uri }) => basename(uri) === `${name}.pprof`);
}

function assertRefused(failure: Failure | undefined, expected: Refused): void {
  assert.ok(failure, 'delivered');
  assert.equal(failure.code, expected.code, failure.message);
  const section = failure.section ?? '';
  if (expected.section instanceof RegExp) assert.match(section, expected.section);
  else if (expected.section !== undefined) assert.equal(section, expected.section);
  if (expected.offset !== undefined) {
    const { offset = -1 } = failure;
    assert.ok(offset >= expected.offset && offset <= expected.offset + 2, `${expected.offset}: ${failure.message}`);
  }
  for (const key of ['got', 'limit'] as const) {
    if (expected[key] !== undefined) assert.equal(failure[key], expected[key], `${key}: ${failure.message}`);
  }
  if (expected.message !== undefined) assert.match(failure.message, expected.message);
}

/** The record beside the bytes, which are kept as they came. */
function assertDeadLetter(failure: Failure, content: Uint8Array): void {
  assert.ok(failure.deadLetter, 'no dead letter');
  const letter = JSON.parse(readFileSync(failure.deadLetter, 'utf8'));
  assert.equal(letter.code, failure.code);
  assert.equal(letter.size, content.length);
  assert.deepEqual(readFileSync(join(failure.deadLetter, '..', letter.bytes)), Buffer.from(content));
}

test('bad profiles', async (t) => {
  const folder = temporaryFolder(t);
  const inputs = [...compressedInputs, ...pprofInputs, ...perfInputs].map((input) => ({
    ...input,
    content: input.content(),
  }));
  const summary = runOver(folder, inputs);
  const outputs = readdirSync(join(folder, 'out')).filter((name) => name.endsWith('.pb.gz'));
  const warnings = summary.warnings.map(({ code }) => code).join();
  const counters = Object.values(summary.counters).flatMap(Object.keys).join();

  for (const { name, content, expected } of inputs) {
    await t.test(name, () => {
      const failure = failureOf(summary, name);
      if ('delivered' in expected) {
        assert.equal(failure?.code, expected.upTo, failure?.message);
        assert.equal(failure?.isDelivered, expected.upTo === undefined ? undefined : true);
        assert.ok(outputs.includes(`${name}.pb.gz`));
        assert.match(warnings, new RegExp(expected.warning ?? ''));
        assert.match(counters, new RegExp(expected.counter ?? ''));
      } else {
        assertRefused(failure, expected);
        assertDeadLetter(failure!, content);
        assert.ok(!outputs.includes(`${name}.pb.gz`));
      }
    });
  }
  await t.test('every input is delivered or dead-lettered, and nothing else is left behind', () => {
    const bad = inputs.filter(({ expected }) => !('delivered' in expected)).length;
    assert.deepEqual(summary.inputs, { read: inputs.length, delivered: inputs.length - bad, deadLettered: bad });
    assert.equal(outputs.length, inputs.length - bad);
    assert.deepEqual(readdirSync(join(folder, 'out')).sort(), [...outputs, 'dead-letter'].sort());
  });
});

test('inputs that cost the most are refused early, within 256 MiB', async (t) => {
  const heavy = pprofInputs.filter(({ name }) => /million/.test(name));
  for (const { name, content, expected } of [...bombs, ...heavy]) {
    await t.test(name, (t) => {
      const input = { name, content: content() };
      const milliseconds: number[] = [];
      do {
        const summary = runOver(temporaryFolder(t), [input]);
        assertRefused(failureOf(summary, name), expected as Refused);
        milliseconds.push(summary.timing.wallMs);
      } while (milliseconds.at(-1)! > mostMilliseconds() && milliseconds.length < 5);
      assert.ok(milliseconds.at(-1)! <= mostMilliseconds(), `${milliseconds} ms`);
    });
  }
});

test('bad binaries: the profile is delivered, its addresses symbolized or the reason said', async (t) => {
  const folder = temporaryFolder(t);
  const inputs = badBinaries.map((binary) => {
    const path = join(folder, `${binary.name}.exe`);
    writeFileSync(path, binary.content());
    return { ...binary, path, content: profileOf(path, binary) };
  });
  const summary = runOver(folder, inputs, 'stages:\n  - symbolize: {}\n');
  assert.deepEqual(summary.failures, []);
  assert.equal(summary.inputs.delivered, inputs.length);
  const report = summary.reports[0]!.json as { mappings: { file: string; symbolized: number; reasons: object }[] };

  for (const { name, path, expected } of inputs) {
    await t.test(name, () => {
      const mapping = report.mappings.find(({ file }) => file === path)!;
      if (expected === 'symbolized') {
        assert.deepEqual([mapping.symbolized, mapping.reasons], [1, {}]);
      } else {
        assert.deepEqual([mapping.symbolized, mapping.reasons], [0, { [expected.reason]: 1 }]);
        const said = summary.warnings.map(({ message }) => message).filter((message) => message.includes(path));
        if (expected.warning !== undefined) assert.match(said.join('\n'), expected.warning);
      }
      assert.ok(existsSync(join(folder, 'out', `${name}.pb.gz`)));
    });
  }
});

test('bad pipelines: all findings at their places, exit code 2', async (t) => {
  for (const { name, yaml, findings } of badPipelines) {
    await t.test(name, () => {
      const { exitCode, stdout, stderr } = pipe(['lint', '-', '--json'], { input: yaml });
      assert.equal(exitCode, 2, stderr);
      const found: Finding[] = JSON.parse(stdout);
      const places = (all: readonly { line: number; column: number }[]) => all.map((at) => `${at.line}:${at.column}`);
      assert.deepEqual(places(found), places(findings), stdout);
      for (const [row, { message }] of findings.entries()) assert.match(found[row]!.message, message);
    });
  }
});

test('a source that is no regular file is dead-lettered, the others are delivered', (t) => {
  const folder = temporaryFolder(t);
  const inputs = join(folder, 'in');
  mkdirSync(inputs);
  writeFileSync(join(inputs, 'good.pprof'), pprof());
  execFileSync('mkfifo', [join(inputs, 'fifo.pprof')]);
  symlinkSync('loop.pprof', join(inputs, 'loop.pprof'));
  symlinkSync('/dev/zero', join(inputs, 'zero.pprof'));
  const names = ['good', 'fifo', 'loop', 'zero'].map((name) => `in/${name}.pprof`);
  writeFileSync(
    join(folder, 'pipeline.yml'),
    `input:\n  file: { paths: [${names}] }\noutput:\n  - file: { path: "out/{name}.pb.gz" }\n`,
  );
  const { exitCode, stdout } = pipe(['run', join(folder, 'pipeline.yml'), '--json']);
  const summary: RunSummary = JSON.parse(stdout);
  assert.equal(exitCode, 20);
  assert.deepEqual(
    summary.failures.map(({ uri, code }) => [basename(uri), code]),
    ['fifo', 'loop', 'zero'].map((name) => [`${name}.pprof`, 'E_NOT_REGULAR']),
  );
});

test('an output that cannot be written is found before anything is read', (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'file'), '');
  writeFileSync(
    join(folder, 'pipeline.yml'),
    'input:\n  file: { paths: [in.pprof] }\noutput:\n  - file: { path: file/out.pb.gz }\n',
  );
  writeFileSync(join(folder, 'in.pprof'), 'bad');
  const { exitCode, stderr } = pipe(['run', join(folder, 'pipeline.yml')]);
  assert.equal(exitCode, 2, stderr);
  assert.match(stderr, /file/);
  assert.deepEqual(readdirSync(folder).sort(), ['file', 'in.pprof', 'pipeline.yml']);
});

test('two inputs of one name are refused before anything is read', (t) => {
  const folder = temporaryFolder(t);
  for (const name of ['a', 'b']) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, 'same.pprof'), pprof());
  }
  writeFileSync(
    join(folder, 'pipeline.yml'),
    'input:\n  file: { paths: [a, b] }\noutput:\n  - file: { path: "out/{name}.pb.gz" }\n',
  );
  const { exitCode, stderr } = pipe(['run', join(folder, 'pipeline.yml')]);
  assert.equal(exitCode, 2, stderr);
  assert.match(stderr, /inputs 1 .*2 .*same\.pb\.gz/);
  assert.ok(!existsSync(join(folder, 'out')));
});

test('profiles of different kinds are not merged: the second is dead-lettered', (t) => {
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, 'in'));
  writeFileSync(join(folder, 'in', '1.pprof'), pprof());
  writeFileSync(join(folder, 'in', '2.pprof'), pprof({ sampleType: block(1, int(1, 2), int(2, 1)) }));
  const { exitCode, stdout } = pipe(['run', 'merge', '--json', '--set', 'profiles=in', '--set', 'out=out.pb.gz'], {
    cwd: folder,
  });
  const summary: RunSummary = JSON.parse(stdout);
  assert.equal(exitCode, 20);
  assert.deepEqual(summary.inputs, { read: 2, delivered: 1, deadLettered: 1 });
  assert.equal(summary.failures[0]!.code, 'E_INCOMPATIBLE');
  assert.match(summary.failures[0]!.message, /samples.*count/);
});
