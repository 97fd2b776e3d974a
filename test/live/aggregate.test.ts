/**
 * `aggregate`, `diff` and `trim` on profiles of every kind that a real Go program has: what google/pprof's package merges, the figures of
 * `go tool pprof` for the same question, and what Go's compiler makes of a profile that was trimmed for it.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Budget, defaultLimits, type ItemContext, openInput, type Profile, stringAt } from '../../core/index.js';
import { testCreateContext } from '../../core/testing/context.js';
import { decodeProfile } from '../../plugins/codecs/pprof/decode.js';
import { encodePieces } from '../../plugins/codecs/pprof/encoder.js';
import { aggregate } from '../../plugins/stages/aggregate/index.js';
import type { AggregatePartial } from '../../plugins/stages/aggregate/partial.js';
import type { AggregateOptions } from '../../schemas/gen/options/aggregate.js';
import { type AgreeQuestion, askPeers, buildPeers, noPeers } from '../helpers/go-peers.js';
import { pipe, root } from '../helpers/pipe.js';

const ROUNDS = 4;
const SETS_OF_A_KIND = 75;
const skip = noPeers();
const context = { limits: defaultLimits, count() {}, warn() {} } as unknown as ItemContext;
const options: AggregateOptions = {
  by: [],
  clock: 'profile',
  lateness: '0s',
  late: 'add',
  sample_types: 'strict',
  granularity: 'addresses',
  periods: 'largest',
  durations: 'sum',
  memory: '512MiB',
};

interface Input {
  readonly bytes: Uint8Array;
  readonly profile: Profile;
  readonly digest: Uint8Array;
}

/** By kind of profile, as often as there were rounds. */
const inputs = new Map<string, Input[]>();
let folder = '';
let peers = '';

/** Of one program in one run: cumulative ones grow from round to round. */
async function readCorpus(): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    const corpus = join(folder, `round-${round}`);
    mkdirSync(corpus);
    execFileSync(peers, ['corpus', corpus]);
    for (const name of readdirSync(corpus)) {
      const bytes = readFileSync(join(corpus, name));
      const profile = await decodeProfile(openInput(bytes, new Budget()), context);
      const kind = name.replace('.pb.gz', '');
      inputs.set(kind, [
        ...(inputs.get(kind) ?? []),
        { bytes, profile, digest: createHash('sha256').update(bytes).digest() },
      ]);
    }
  }
}

/** Numbers from 0 to below `below`, from a seed (xorshift32). */
function randomOf(seed: number): (below: number) => number {
  let state = seed * 2654435761 + 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

const pathsOf = (kind: string): string[] =>
  Array.from({ length: ROUNDS }, (_, round) => join(folder, `round-${round}`, `${kind}.pb.gz`));

/** The rows and the total of a table of pprof, which says first of what files it is. */
function top(...args: string[]): string {
  const given = ['-top', '-symbolize=none', '-nodefraction=0', '-nodecount=100000', ...args];
  const text = execFileSync('go', ['tool', 'pprof', ...given], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 2 ** 28,
  });
  const lines = text.split('\n');
  return lines.slice(lines.findIndex((line) => line.startsWith('Showing nodes'))).join('\n');
}

function run(name: string, paths: readonly string[], stages: readonly object[]): string {
  const out = join(folder, `${name}.pb.gz`);
  const pipeline = join(folder, `${name}.yml`);
  writeFileSync(pipeline, JSON.stringify({ input: { file: { paths } }, stages, output: [{ file: { path: out } }] }));
  const { exitCode, stderr } = pipe(['run', pipeline]);
  assert.equal(exitCode, 0, stderr);
  return out;
}

const typesOf = (kind: string): string[] => {
  const { sampleTypes, strings } = inputs.get(kind)![0]!.profile;
  return sampleTypes.map(({ type }) => stringAt(strings, type));
};

