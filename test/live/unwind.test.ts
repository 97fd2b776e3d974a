/**
 * Stacks of programs whose chains are known, recorded here, and against `perf script` where that is right. PROFPIPE_GO_VERSIONS=all
 * records every version of Go.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createBinaryStore } from '../../core/binary/file-store.js';
import { createContext } from '../../core/engine/tasks/create-context.js';
import { readDumps } from '../../plugins/codecs/perf/read-dumps.js';
import { isComplete } from '../../plugins/stages/unwind/ending.js';
import { brokenRules, type CallRules } from '../helpers/call-rules.js';
import { buildGo, goVersions, hasTool, noGo } from '../helpers/go-toolchain.js';
import { type PerfChain, perfChains } from '../helpers/perf-chains.js';
import { canRecord, record } from '../helpers/perf-tool.js';
import { temporaryFolder } from '../helpers/temporary.js';
import { type UnwoundSample, unwoundSamples } from '../helpers/unwound.js';

const folder = fileURLToPath(new URL('../../../test/live/programs/unwind/', import.meta.url));
const isRecording = hasTool('perf') && canRecord();
const skipWithout = (tool: string) => {
  if (!isRecording) return 'NOT RUN: no perf on this machine, or it may not record';
  return hasTool(tool) ? false : `NOT RUN: no ${tool} on this machine`;
};

const COPIED_BYTES = 16_384;
const options = (bytes: number) => ['-m', '16M', '-e', 'cpu-clock', '-F', '2000', '--call-graph', `dwarf,${bytes}`];

const chains: CallRules = {
  burn: ['sort_compare', 'deep', 'handler_work', 'interrupted'],
  sort_compare: ['*', 'sort'],
  sort: ['all'],
  dynamic_leaf: ['dynamic'],
  dynamic: ['aligned'],
  aligned: ['all'],
  deep: ['deep', 'all'],
  handler_work: ['handler', 'trap_handler'],
  handler: ['*'],
  trap_handler: ['*'],
  trap_entry: ['trapped'],
  trapped: ['all'],
  interrupted: ['all'],
  alternate: ['all'],
  all: ['main', 'thread_main'],
  thread_main: ['*'],
  main: ['*'],
};
/** With libc in the program there are no other files. */
const staticChains: CallRules = {
  burn: chains.burn!,
  handler_work: chains.handler_work!,
  dynamic_leaf: ['dynamic'],
  dynamic: ['aligned'],
  aligned: ['all'],
  deep: ['deep', 'all'],
  sort: ['all'],
  interrupted: ['all'],
  trapped: ['all'],
  all: ['main'],
};

interface Expected {
  readonly program: string;
  readonly rules: CallRules;
  /** Functions that stacks of the program must have gone through, or nothing was tested. */
  readonly seen: readonly string[];
  /** Share of stacks that ends too early though their bytes were captured: exceptions overwrite what was saved. */
  readonly incomplete?: number;
}

/** Until every function has been in a sample: a quick machine takes few in the time of a program. */
const MOST_RECORDINGS = 10;

/** What a share comes to at most in a recording of so many samples: five standard deviations, of few three samples. */
const most = (share: number, count: number): number => share * count + 5 * Math.sqrt(share * count) + 3;

/** Frames that perf has and so have we, from the leaf on. */
function commonFrames({ frames }: UnwoundSample, { addresses }: PerfChain): number {
  const differs = addresses.findIndex((address, at) => address !== frames[at]?.address);
  return differs < 0 ? addresses.length : differs;
}

function byThread<Sample extends { readonly tid: number }>(samples: readonly Sample[]): Map<number, Sample[]> {
  const threads = new Map<number, Sample[]>();
  for (const sample of samples) threads.set(sample.tid, [...(threads.get(sample.tid) ?? []), sample]);
  return threads;
}

