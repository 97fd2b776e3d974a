/**
 * One Go program parks goroutines in many ways and writes its goroutine profile as pprof, as debug=1 and as debug=2: the three must
 * tell the same. PROFPIPE_GO_VERSIONS=all runs every version.
 */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { createBinaryStore } from '../../core/binary/file-store.js';
import { openBinary } from '../../core/binary/open.js';
import {
  Budget,
  checkProfile,
  defaultLimits,
  type ItemContext,
  openInput,
  type Profile,
  stringAt,
} from '../../core/index.js';
import { testItem } from '../../core/testing/context.js';
import { goroutineCodec } from '../../plugins/codecs/goroutine/index.js';
import { pprofCodec } from '../../plugins/codecs/pprof/index.js';
import { FrameCache } from '../../plugins/stages/stackspace/frame-cache.js';
import type { StackspaceReport } from '../../plugins/stages/stackspace/report.js';
import { addStackSpace } from '../../plugins/stages/stackspace/stackspace.js';
import { buildGo, goVersions, noGo } from '../helpers/go-toolchain.js';
import { temporaryFolder, writeInto } from '../helpers/temporary.js';

const notHere = process.arch === 'x64' && process.platform === 'linux' ? false : 'NOT RUN: runs on Linux on amd64 only';

const warnings: string[] = [];
const context = {
  limits: defaultLimits,
  warn: (code: string) => warnings.push(code),
  count() {},
} as unknown as ItemContext;
const pprof = await pprofCodec.create({ compression: 'gzip', level: 1 }, {} as never);
const text = await goroutineCodec.create(
  { labels: ['state', 'locked', 'created_by'], merge: true, contention_period: 'multiply' },
  {} as never,
);

async function read(path: string): Promise<Profile> {
  const codec = path.endsWith('.0') ? pprof : text;
  const profile = await codec.decode!(openInput(readFileSync(path), new Budget()), context);
  assert.deepEqual(checkProfile(profile), []);
  return profile;
}

interface Place {
  readonly address: bigint;
  /** `function file:line`, innermost first; none where the profile has no name. */
  readonly frames: readonly string[];
}

interface Goroutines {
  readonly count: bigint;
  /** Leaf first. */
  readonly stack: readonly Place[];
  /** `key=value`, sorted. */
  readonly labels: readonly string[];
}

function goroutinesOf(profile: Profile): Goroutines[] {
  const { samples, locations, functions, strings } = profile;
  const { lines } = locations;
  const name = (row: number) => stringAt(strings, row);
  const places = Array.from({ length: locations.length }, (_, location): Place => {
    const rows = Array.from(
      lines.function.subarray(locations.lineStart[location]!, locations.lineStart[location + 1]!),
    );
    const frames = rows.map((row, at) => {
      const line = lines.line[locations.lineStart[location]! + at]!;
      // Text never shows type arguments, pprof since Go 1.21.
      const called = name(functions.name[row]!).replace(/\[.*\]/, '[...]');
      return `${called} ${name(functions.filename[row]!)}:${line}`;
    });
    return { address: locations.address[location]!, frames };
  });
  return Array.from({ length: samples.length }, (_, sample) => {
    const rows = samples.stackLocations.subarray(samples.stackStart[sample]!, samples.stackStart[sample + 1]!);
    const labels: string[] = [];
    for (let row = samples.labelStart[sample]!; row < samples.labelStart[sample + 1]!; row++) {
      labels.push(`${name(samples.labels.key[row]!)}=${name(samples.labels.str[row]!)}`);
    }
    return { count: samples.values[sample]!, stack: Array.from(rows, (row) => places[row]!), labels: labels.sort() };
  });
}

const total = (goroutines: readonly Goroutines[]): number =>
  Number(goroutines.reduce((sum, { count }) => sum + count, 0n));

/** Number of goroutines for each text. */
function tally(goroutines: readonly Goroutines[], textOf: (each: Goroutines) => string): Record<string, bigint> {
  const counts = new Map<string, bigint>();
  for (const each of goroutines) counts.set(textOf(each), (counts.get(textOf(each)) ?? 0n) + each.count);
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
}

const isRuntime = (frame: string) => /^(?:runtime\.|internal\/runtime\/)/.test(frame);
const framesOf = ({ stack }: Goroutines) => stack.flatMap(({ frames }) => frames);

/** Text shows no functions of the runtime at the leaf. */
const visible = (each: Goroutines): string[] => {
  const frames = framesOf(each);
  return frames.slice(frames.findIndex((frame) => !isRuntime(frame)));
};

