/** Code that a program makes, unwound by the call frame information of its own jitdump, and its lines. Peer: `perf inject --jit`. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createBinaryStore } from '../../core/binary/file-store.js';
import { openBinary } from '../../core/binary/open.js';
import { SymbolChain } from '../../core/binary/symbols/chain.js';
import { createContext } from '../../core/engine/tasks/create-context.js';
import { readDumps } from '../../plugins/codecs/perf/read-dumps.js';
import { hasTool } from '../helpers/go-toolchain.js';
import { canRecord, record } from '../helpers/perf-tool.js';
import { temporaryFolder } from '../helpers/temporary.js';
import { type UnwoundSample, unwoundSamples } from '../helpers/unwound.js';

const source = fileURLToPath(new URL('../../../test/live/programs/unwind/jitdump.c', import.meta.url));
const hasAll = hasTool('perf') && hasTool('gcc') && process.arch === 'x64' && canRecord('-k', 'mono');
const skip = hasAll ? false : 'NOT RUN: no perf, which may record with CLOCK_MONOTONIC, or no gcc, or not x86-64';
const MOST_RECORDINGS = 10;

/** What the program does; the moved function is called by no other that was made. */
const CHAINS = ['made_leaf;made_caller;run;main', 'made_leaf;run;main', 'made_later;run;main'];

const chainOf = ({ frames }: UnwoundSample) =>
  frames
    .map(({ name }) => name)
    .filter((name) => /^(made_.*|run|main)$/.test(name))
    .join(';');

test('made code is walked through by its own call frame information, moved or not, and has its lines', {
  skip,
}, async (t) => {
  const program = join(temporaryFolder(t), 'jit');
  execFileSync('gcc', ['-O2', '-g', '-fomit-frame-pointer', source, '-o', program]);
  for (let recordings = 1; ; recordings++) {
    const here = temporaryFolder(t);
    const options = ['-k', 'mono', '-e', 'cpu-clock', '-F', '2000', '--call-graph', 'dwarf,4096'];
    record(here, options, ['env', '-C', here, program, String(100 * recordings)]);
    const path = join(here, 'perf.data');
    const made = readDumps([here], createContext(createBinaryStore(), {}, new AbortController().signal));
    const samples = await unwoundSamples(path, {}, made);
    const ofMade = samples.filter(({ frames }) => frames[0]?.name.startsWith('made_'));
    const isAllSeen = CHAINS.every((chain) => ofMade.some((sample) => chainOf(sample) === chain));
    if (!isAllSeen && recordings < MOST_RECORDINGS) continue;
    for (const sample of ofMade) {
      assert.ok(CHAINS.includes(chainOf(sample)), chainOf(sample));
      assert.equal(sample.ending, 'root', chainOf(sample));
    }
    assert.ok(isAllSeen, `${ofMade.length} of ${samples.length} samples in made code`);
    checkLines(here, ofMade);
    // Else it leaves a copy of each function in the user's own cache.
    const inject = ['--buildid-dir', join(here, 'cache'), 'inject', '--jit', '-i', path, '-o', join(here, 'injected')];
    execFileSync('perf', inject, { stdio: 'ignore', cwd: here });
    const injected = await unwoundSamples(join(here, 'injected'));
    assert.deepEqual(samples.map(chainOf), injected.map(chainOf));
    t.diagnostic(`${ofMade.length} of ${samples.length} samples in made code`);
    return;
  }
});

/** The program says that each function's work begins at the next line of its first. */
function checkLines(folder: string, samples: readonly UnwoundSample[]): void {
  const name = readdirSync(folder).find((file) => file.startsWith('jit-'));
  assert.ok(name, 'the program wrote no dump');
  const binary = openBinary(join(folder, name));
  const chain = new SymbolChain(binary, (system) => system);
  const seen = new Set<string>();
  for (const { frames } of samples) {
    for (const { file, address } of frames) {
      if (!file.endsWith(name)) continue;
      const { frames: found } = chain.lookup(address);
      assert.ok(found, `nothing at ${address}`);
      seen.add(found.map(({ function: function_, file, line }) => `${function_} ${file}:${line}`).join());
    }
  }
  binary.release();
  const ofWork = ['made_leaf /src/made.lang:11', 'made_caller /src/made.lang:21', 'made_later /src/made.lang:31'];
  for (const place of ofWork) assert.ok(seen.has(place), `${place} not in ${[...seen].join('; ')}`);
  for (const place of seen) assert.match(place, /^made_(leaf .*:1|caller .*:2|later .*:3)[012]$/);
}
