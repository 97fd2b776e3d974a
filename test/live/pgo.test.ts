/**
 * Profiles that symbolize has been over, as the compiler takes them for profile-guided optimization: it makes the same of them as of
 * those that the runtime wrote. What it builds is symbolized like anything else.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openBinary } from '../../core/binary/open.js';
import { framesProgram, linkerFlags } from '../helpers/frames-program.js';
import { buildGo, goTool, goVersions, keptFile, noGo } from '../helpers/go-toolchain.js';
import { pipe } from '../helpers/pipe.js';
import { temporaryFolder, writeInto } from '../helpers/temporary.js';

const isHere = process.arch === 'x64' && process.platform === 'linux';
const skip = isHere ? false : 'NOT RUN: runs on Linux on amd64 only';
/** First minor version of Go 1 that inlines by default what a profile shows to be hot. */
const FIRST = 21;

const HOT_FROM = /hot-callsite-thres-from-CDF=([\d.]+)/;

const decisions = (messages: string): string[] => messages.replace(HOT_FROM, '').split('\n').sort();

const without = (lines: readonly string[], others: readonly string[]): string[] =>
  lines.filter((line) => !others.includes(line));

const hotFrom = (messages: string): number => Number(HOT_FROM.exec(messages)![1]);

for (const version of goVersions(['1.22.12', '1.27.2']).filter((each) => Number(each.split('.')[1]) >= FIRST)) {
  test(`go${version}: go build -pgo makes the same of a symbolized profile`, { skip: skip || noGo(version) }, (t) => {
    const folder = temporaryFolder(t);
    const program = { version, architecture: 'amd64', program: framesProgram } as const;
    const { path } = buildGo({ ...program, flags: [linkerFlags(version, '-s -w')] });
    const takeProfile = () => execFileSync(path, ['profile'], { maxBuffer: 2 ** 28 });
    const original = keptFile(`go${version}-frames.pb.gz`, takeProfile);
    const ours = join(folder, 'ours.pb.gz');
    const pipeline = [
      `input: { file: { paths: [${original}] } }`,
      `stages: [{ symbolize: { binaries: [${path}], force: true } }]`,
      `output: [{ file: { path: ${ours} } }]`,
    ];
    const run = pipe(['run', writeInto(folder, 'symbolize.yml', Buffer.from(pipeline.join('\n')))]);
    assert.equal(run.exitCode, 0, run.stderr);

    // What it found hot is printed; the profile's path is not to be told apart by it.
    const build = (profile: string) =>
      buildGo({ ...program, flags: [`-pgo=${profile}`, '-gcflags=-d=pgodebug=1', linkerFlags(version, '')] });
    const bytes = readFileSync(ours);
    const name = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
    const [byRuntime, byUs] = [build(original), build(keptFile(`${name}.pb.gz`, () => bytes))];
    assert.match(byRuntime.messages, /hot/);
    // The weight of all calls has that of wrappers that the runtime leaves out: one that is hardly hot, or hardly not, may be the other.
    const [mineOnly, theirsOnly] = [
      without(decisions(byUs.messages), decisions(byRuntime.messages)),
      without(decisions(byRuntime.messages), decisions(byUs.messages)),
    ];
    const called = [...mineOnly, ...theirsOnly].map((line) => /(?:func=|for call )(\S+)/.exec(line)?.[1] ?? line);
    assert.ok(new Set(called).size <= 1, `${mineOnly}; by the runtime's profile ${theirsOnly}`);
    const [mine, theirs] = [hotFrom(byUs.messages), hotFrom(byRuntime.messages)];
    // It is a share of all calls: of wrappers there may be a few in a hundred.
    assert.ok(Math.abs(mine / theirs - 1) < 0.15, `hot from ${mine} %, by the runtime's profile ${theirs} %`);

    const binary = openBinary(byUs.path);
    t.after(() => binary.release());
    const { go } = binary;
    assert.ok(go);
    const pcs = Array.from(
      { length: 2000 },
      (_, row) => go.textStart + row * Math.floor((go.textEnd - go.textStart) / 2000),
    );
    const addresses = pcs.map((pc) => `0x${(binary.imageBase + BigInt(pc)).toString(16)}\n`).join('');
    const lines = goTool(version, ['addr2line', byUs.path], addresses).trimEnd().split('\n');
    pcs.forEach((pc, row) => {
      const frames = go.frames(pc);
      if (frames.length === 0) return;
      const found = [frames.at(-1)!.function, `${frames[0]!.file}:${frames[0]!.line}`];
      assert.deepEqual(found, [lines[2 * row], lines[2 * row + 1]]);
    });
  });
}