/** Addresses of the locations behind the first that has a name; that one may hold inlined calls which text hides. */
const callers = ({ stack }: Goroutines): string => {
  const first = stack.findIndex(({ frames }) => frames.some((frame) => !isRuntime(frame)));
  return stack
    .slice(first + 1)
    .map(({ address }) => `0x${address.toString(16)}`)
    .join();
};

/** Tracebacks show no functions of the runtime at all, but panic. */
const inTraceback = (each: Goroutines): string =>
  framesOf(each)
    .filter((frame) => !isRuntime(frame) || frame.startsWith('runtime.gopanic '))
    .join('\n');

/** The goroutine that writes the profile, and those that are too deep for the text. */
const isComparable = (each: Goroutines): boolean =>
  !framesOf(each).some((frame) => frame.startsWith('runtime/pprof.write')) && each.stack.length < 30;

const isTextLabel = (label: string) => /^(?:state|locked|created_by)=/.test(label);
const programLabels = ({ labels }: Goroutines) => labels.filter((label) => !isTextLabel(label)).join(' ');

function run(
  version: string,
  folder: string,
  flags: readonly string[] = [],
): { readonly path: string; readonly goroutines: number } {
  const minor = Number(version.split('.')[1]);
  const source = (file: string) => readFileSync(resolve('test/live/programs', file), 'utf8');
  const program = {
    'go.mod': `module goroutines\n\ngo 1.${minor}\n`,
    'main.go': source('goroutines.go'),
    'generic.go': minor < 18 ? 'package main\n\nfunc generic() {}\n' : source('goroutines-generic.go'),
  };
  const { path } = buildGo({ version, architecture: 'amd64', program, flags });
  return { path, goroutines: Number(execFileSync(path, [folder], { encoding: 'utf8' })) };
}

for (const version of ['1.16.15', ...goVersions(['1.20.14', '1.22.12', '1.27.2'])]) {
  test(`go${version}: debug=0, 1 and 2 tell of the same goroutines`, { skip: notHere || noGo(version) }, async (t) => {
    const folder = temporaryFolder(t);
    const { path, goroutines } = run(version, folder);
    warnings.length = 0;
    const profiles = await Promise.all([0, 1, 2].map((form) => read(join(folder, `goroutine.${form}`))));
    assert.deepEqual(warnings, []);
    const [binary, counts, tracebacks] = profiles.map(goroutinesOf) as [Goroutines[], Goroutines[], Goroutines[]];
    for (const form of [binary, counts, tracebacks]) assert.equal(total(form), goroutines);

    const whole = (each: Goroutines) => `${visible(each).join('\n')}\n${callers(each)}\n${programLabels(each)}`;
    assert.deepEqual(tally(counts, whole), tally(binary, whole));

    const hasLabels = Number(version.split('.')[1]) >= 27;
    const shown = (each: Goroutines) => `${inTraceback(each)}\n${hasLabels ? programLabels(each) : ''}`;
    const comparable = [binary, tracebacks].map((form) => form.filter(isComparable));
    assert.deepEqual(tally(comparable[1]!, shown), tally(comparable[0]!, shown));
    const states = tally(tracebacks, ({ labels }) => labels.filter((label) => !label.startsWith('created_by')).join());
    t.diagnostic(JSON.stringify(states, (_, value) => (typeof value === 'bigint' ? Number(value) : value)));
    assert.equal(total(tracebacks.filter(({ labels }) => labels.includes('locked=thread'))), 1);
    assert.equal(total(tracebacks.filter(({ labels }) => labels.includes('state=running'))), 1);
    assert.equal(
      total(tracebacks.filter(({ labels }) => labels.some((label) => label.startsWith('created_by=')))),
      goroutines - 1,
    );

    checkOffsets(path, tracebacks, counts);
    const [fromBinary, fromCounts, fromTracebacks] = profiles.map((profile) => stackSpace(profile, path));
    assert.equal(fromCounts!.frameBytes, fromBinary!.frameBytes);
    // Tracebacks leave out the runtime's frames at the leaf, and in the middle of the deepest stack.
    assert.ok(fromTracebacks!.frameBytes > (fromBinary!.frameBytes * 5n) / 10n);
  });
}

/** What the stage stackspace makes of a profile. */
function stackSpace(profile: Profile, path: string): StackspaceReport {
  const store = createBinaryStore();
  store.add([path]);
  const names = { sample_type: 'goroutine_space', free_name: 'runtime._FreeStack' };
  let report: StackspaceReport | undefined;
  const item = testItem(0);
  addStackSpace(profile, { binaries: [], ...names, stacks_bytes: 0, threads: 0 }, store, new FrameCache(), {
    ...context,
    item,
    report: (value) => {
      report = value;
    },
  });
  store.close();
  return report!;
}

