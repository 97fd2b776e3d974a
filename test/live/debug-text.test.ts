/**
 * A Go program writes its heap, allocs, block, mutex and threadcreate profiles as pprof and as text (debug=1), of the same records.
 * The values of the text must be google/pprof's, its names and stacks the pprof form's. PROFPIPE_GO_VERSIONS=all runs every version.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import {
  Budget,
  checkProfile,
  defaultLimits,
  type ItemContext,
  openInput,
  type Profile,
  stringAt,
} from '../../core/index.js';
import { goroutineCodec } from '../../plugins/codecs/goroutine/index.js';
import { pprofCodec } from '../../plugins/codecs/pprof/index.js';
import { type AgreeQuestion, askPeers, buildPeers, noPeers } from '../helpers/go-peers.js';
import { buildGo, goVersions, noGo } from '../helpers/go-toolchain.js';
import { temporaryFolder } from '../helpers/temporary.js';

const skip =
  process.arch === 'x64' && process.platform === 'linux' ? noPeers() : 'NOT RUN: runs on Linux on amd64 only';

const names = ['heap', 'allocs', 'block', 'mutex', 'threadcreate'] as const;
const source = readFileSync(resolve('test/live/programs/debug-text.go'), 'utf8');
let peersPath: string | undefined;
const peers = (): string => {
  peersPath ??= buildPeers(resolve('.cache/live'));
  return peersPath;
};

const pprof = await pprofCodec.create({ compression: 'gzip', level: 1 }, {} as never);

async function read(
  bytes: Uint8Array,
  period?: 'multiply' | 'applied',
): Promise<{ readonly profile: Profile; readonly warnings: readonly string[] }> {
  const warnings: string[] = [];
  const context = {
    limits: defaultLimits,
    warn: (code: string) => warnings.push(code),
    count() {},
  } as unknown as ItemContext;
  const codec =
    period === undefined
      ? pprof
      : await goroutineCodec.create({ labels: [], merge: true, contention_period: period }, {} as never);
  const profile = await codec.decode!(openInput(bytes, new Budget()), context);
  assert.deepEqual(checkProfile(profile), []);
  return { profile, warnings };
}

/** Each sample: values, `bytes` label, and stack, leaf first, as `0xaddress function file:line > …`; sorted. */
function samplesOf({ samples, locations, functions, strings, sampleTypes }: Profile): string[] {
  const { lines, lineStart } = locations;
  const name = (row: number) => stringAt(strings, row);
  const placeOf = (location: number) => {
    const rows = Array.from(
      { length: lineStart[location + 1]! - lineStart[location]! },
      (_, at) => lineStart[location]! + at,
    );
    const frames = rows.map((row) => {
      const called = lines.function[row]!;
      // Go's pprof has one file for each name, and every file of a package may have an init.
      // Text never shows type arguments.
      const text = name(functions.name[called]!).replace(/\[.*\]/, '[...]');
      const file = text.endsWith('.init') ? '' : name(functions.filename[called]!);
      return `${text} ${file}:${lines.line[row]}`;
    });
    return `0x${locations.address[location]!.toString(16)} ${frames.join(' > ')}`;
  };
  const places = Array.from({ length: locations.length }, (_, location) => placeOf(location));
  return Array.from({ length: samples.length }, (_, sample) => {
    const rows = samples.stackLocations.subarray(samples.stackStart[sample]!, samples.stackStart[sample + 1]!);
    const values = samples.values.subarray(sample * sampleTypes.length, (sample + 1) * sampleTypes.length);
    const labels = samples.labels.num.subarray(samples.labelStart[sample]!, samples.labelStart[sample + 1]!);
    return `${values.join()} {${labels.join()}} ${Array.from(rows, (row) => places[row]!).join(' < ')}`;
  }).sort();
}

/** Without what writing the first of the two forms allocated, and threads of which nothing is known. */
const isComparable = (sample: string) => !/^0,0,0,0 |\} $/.test(sample);

/**
 * Text does not name the runtime's functions above a thread's start. The pprof form of Go 1.27
 * has the zeros that its stack is filled up with. Where a stack of the heap has no others, pprof leaves out some of
 * them by what is at the return address, which may be something else that is inlined.
 */
function withoutHidden(sample: string, name: string): string {
  if (name === 'threadcreate')
    return sample.replaceAll(/(0x[0-9a-f]+) [^<]*/g, '$1 ').replaceAll(/(?:< )?0xf{16} /g, '');
  return / (?!runtime\.|internal\/runtime\/)[^ :]+ [^ ]*:\d+/.test(sample)
    ? sample
    : sample.slice(0, sample.indexOf(' 0x'));
}

/** What only one of them has. */
function differences(shown: readonly string[], wanted: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const sample of wanted) left.set(sample, (left.get(sample) ?? 0) + 1);
  for (const sample of shown) left.set(sample, (left.get(sample) ?? 0) - 1);
  return [...left]
    .filter(([, count]) => count !== 0)
    .map(([sample, count]) => `${count > 0 ? 'pprof' : 'text'} ${sample}`);
}

for (const version of ['1.16.15', ...goVersions(['1.19.13', '1.22.12', '1.27.2'])]) {
  const minor = Number(version.split('.')[1]);
  for (const fraction of [1, 5]) {
    test(`go${version}, 1 of ${fraction} contentions: text is read as google/pprof and Go do`, {
      skip: skip || noGo(version),
    }, async (t) => {
      const folder = temporaryFolder(t);
      const program = { 'go.mod': 'module waits\n\ngo 1.16\n', 'main.go': source };
      const { path } = buildGo({ version, architecture: 'amd64', program });
      execFileSync(path, [folder, String(fraction)], { env: { ...process.env, GODEBUG: 'memprofilerate=512' } });
      const questions: AgreeQuestion[] = [];
      const told: string[] = [];
      for (const name of names) {
        const [binary, text] = [0, 1].map((form) => readFileSync(join(folder, `${name}.${form}`))) as [Buffer, Buffer];
        const { profile, warnings } = await read(text, 'multiply');
        // google/pprof refuses a stack without addresses, as threads have in old versions.
        if (!/ @ ?$/m.test(text.toString()))
          questions.push(['t', text, Buffer.concat(await pprof.encode!(profile, {} as never))]);
        // Since Go 1.20 the runtime multiplies by itself.
        const isTwice = name === 'mutex' && fraction > 1 && minor >= 20;
        // Of few contentions counts may be multiples by chance.
        const counts = Array.from(text.toString().matchAll(/^\d+ (\d+) @/gm), ([, count]) => Number(count));
        const mayLookTwice = name === 'mutex' && fraction > 1 && counts.every((each) => each % fraction === 0);
        if (isTwice || !mayLookTwice) assert.deepEqual(warnings, isTwice ? ['period_twice'] : [], name);
        const [shown, wanted] = [
          isTwice ? (await read(text, 'applied')).profile : profile,
          (await read(binary)).profile,
        ].map((each) =>
          samplesOf(each)
            .map((sample) => withoutHidden(sample, name))
            .filter(isComparable),
        ) as [string[], string[]];
        assert.deepEqual(differences(shown, wanted), [], name);
        told.push(`${name} ${shown.length}`);
      }
      t.diagnostic(told.join(', '));
      assert.deepEqual(
        askPeers(peers(), questions),
        questions.map(() => 'ok'),
      );
    });
  }
}
