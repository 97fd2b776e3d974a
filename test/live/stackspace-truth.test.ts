/**
 * Stack space of real Go programs against what the programs themselves see of their stacks: bounds, saved stack pointers and return
 * addresses, read inside the process. PROFPIPE_GO_VERSIONS=all runs every version.
 */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createBinaryStore } from '../../core/binary/file-store.js';
import {
  type BinaryStore,
  Budget,
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
import { frameSizes } from '../../plugins/stages/stackspace/frame-sizes.js';
import { countType, goroutineStacks } from '../../plugins/stages/stackspace/goroutine-stacks.js';
import { readProcessMetrics } from '../../plugins/stages/stackspace/process-metrics.js';
import { stackSizes } from '../../plugins/stages/stackspace/stack-sizes.js';
import { addStackSpace } from '../../plugins/stages/stackspace/stackspace.js';
import { allGoVersions, buildGo, goVersions, hasTool, noGo } from '../helpers/go-toolchain.js';
import { matchStacks, parseTruth, type TrueStack } from '../helpers/stack-truth.js';
import { temporaryFolder } from '../helpers/temporary.js';

const versions = goVersions(['1.18.10', '1.22.12', '1.27.2']).filter((version) => version !== '1.17.13');
const skipCgo = hasTool('gcc') ? false : 'NOT RUN: no gcc on this machine';

const folder = new URL('../../../test/live/programs/stacks/', import.meta.url);
const program = {
  'go.mod': 'module stacks\n\ngo 1.18\n',
  ...Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(new URL(name, folder), 'utf8')])),
};

/** What the runtime takes from the heap for stacks at once. Source: src/runtime/malloc.go _StackCacheSize. */
const STACK_SPAN_BYTES = 32 * 1024;

/** Below it no function that looks enters a stack. Source: src/runtime/stack.go _StackGuard. */
const STACK_GUARD_BYTES = 928;

interface Scene {
  readonly name: string;
  readonly goroutines: number;
  readonly cgo?: boolean;
  /** Not cgo, which would need a cross compiler, nor what must not be preempted between two lines: emulation is too slow for that. */
  readonly isEmulated: boolean;
  /** Share of stacks whose size is told rightly, among all, and among those that are no larger than their own frames make them. */
  readonly equal: number;
  readonly equalIfNotGrown: number;
  /** How far the sum of sizes may be below the truth. */
  readonly below: number;
}

const scenes: readonly Scene[] = [
  { name: 'shapes', goroutines: 600, isEmulated: true, equal: 0.75, equalIfNotGrown: 0.9, below: 0.08 },
  { name: 'httpidle', goroutines: 150, isEmulated: true, equal: 0.3, equalIfNotGrown: 0.92, below: 0.4 },
  { name: 'cgocalls', goroutines: 90, cgo: true, isEmulated: false, equal: 0.75, equalIfNotGrown: 0.92, below: 0.15 },
  { name: 'young', goroutines: 60, isEmulated: false, equal: 0, equalIfNotGrown: 0.92, below: 0.9 },
  { name: 'grown', goroutines: 200, isEmulated: true, equal: 0, equalIfNotGrown: 0.92, below: 0.95 },
  // Most have more frames than Go records.
  { name: 'deep', goroutines: 200, isEmulated: true, equal: 0, equalIfNotGrown: 0, below: 0.95 },
];

const codec = await pprofCodec.create({ compression: 'gzip', level: 1 }, {} as never);
const textCodec = await goroutineCodec.create({ labels: [], merge: true, contention_period: 'multiply' }, {} as never);
const context = {
  item: testItem(0),
  limits: defaultLimits,
  count() {},
  warn() {},
  report() {},
} as unknown as ItemContext & { report(): void };

interface Machine {
  readonly architecture: 'amd64' | 'arm64';
  /** What runs its programs here, if the machine itself does not. */
  readonly emulator?: string;
  readonly skip: string | false;
}

const qemu = 'qemu-aarch64-static';
const machines: readonly Machine[] = [
  { architecture: 'amd64', skip: false },
  { architecture: 'arm64', emulator: qemu, skip: hasTool(qemu) ? false : `NOT RUN: no ${qemu} on this machine` },
];

async function runScene(
  t: TestContext,
  version: string,
  { architecture, emulator }: Machine,
  { name, goroutines, cgo = false }: Scene,
) {
  const flags = allGoVersions.indexOf(version as never) >= allGoVersions.indexOf('1.23.12') ? '-checklinkname=0' : '';
  const { path } = buildGo({ version, architecture, program, cgo, flags: [`-ldflags=-w -s ${flags}`] });
  const file = join(temporaryFolder(t), 'goroutine.pb.gz');
  const command = [...(emulator === undefined ? [] : [emulator]), path, name, String(goroutines), file];
  const truth = parseTruth(execFileSync(command[0]!, command.slice(1), { encoding: 'utf8', maxBuffer: 2 ** 30 }));
  const profile: Profile = await codec.decode!(openInput(readFileSync(file), new Budget()), context);
  const text = await textCodec.decode!(openInput(readFileSync(`${file}.txt`), new Budget()), context);
  const metrics = ['.json', '.vars', '.heap'].map((ending) => readProcessMetrics(readFileSync(file + ending)));
  const binaries = createBinaryStore();
  binaries.add([path]);
  return { truth, profile, text, metrics, binaries };
}