/** @param without a thread that is left out @returns the share of stacks as perf has them, of those that perf has whole */
function agreement(samples: readonly UnwoundSample[], perf: readonly PerfChain[], without?: number): number {
  assert.equal(samples.length, perf.length, 'samples are those that perf counts');
  const threads = byThread(perf);
  let same = 0;
  let different = 0;
  for (const [tid, ours] of byThread(samples)) {
    if (tid === without) continue;
    for (const [at, sample] of ours.entries()) {
      const chain = threads.get(tid)![at]!;
      const common = commonFrames(sample, chain);
      const isStart = common === chain.addresses.length;
      if (isStart && chain.addresses.length === sample.frames.length) same++;
      // Where perf has only the start of our stack it has lost the rest; where it goes on at what is no code it made that up.
      else if (!isStart && !(sample.ending === 'no_mapping' && common === sample.frames.length)) different++;
    }
  }
  return same / (same + different);
}

function check(context: TestContext, samples: readonly UnwoundSample[], expected: Expected): void {
  const { program, rules, incomplete = 0.002 } = expected;
  const ended = samples.flatMap(({ ending }) => ending ?? []);
  const sufficient = ended.filter((ending) => ending !== 'truncated');
  const complete = sufficient.filter(isComplete).length;
  const share = ((100 * complete) / sufficient.length).toFixed(2);
  const broken = new Map<string, number>();
  for (const sample of samples) {
    for (const rule of brokenRules(sample, program, rules)) broken.set(rule, (broken.get(rule) ?? 0) + 1);
  }
  const counts = [...new Set(ended)].map((one) => `${one} ${ended.filter((ending) => ending === one).length}`);
  context.diagnostic(`${samples.length} samples, ${share} % complete: ${counts.join(', ')}`);
  assert.deepEqual([...broken], [], 'calls that the program does not make');
  assert.ok(sufficient.length - complete <= most(incomplete, sufficient.length), `${share} % complete`);
}

/** Checks recording after recording until all functions were seen. @returns the last one */
async function checkUntilSeen(
  context: TestContext,
  take: () => Promise<readonly UnwoundSample[]>,
  expected: Expected,
): Promise<readonly UnwoundSample[]> {
  const unseen = new Set(expected.seen);
  for (let taken = 1; ; taken++) {
    const samples = await take();
    check(context, samples, expected);
    for (const { frames } of samples) for (const { name } of frames) unseen.delete(name);
    if (unseen.size === 0) return samples;
    assert.ok(taken < MOST_RECORDINGS, `functions without samples: ${[...unseen]}`);
  }
}

async function compareWithPerf(
  context: TestContext,
  path: string,
  samples: readonly UnwoundSample[],
  without?: number,
): Promise<void> {
  const share = agreement(samples, await perfChains(path), without);
  context.diagnostic(`${(100 * share).toFixed(2)} % as perf script has them`);
  assert.ok(share >= 0.995, `${share} as perf has them`);
}

test('C without frame pointers: callbacks, signals, odd frames', { skip: skipWithout('gcc') }, async (context) => {
  const here = temporaryFolder(context);
  const program = join(here, 'chains');
  execFileSync('gcc', ['-O2', '-g', '-fomit-frame-pointer', join(folder, 'chains.c'), '-o', program]);
  const take = async () => {
    record(here, options(COPIED_BYTES), [program, '600']);
    const samples = await unwoundSamples(join(here, 'perf.data'));
    await compareWithPerf(context, join(here, 'perf.data'), samples);
    return samples;
  };
  const seen = Object.keys(chains).filter((name) => name !== 'thread_main');
  await checkUntilSeen(context, take, { program, rules: chains, seen });
});