/** Each offset of a traceback, from the entry of its function in the binary, is an address that debug=1 shows. */
function checkOffsets(path: string, tracebacks: readonly Goroutines[], counts: readonly Goroutines[]): void {
  const { go, imageBase } = openBinary(path);
  assert.ok(go);
  const entries = new Map<string, bigint>();
  for (let index = 0; index < go.length; index++) entries.set(go.name(index), imageBase + BigInt(go.entry(index)));
  const addresses = new Set(counts.flatMap(({ stack }) => stack.map(({ address }) => address)));
  let looked = 0;
  for (const { stack } of tracebacks.filter(isComparable)) {
    for (const [depth, { address, frames }] of stack.entries()) {
      const physical = frames.at(-1)!.split(' ')[0]!;
      const entry = entries.get(physical);
      // What the fault interrupted is no call; generic functions are many of one name; the leaf may hold hidden inlined calls.
      if (entry === undefined || address === 0n || depth === 0 || physical === 'main.faultInDefer') continue;
      assert.ok(addresses.has(entry + address), `${physical}+0x${address.toString(16)}`);
      looked++;
    }
  }
  assert.ok(looked >= 15, `${looked} offsets`);
}

test('go1.27.2: the stack space of a position-independent program is the same from text', {
  skip: notHere || noGo('1.27.2'),
}, async (t) => {
  const folder = temporaryFolder(t);
  const { path } = run('1.27.2', folder, ['-buildmode=pie']);
  const [binary, counts, tracebacks] = await Promise.all(
    [0, 1, 2].map((form) => read(join(folder, `goroutine.${form}`))),
  );
  const { frameBytes } = stackSpace(binary!, path);
  assert.equal(stackSpace(counts!, path).frameBytes, frameBytes);
  assert.ok(stackSpace(tracebacks!, path).frameBytes > (frameBytes * 5n) / 10n);
});

test('go1.27.2: leaked goroutines, as text and as pprof, are the same', {
  skip: notHere || noGo('1.27.2'),
}, async (t) => {
  const folder = temporaryFolder(t);
  const { path } = run('1.27.2', folder);
  assert.ok(existsSync(join(folder, 'goroutineleak.1')));
  const [binary, counts, tracebacks] = await Promise.all(
    [0, 1, 2].map((form) => read(join(folder, `goroutineleak.${form}`))),
  );
  assert.equal(stringAt(counts!.strings, counts!.sampleTypes[0]!.type), 'goroutineleak');
  const names = (each: Goroutines) => visible(each).join('\n');
  assert.deepEqual(tally(goroutinesOf(counts!), names), tally(goroutinesOf(binary!), names));
  assert.ok(total(goroutinesOf(counts!)) >= 5);
  // As tracebacks they are among all the others.
  const leaked = goroutinesOf(tracebacks!).filter(({ labels }) => labels.some((label) => label.endsWith(' (leaked)')));
  assert.equal(total(leaked), total(goroutinesOf(counts!)));
  assert.equal(stackSpace(counts!, path).frameBytes, stackSpace(binary!, path).frameBytes);
});

test('go tool pprof reads what became of the text', { skip: notHere || noGo('1.27.2') }, async (t) => {
  const folder = temporaryFolder(t);
  const { goroutines } = run('1.27.2', folder);
  const top = (...args: string[]) =>
    execFileSync('go', ['tool', 'pprof', '-symbolize=none', '-top', ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  for (const form of [1, 2]) {
    const profile = await read(join(folder, `goroutine.${form}`));
    const bytes = Buffer.concat(await pprof.encode!(profile, context));
    const file = writeInto(folder, `goroutine.${form}.pb.gz`, bytes);
    const again = await pprof.decode!(openInput(bytes, new Budget()), context);
    assert.deepEqual(goroutinesOf(again), goroutinesOf(profile));
    assert.match(top(file), new RegExp(`of ${goroutines} total`));
    assert.match(top('-focus=parkInlined', file), / 1 .* main\.innermost \(inline\)/);
    if (form === 2) assert.match(top('-tagfocus=locked=thread', file), /accounting for 1, .* main\.lockedToThread/s);
    // pprof reads debug=1 itself, without names.
    else assert.match(top(join(folder, 'goroutine.1')), new RegExp(`of ${goroutines} total`));
  }
});