describe('beside google/pprof and Go', { skip }, () => {
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'profpipe-'));
    peers = buildPeers(folder);
    await readCorpus();
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  test(`${SETS_OF_A_KIND} random sets of each kind, merged in random trees, are what profile.Merge makes of them`, async (t) => {
    const merging = await aggregate.create(options, testCreateContext());
    const questions: AgreeQuestion[] = [];
    for (const [kind, all] of inputs) {
      for (let set = 0; set < SETS_OF_A_KIND; set++) {
        const random = randomOf(set * 97 + kind.length);
        const chosen = Array.from({ length: 2 + random(6) }, () => all[random(all.length)]!);
        const partials = chosen.map(({ profile, digest }, index) =>
          merging.add(merging.empty(), profile, { index, name: 'p', uri: 'p', digest }),
        );
        while (partials.length > 1) {
          const [one] = partials.splice(random(partials.length), 1) as [AggregatePartial];
          const other = random(partials.length);
          partials[other] = merging.decode(merging.encode(merging.merge(one, partials[other]!)));
        }
        const merged = Buffer.concat([...encodePieces(merging.finish(partials[0]!, context))]);
        questions.push(['m', ...chosen.sort(byTime).map(({ bytes }) => bytes), merged]);
      }
    }
    const answers = askPeers(peers, questions);
    assert.equal(answers.length, questions.length);
    assert.deepEqual(
      answers.filter((answer) => answer !== 'ok'),
      [],
    );
    t.diagnostic(`${questions.length} sets of ${inputs.size} kinds`);
    assert.ok(questions.length >= 500);
  });

  test('pprof -top says the same of what was merged and of what it merges itself', (t) => {
    let tables = 0;
    for (const kind of inputs.keys()) {
      const merged = run(`merged-${kind}`, pathsOf(kind), [{ aggregate: {} }]);
      for (const type of typesOf(kind)) {
        assert.equal(
          top(`-sample_index=${type}`, merged),
          top(`-sample_index=${type}`, ...pathsOf(kind)),
          `${kind} ${type}`,
        );
        tables += 1;
      }
    }
    t.diagnostic(`${tables} tables`);
  });

  test('pprof -base, -diff_base and -normalize say the same of what the stage diff gives', (t) => {
    let tables = 0;
    for (const kind of ['cpu', 'heap', 'mutex', 'goroutine']) {
      const [base, , , after] = pathsOf(kind) as [string, string, string, string];
      for (const mode of ['base', 'diff_base']) {
        for (const normalize of [false, true]) {
          const ours = run(`diff-${kind}-${mode}-${normalize}`, [after], [{ diff: { base, mode, normalize } }]);
          for (const type of typesOf(kind)) {
            const asked = [`-sample_index=${type}`, ...(normalize ? ['-normalize'] : [])];
            const theirs = top(...asked, `-${mode}=${base}`, after);
            assert.equal(
              withoutZeros(top(`-sample_index=${type}`, ours)),
              withoutZeros(theirs),
              `${kind} ${type} ${mode} ${normalize}`,
            );
            tables += 1;
          }
        }
      }
    }
    t.diagnostic(`${tables} tables`);
  });

  test('go build -pgo takes what trim gives, finds the same calls hot and inlines the same', (t) => {
    const source = join(folder, 'src');
    cpSync(join(root, 'pipelines', 'samples', 'src'), source, { recursive: true });
    const whole = join(root, 'pipelines', 'samples', 'cpu.named.pb.gz');
    const trimmed = run('trimmed', [whole], [{ aggregate: {} }, { trim: { percent: 99 } }]);
    /** What the compiler says of functions that are hot and of calls that it inlines; the threshold is a share of the whole. */
    const decisions = (profile: string): string[] => {
      const flags = ['-gcflags=-d=pgodebug=1 -m', '-o', join(folder, 'out')];
      const { status, stderr } = spawnSync('go', ['build', `-pgo=${profile}`, ...flags, '.'], {
        cwd: source,
        encoding: 'utf8',
        env: { ...process.env, GOFLAGS: '', GOWORK: 'off' },
        maxBuffer: 2 ** 28,
      });
      assert.equal(status, 0, stderr);
      const said = stderr.split('\n').filter((line) => /hot-(?:node|budget)|inlining call to/.test(line));
      return [...new Set(said)].sort();
    };
    const expected = decisions(whole);
    const hot = expected.filter((line) => line.includes('hot-'));
    t.diagnostic(
      `${hot.length} of ${expected.length} decisions are of hot calls; ${readFileSync(trimmed).length} bytes`,
    );
    assert.ok(hot.length > 20);
    assert.deepEqual(decisions(trimmed), expected);
    assert.notDeepEqual(decisions('off'), expected);
  });
});

/** The order in which inputs are taken, which google/pprof has to be given them in. */
function byTime(a: Input, b: Input): number {
  const [one, other] = [a.profile.timeNanos, b.profile.timeNanos];
  return (one < other ? -1 : one > other ? 1 : 0) || Buffer.compare(a.digest, b.digest);
}

/** pprof keeps nodes that came to nothing. */
function withoutZeros(table: string): string {
  return table
    .split('\n')
    .filter((line) => !/^\s*0 \s*0%\s+\S+\s+0 \s*0%/.test(line))
    .join('\n');
}