test('threads, fork and exec, a library that is loaded late', { skip: skipWithout('gcc') }, async (context) => {
  const here = temporaryFolder(context);
  const program = join(here, 'chains');
  const plugin = join(here, 'libplugin.so');
  const flags = ['-O2', '-g', '-fomit-frame-pointer'];
  execFileSync('gcc', [...flags, join(folder, 'chains.c'), '-o', program]);
  execFileSync('gcc', [...flags, '-shared', '-fPIC', join(folder, 'plugin.c'), '-o', plugin]);
  const take = async () => {
    record(here, options(COPIED_BYTES), [program, '100', plugin]);
    const samples = await unwoundSamples(join(here, 'perf.data'));
    // perf takes the tables of the program that a child executes at the place where its parent had them: it comes last.
    const child = [...new Set(samples.map(({ tid }) => tid))].at(-1);
    await compareWithPerf(context, join(here, 'perf.data'), samples, child);
    return samples;
  };
  const seen = ['thread_main', 'plugin_work', 'plugin', 'all'];
  await checkUntilSeen(context, take, { program, rules: chains, seen });
});

test('tables without an index, and those of debug information only', { skip: skipWithout('gcc') }, async (context) => {
  // Neither is read by perf.
  const ways = [
    ['-static'],
    ['-fno-asynchronous-unwind-tables', '-fno-unwind-tables', '-gz=zlib'],
    ['-Wl,--no-eh-frame-hdr'],
  ];
  for (const flags of ways) {
    const here = temporaryFolder(context);
    const program = join(here, 'chains');
    execFileSync('gcc', ['-O2', '-g', '-fomit-frame-pointer', ...flags, join(folder, 'chains.c'), '-o', program], {
      stdio: 'ignore',
    });
    const rules = flags.includes('-static') ? staticChains : chains;
    const take = () => {
      record(here, options(COPIED_BYTES), [program, '400']);
      return unwoundSamples(join(here, 'perf.data'));
    };
    await checkUntilSeen(context, take, { program, rules, seen: ['burn', 'handler_work', 'deep', 'sort', 'all'] });
  }
});

test('a program in a root of its own, as in a container', { skip: skipWithout('gcc') }, async (context) => {
  if (process.getuid?.() !== 0) return context.skip('NOT RUN: only root may change the root');
  const here = temporaryFolder(context);
  const root = join(here, 'root');
  mkdirSync(root);
  const program = '/opt/chains';
  const flags = ['-O2', '-g', '-fomit-frame-pointer'];
  mkdirSync(join(root, 'opt'));
  execFileSync('gcc', [...flags, join(folder, 'chains.c'), '-o', join(root, program)]);
  const libraries = execFileSync('ldd', [join(root, program)], { encoding: 'utf8' }).match(/\/\S+/g) ?? [];
  for (const library of libraries) cpSync(library, join(root, library), { dereference: true });
  const take = () => {
    // Else perf would keep what it found at the same paths outside.
    record(here, ['--no-buildid', ...options(COPIED_BYTES)], ['chroot', root, program, '300']);
    return unwoundSamples(join(here, 'perf.data'), { root });
  };
  const seen = ['burn', 'handler_work', 'deep', 'sort', 'all'];
  await checkUntilSeen(context, take, { program, rules: chains, seen });
});

test('the code that the kernel maps', { skip: skipWithout('gcc') }, async (context) => {
  const here = temporaryFolder(context);
  const program = join(here, 'clock');
  execFileSync('gcc', ['-O2', '-g', '-fomit-frame-pointer', join(folder, 'clock.c'), '-o', program]);
  const take = () => {
    record(here, options(COPIED_BYTES), [program, '20000000']);
    return unwoundSamples(join(here, 'perf.data'));
  };
  const expected = { program, rules: { reading: ['main'] }, seen: ['reading', 'main'] };
  const samples = await checkUntilSeen(context, take, expected);
  const fromKernel = samples.filter(({ frames }) => frames[0]?.file === '[vdso]');
  assert.ok(fromKernel.length > 0, 'the kernel did not map the clock');
  // Called by libc, of whose frame the frame pointer knows nothing.
  const inLibc = fromKernel.filter(({ frames }) => frames[2]?.name === 'reading');
  const others = fromKernel.length - inLibc.length;
  assert.ok(others <= most(0.002, fromKernel.length), `${others} of ${fromKernel.length} elsewhere`);
  await compareWithPerf(context, join(here, 'perf.data'), samples);
});

