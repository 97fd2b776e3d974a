/**
 * What stack space takes, against its limits, on Go's own compiler; or on another Go program, the larger the better:
 * `node dist/test/bench/stackspace.bench.js BINARY`. Wall times mean little on a busy machine.
 */

import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { loadavg } from 'node:os';
import { createBinaryStore } from '../../core/binary/file-store.js';
import { openBinary } from '../../core/binary/open.js';
import { type Binary, defaultLimits, type Profile, ProfileBuilder } from '../../core/index.js';
import { testItem } from '../../core/testing/context.js';
import { FrameCache } from '../../plugins/stages/stackspace/frame-cache.js';
import { addStackSpace } from '../../plugins/stages/stackspace/stackspace.js';
import { median, runProcess } from './measure.js';

const STACKS = 100_000;
const FRAMES = 20;
const ROUNDS = 5;
/** Calls of one function that are on stacks: with fewer, stacks share longer prefixes. */
const CALLEES = 12;

/** Reflection's trampolines have frames of up to 1 GiB, which are on no stack. */
const LARGEST_FRAME = 4096;

/** Distinct stacks of `FRAMES` frames over a program's functions, which share prefixes as those of a server do. */
function manyStacks({ go, imageBase, segments }: Binary): Profile {
  const builder = new ProfileBuilder({ sampleTypes: [{ type: 'goroutine', unit: 'count' }] });
  const code = segments.find(({ executable }) => executable)!;
  const mapping = builder.mapping({
    memoryStart: imageBase + BigInt(code.objectAddress),
    memoryLimit: imageBase + BigInt(code.objectAddress + code.memoryBytes),
    fileOffset: code.fileOffset,
    filename: '/srv/program',
  });
  const locations: number[] = [];
  for (let index = 0; index < go!.length; index++) {
    const middle = (go!.entry(index) + go!.end(index)) >>> 1;
    const bytes = go!.stackDelta(index, middle) ?? -1;
    if (bytes < 0 || bytes > LARGEST_FRAME) continue;
    locations.push(builder.location({ mapping, address: imageBase + BigInt(middle) }));
  }
  for (let number = 0; number < STACKS; number++) {
    const stack = [locations[number % locations.length]!];
    for (let caller = Math.floor(number / locations.length) + number; stack.length < FRAMES; ) {
      caller = Math.floor(caller / CALLEES);
      stack.push(locations[(caller * 7919 + stack.length) % locations.length]!);
    }
    builder.addSample({ stack, values: [1] });
  }
  return builder.finish();
}

function line(what: string, ms: number, limitMs: number): void {
  console.log(`${what.padEnd(62)} ${ms.toFixed(0).padStart(7)} ms   limit ${limitMs} ms`);
}

const goRoot = () => execFileSync('go', ['env', 'GOTOOLDIR'], { encoding: 'utf8' }).trim();
const path = process.argv[2] ?? `${goRoot()}/compile`;
const megabytes = statSync(path).size / 1e6;
console.log(`${path}, ${megabytes.toFixed(0)} MB; load ${loadavg()[0]!.toFixed(1)}`);
const binary = openBinary(path);
const profile = manyStacks(binary);
const store = createBinaryStore();
store.add([path]);
const options = {
  binaries: [],
  sample_type: 'goroutine_space',
  free_name: 'runtime._FreeStack',
  stacks_bytes: 0,
  threads: 0,
};
const context = {
  item: testItem(0),
  limits: defaultLimits,
  count() {},
  warn() {},
  report() {},
};
const stage: number[] = [];
const frames: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  const before = process.cpuUsage();
  addStackSpace(profile, options, store, new FrameCache(), context);
  const { user, system } = process.cpuUsage(before);
  stage.push((user + system) / 1000);
  frames.push((await runProcess(process.execPath, ['dist/core/cli/bin.js', 'binary', 'frames', path])).ms);
}
line(`stackspace, ${STACKS} stacks of ${FRAMES} frames, processor time`, median(stage), 2000);
line('pipe binary frames, whole process, wall time', median(frames), Math.max(1000, Math.round(10 * megabytes)));
store.close();
