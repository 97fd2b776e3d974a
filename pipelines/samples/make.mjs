#!/usr/bin/env node
/**
 * Makes the embedded sample again: builds src with Go, takes its CPU profile, stores both. Wants Go ≥ 1.26 and Linux on amd64.
 *
 *     node pipelines/samples/make.mjs [--out FOLDER] [--seconds N] [--tolerance PART]
 *
 * See README.md here for what it writes, and why at this rate.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { brotliCompressSync, constants, gunzipSync, gzipSync } from 'node:zlib';
import protobuf from 'protobufjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const Profile = protobuf
  .loadSync(fileURLToPath(new URL('../../proto/profile.proto', import.meta.url)))
  .lookupType('perftools.profiles.Profile');

/** Rates that Linux kernels are built for, in Hz: the profiling timer cannot go off more often than the kernel's own. */
const kernelRates = [1000, 300, 250, 100];
const { values } = parseArgs({
  options: {
    out: { type: 'string', default: here },
    seconds: { type: 'string', default: '20' },
    tolerance: { type: 'string', default: '0.05' },
  },
});
/** What the profile may be off the CPU time that the kernel counted, as a part of it. */
const tolerance = Number(values.tolerance);

function run(command, args, options) {
  const { status, error, stdout } = spawnSync(command, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 2],
    ...options,
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: exit code ${status}`);
  return stdout;
}

/** Builds the program below the system's temporary folder: the path goes into the profile, and should not be a user's. */
function build() {
  const folder = join(tmpdir(), 'profpipe-sample');
  mkdirSync(folder, { recursive: true });
  const program = join(folder, 'service');
  const env = {
    ...process.env,
    GOOS: 'linux',
    GOARCH: 'amd64',
    GOAMD64: 'v1',
    CGO_ENABLED: '0',
    GOFLAGS: '-trimpath',
    GO111MODULE: 'on',
  };
  run('go', ['build', '-buildvcs=false', '-ldflags=-s -w', '-o', program, '.'], { cwd: join(here, 'src'), env });
  process.stderr.write(run('go', ['version', program]));
  return program;
}

/** Runs the program under its own profiler. @returns the profile, its samples, and seconds of CPU by the profile and by the kernel */
function profile(program, rate, seconds) {
  const file = `${program}.pb.gz`;
  const { cpuSeconds, ...work } = JSON.parse(
    run(program, [`-cpuprofile=${file}`, `-rate=${rate}`, `-seconds=${seconds}`]),
  );
  const decoded = Profile.decode(gunzipSync(readFileSync(file)));
  const [samples, nanoseconds] = [0, 1].map((type) =>
    decoded.sample.reduce((sum, { value }) => sum + Number(value[type]), 0),
  );
  process.stderr.write(
    `${rate} Hz: ${samples} samples, ${nanoseconds / 1e9} s of CPU by the profile, ${cpuSeconds} by the kernel; ${JSON.stringify(work)}\n`,
  );
  return { decoded, samples, profileSeconds: nanoseconds / 1e9, cpuSeconds };
}

/** The highest rate at which a sample still stands for the time that the profile says: what the kernel reaches when asked for more. */
function honestRate(program) {
  const { samples, cpuSeconds } = profile(program, 4000, 2);
  const reached = samples / cpuSeconds;
  const rate = kernelRates.find((candidate) => candidate <= reached * (1 + tolerance));
  if (rate === undefined)
    throw new Error(`the kernel takes ${reached} samples a second of CPU: none of its usual rates`);
  return rate;
}

/**
 * The profile without what Go's runtime said of the addresses, as a profiler outside of the process delivers it: locations without
 * lines, no functions, and no string that only they had.
 */
function withoutNames(named) {
  const profile = Profile.decode(Profile.encode(named).finish());
  profile.function = [];
  for (const location of profile.location) location.line = [];
  for (const mapping of profile.mapping) mapping.hasFunctions = false;
  const strings = [''];
  const keep = (owner, field) => {
    const text = named.stringTable[Number(owner[field])];
    if (!strings.includes(text)) strings.push(text);
    owner[field] = strings.indexOf(text);
  };
  for (const valueType of [...profile.sampleType, profile.periodType]) {
    keep(valueType, 'type');
    keep(valueType, 'unit');
  }
  for (const label of profile.sample.flatMap((sample) => sample.label)) {
    for (const field of ['key', 'str', 'numUnit']) keep(label, field);
  }
  for (const mapping of profile.mapping) {
    keep(mapping, 'filename');
    keep(mapping, 'buildId');
  }
  for (const field of ['dropFrames', 'keepFrames', 'defaultSampleType', 'docUrl']) keep(profile, field);
  profile.comment = profile.comment.map((index) => {
    const owner = { index };
    keep(owner, 'index');
    return owner.index;
  });
  profile.stringTable = strings;
  return profile;
}

const program = build();
const taken = profile(program, honestRate(program), Number(values.seconds));
if (Math.abs(taken.profileSeconds / taken.cpuSeconds - 1) > tolerance) {
  throw new Error(`the profile tells of ${taken.profileSeconds} s of CPU, the kernel of ${taken.cpuSeconds}`);
}
mkdirSync(values.out, { recursive: true });
const store = (name, bytes) => {
  writeFileSync(join(values.out, name), bytes);
  process.stderr.write(`${name}: ${bytes.length} bytes\n`);
};
const zipped = (decoded) => gzipSync(Profile.encode(decoded).finish(), { level: 9 });
store('cpu.pb.gz', zipped(withoutNames(taken.decoded)));
store('cpu.named.pb.gz', zipped(taken.decoded));
const executable = readFileSync(program);
store(
  'service.br',
  brotliCompressSync(executable, {
    params: { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: executable.length },
  }),
);