test('C++: inlined and virtual calls, exceptions', { skip: skipWithout('g++') }, async (context) => {
  const here = temporaryFolder(context);
  const program = join(here, 'chains');
  execFileSync('g++', ['-O2', '-g', '-fomit-frame-pointer', join(folder, 'chains.cpp'), '-o', program]);
  const take = async () => {
    record(here, options(COPIED_BYTES), [program, '60']);
    const samples = await unwoundSamples(join(here, 'perf.data'));
    await compareWithPerf(context, join(here, 'perf.data'), samples);
    return samples;
  };
  const rules: CallRules = { sorting: ['main'], calling: ['main'], throwing: ['main'], throw_middle: ['throwing'] };
  const seen = [...Object.keys(rules), 'throw_inner'];
  await checkUntilSeen(context, take, { program, rules, seen, incomplete: 0.005 });
});

test('Rust: closures, sorting, panics, threads', { skip: skipWithout('rustc') }, async (context) => {
  const here = temporaryFolder(context);
  const program = join(here, 'chains');
  execFileSync('rustc', ['-O', '-g', join(folder, 'chains.rs'), '-o', program]);
  const take = async () => {
    record(here, options(2 * COPIED_BYTES), [program, '60']);
    const samples = await unwoundSamples(join(here, 'perf.data'));
    await compareWithPerf(context, join(here, 'perf.data'), samples);
    return samples;
  };
  const rules: CallRules = { 'chains::sorting': ['chains::all'], 'chains::panicking': ['chains::all'] };
  const seen = [...Object.keys(rules), 'chains::recursive'];
  await checkUntilSeen(context, take, { program, rules, seen, incomplete: 0.018 });
});

const goroutines: CallRules = {
  'main.leafTiny': ['main.leaves'],
  'main.leaves': [
    'main.worker',
    'main.grow',
    'main.panics.func1.1',
    'main.panics.func1.panics.func1.1.func2',
    'main.panics.func1',
  ],
  'main.grow': ['main.grow', 'main.worker', 'main.fresher', 'runtime.morestack'],
  'main.copies': ['main.worker'],
  'main.sorts': ['main.worker'],
  'main.panics': ['main.worker'],
  'main.allocates': ['main.worker'],
  'main.calls': ['main.worker'],
};