/** Bytes of the frames of all goroutines but the one that took the profile: that one was elsewhere for each. */
function framesWithoutMain(profile: Profile, binaries: BinaryStore): bigint {
  const { samples, locations, functions, strings } = profile;
  const { bytes } = frameSizes(profile, binaries, new FrameCache());
  const isMain = (row: number) => {
    const lines = locations.lines.function.subarray(locations.lineStart[row]!, locations.lineStart[row + 1]!);
    return lines.some((line) => stringAt(strings, functions.name[line]!) === 'main.main');
  };
  let sum = 0n;
  for (let sample = 0; sample < samples.length; sample++) {
    const stack = samples.stackLocations.subarray(samples.stackStart[sample]!, samples.stackStart[sample + 1]!);
    if (stack.some(isMain)) continue;
    sum += samples.values[sample]! * BigInt(stack.reduce((total, row) => total + bytes[row]!, 0));
  }
  return sum;
}

/** Whether the frames on it now do not fit into half of the stack, hidden ones counted, with what the runtime keeps below them. */
const isAsSmallAsItMay = ({ size, used }: TrueStack): boolean => size === 2048 || used + STACK_GUARD_BYTES > size / 2;

const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(2)} %`;

for (const machine of machines) {
  for (const [version, scene] of versions.flatMap((each) => scenes.map((scene) => [each, scene] as const))) {
    if (machine.emulator !== undefined && !scene.isEmulated) continue;
    test(`go ${version}, ${machine.architecture}, ${scene.name}: every frame is the truth, no size is above it`, {
      skip: (scene.cgo && skipCgo) || machine.skip || noGo(version),
    }, async (t) => {
      const { truth, profile, text, metrics, binaries } = await runScene(t, version, machine, scene);
      const sizes = frameSizes(profile, binaries, new FrameCache());
      const mostFrames = allGoVersions.indexOf(version as never) < allGoVersions.indexOf('1.23.12') ? 32 : 128;
      const { matches, frames, unmatched } = matchStacks(profile, sizes, truth, {
        mostFrames,
        architecture: machine.architecture,
      });
      // The goroutine that writes the profile is running: its saved stack pointer is of some earlier time.
      assert.deepEqual(
        unmatched.filter((stack) => !stack.includes('runtime/pprof')),
        [],
      );
      assert.ok(matches.length > scene.goroutines * 0.9, `${matches.length} goroutines`);

      const stacks = goroutineStacks(profile, countType(profile));
      const { smallest } = stackSizes(profile, stacks.tree, sizes);
      let [equal, notGrown, estimate, real, hidden] = [0, 0, 0, 0, 0];
      for (const { sample, stack, hiddenBytes } of matches) {
        const size = smallest[stacks.nodeOf[sample]!]!;
        assert.ok(size <= stack.size, `${size} bytes for a stack of ${stack.size}`);
        equal += size === stack.size ? 1 : 0;
        notGrown += isAsSmallAsItMay(stack) ? 1 : 0;
        estimate += size;
        real += stack.size;
        hidden += hiddenBytes;
      }
      // Each is of another moment: writing the one before may have taken a span, who had not run yet has run since, and a server's
      // goroutines grow and shrink when they will.
      const mostOff = scene.name === 'httpidle' ? truth.stacksBytes / 2 : 2 * STACK_SPAN_BYTES;
      for (const { stacksBytes, threads } of scene.name === 'young' ? [] : metrics) {
        const off = Math.abs(stacksBytes - truth.stacksBytes);
        assert.ok(off <= mostOff, `${stacksBytes} bytes in a file, ${truth.stacksBytes} by the program`);
        assert.ok(threads === 0 || Math.abs(threads - truth.threads) <= 2, `${threads} threads in a file`);
      }
      t.diagnostic(
        `${frames} frames of ${matches.length} goroutines; size equal for ${percent(equal, matches.length)}, ${percent(equal, notGrown)} of ${notGrown} that did not grow; sum ${estimate} of ${real}, ${percent(estimate - real, real)}; hidden ${hidden}; stacks:bytes ${truth.stacksBytes}, ${truth.threads} threads`,
      );
      assert.ok(equal / matches.length >= scene.equal);
      assert.ok(equal >= notGrown * scene.equalIfNotGrown);
      assert.ok(estimate / real >= 1 - scene.below);

      const options = {
        binaries: [],
        sample_type: 'goroutine_space',
        free_name: 'runtime._FreeStack',
        stacks_bytes: truth.stacksBytes,
        threads: truth.threads,
      };
      const { samples } = addStackSpace(profile, options, binaries, new FrameCache(), context);
      const sum = (values: BigInt64Array, type: number, types: number) =>
        values.reduce((total, value, index) => total + (index % types === type ? value : 0n), 0n);
      assert.equal(sum(samples.values, 1, 2), BigInt(truth.stacksBytes));
      assert.equal(sum(samples.values, 0, 2), sum(profile.samples.values, 0, 1));
      if (scene.name !== 'young') assert.equal(framesWithoutMain(text, binaries), framesWithoutMain(profile, binaries));
      binaries.close();
    });
  }
}