for (const version of goVersions(['1.20.14', '1.24.13', '1.27.2'])) {
  test(`Go ${version}: goroutines`, { skip: skipWithout('go') || noGo(version) }, async (context) => {
    const here = temporaryFolder(context);
    const program = { 'main.go': readFileSync(join(folder, 'goroutines.go'), 'utf8') };
    const { path } = buildGo({ version, architecture: 'amd64', program });
    const take = () => {
      record(here, options(COPIED_BYTES), [path, '40']);
      return unwoundSamples(join(here, 'perf.data'));
    };
    const expected = { program: path, rules: goroutines, seen: Object.keys(goroutines) };
    const samples = await checkUntilSeen(context, take, expected);
    const roots = new Set(samples.filter(({ ending }) => ending === 'root').map(({ frames }) => frames.at(-1)!.name));
    const known = ['runtime.goexit', 'runtime.mstart', 'runtime.rt0_go', '_rt0_amd64_linux'];
    assert.deepEqual(
      [...roots].filter((name) => !known.includes(name)),
      [],
    );
  });

  test(`Go ${version}: C and back`, { skip: skipWithout('gcc') || noGo(version) }, async (context) => {
    const here = temporaryFolder(context);
    const program = { 'main.go': readFileSync(join(folder, 'cgo/main.go'), 'utf8') };
    const { path } = buildGo({ version, architecture: 'amd64', program, cgo: true });
    const take = () => {
      record(here, options(COPIED_BYTES), [path, '40']);
      return unwoundSamples(join(here, 'perf.data'));
    };
    const rules: CallRules = {
      c_leaf: ['c_mid'],
      c_mid: ['c_work'],
      'main.leafTiny': ['main.callbackWork'],
      'main.callbackWork': ['main.worker', 'main.goCallback', '_cgoexp_*'],
    };
    const seen = ['c_leaf', 'c_mid', 'main.leafTiny', 'main.callbackWork', 'runtime.cgocallback', 'runtime.asmcgocall'];
    const samples = await checkUntilSeen(context, take, { program: path, rules, seen, incomplete: 0.005 });
    // What C calls back is walked to the goroutine's root.
    const callbacks = samples.filter(({ frames }) => frames.some(({ name }) => name === 'runtime.cgocallback'));
    const whole = callbacks.filter(({ frames }) => frames.at(-1)!.name === 'runtime.goexit');
    context.diagnostic(`${whole.length} of ${callbacks.length} callbacks`);
    assert.ok(
      callbacks.length - whole.length <= most(0.01, callbacks.length),
      `${whole.length} of ${callbacks.length}`,
    );
  });
}

test('code that node made while it ran', { skip: skipWithout('node') }, async (context) => {
  const here = temporaryFolder(context);
  const take = () => {
    record(here, options(4 * COPIED_BYTES - 8), [process.execPath, join(folder, 'program.js'), '6']);
    return unwoundSamples(join(here, 'perf.data'));
  };
  const seen = ['Builtins_InterpreterEntryTrampoline'];
  await checkUntilSeen(context, take, { program: process.execPath, rules: {}, seen, incomplete: 0.01 });
});

test('code that node made, by its jitdump, and as perf inject puts it in', {
  skip: skipWithout('node'),
}, async (context) => {
  const here = temporaryFolder(context);
  const flags = ['-k', 'mono', ...options(4 * COPIED_BYTES - 8)];
  const program = join(folder, 'program.js');
  record(here, flags, ['env', '-C', here, process.execPath, '--perf-prof', program, '6']);
  const dump = readdirSync(here).find((name) => name.startsWith('jit-'));
  assert.ok(dump, 'node wrote no dump');
  const path = join(here, 'perf.data');
  const made = readDumps([here], createContext(createBinaryStore(), {}, new AbortController().signal));
  const ours = await unwoundSamples(path, {}, made);
  check(context, ours, { program: process.execPath, rules: {}, seen: [], incomplete: 0.008 });
  // Else it leaves a copy of each function in the user's own cache.
  const inject = ['--buildid-dir', join(here, 'cache'), 'inject', '--jit', '-i', path, '-o', join(here, 'injected')];
  execFileSync('perf', inject, { stdio: 'ignore', cwd: here });
  const injected = await unwoundSamples(join(here, 'injected'));
  // V8 lists its builtins too, which are code of node's own file.
  const names = ({ frames }: UnwoundSample) =>
    frames.map(({ name }) => name.replace(/^(Builtins_|Builtin:|BytecodeHandler:).*/, 'builtin')).join(';');
  assert.equal(ours.length, injected.length);
  const same = ours.filter((sample, at) => names(sample) === names(injected[at]!)).length;
  const ofScript = ours.filter(({ frames }) => frames.some(({ name }) => /^JS:.*program\.js/.test(name)));
  context.diagnostic(
    `${((100 * same) / ours.length).toFixed(2)} % as of perf inject, ${ofScript.length} of ${ours.length} in the script`,
  );
  assert.ok(ours.length - same <= most(0.005, ours.length), `${same} the same`);
  assert.ok(ofScript.length > ours.length / 5, 'functions of the script have no names');
});
