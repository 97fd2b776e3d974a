/** Code that the JVM made, by its perf map: names and callers as `perf script` has them. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { SymbolChains } from '../../core/binaries.js';
import { createBinaryStore } from '../../core/binary/file-store.js';
import { createContext } from '../../core/engine/tasks/create-context.js';
import { NO_ROW, type Profile, stringAt } from '../../core/index.js';
import { readRuntimeNames } from '../../plugins/stages/symbolize/runtime-names.js';
import { symbolize } from '../../plugins/stages/symbolize/symbolize.js';
import { hasTool } from '../helpers/go-toolchain.js';
import { decodePerf } from '../helpers/perf-decode.js';
import { canRecord, record } from '../helpers/perf-tool.js';
import { temporaryFolder } from '../helpers/temporary.js';

const source = fileURLToPath(new URL('../../../test/live/programs/Hot.java', import.meta.url));
const skip = !(hasTool('perf') && canRecord())
  ? 'NOT RUN: no perf on this machine, or it may not record'
  : !(hasTool('java') && hasTool('javac')) && 'NOT RUN: no java or no javac on this machine';
/** Its code keeps frame pointers, and it says at its end where which function is. */
const FLAGS = ['-XX:+PreserveFramePointer', '-XX:+UnlockDiagnosticVMOptions', '-XX:+DumpPerfMapAtExit'] as const;
/** Those that may call a function; `Interpreter` is all of what is not compiled. */
const CALLERS: { readonly [name: string]: RegExp } = {
  'double Hot.leaf(int)': /^(double Hot\.middle\(int\)|Interpreter)$/,
  'double Hot.middle(int)': /^(void Hot\.main\(java\.lang\.String\[\]\)|Interpreter)$/,
  'int Hot.mixed(int[])': /^(void Hot\.main\(java\.lang\.String\[\]\)|Interpreter)$/,
};

/** Names of a stack's frames, leaf first: of those that have one, and are of code that the JVM made. */
type Names = readonly string[];

/** What perf has out of the map, a list a sample. */
function printedNames(path: string): Names[] {
  const args = ['script', '-i', path, '--no-inline', '-F', 'ip,sym,dso'];
  const text = execFileSync('perf', args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 2 ** 28,
  });
  const frame = /^\s*[0-9a-f]+ (.*) \(\/tmp\/perf-\d+\.map\)$/gm;
  return text
    .split(/\n\s*\n/)
    .map((sample) => Array.from(sample.matchAll(frame), ([, name]) => name!).filter((name) => name !== '[unknown]'));
}

function namesOf({ samples, locations, mappings, functions, strings }: Profile): Names[] {
  const nameOf = (location: number): string[] => {
    const mapping = locations.mapping[location]!;
    const isMade = mapping === NO_ROW || stringAt(strings, mappings.filename[mapping]!) === '//anon';
    const line = locations.lineStart[location]!;
    if (!isMade || line === locations.lineStart[location + 1]) return [];
    return [stringAt(strings, functions.name[locations.lines.function[line]!]!)];
  };
  return Array.from({ length: samples.length }, (_, sample) => {
    const rows = samples.stackLocations.subarray(samples.stackStart[sample]!, samples.stackStart[sample + 1]!);
    return Array.from(rows).flatMap(nameOf);
  });
}

const linesOf = (stacks: readonly Names[]): string[] =>
  stacks.filter(({ length }) => length > 0).map((names) => names.join(' <- '));

/** Lines of one list that the other has not, and the other way round, each as often. */
function unmatched(a: readonly string[], b: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const line of a) counts.set(line, (counts.get(line) ?? 0) + 1);
  for (const line of b) counts.set(line, (counts.get(line) ?? 0) - 1);
  return [...counts].flatMap(([line, count]) => new Array<string>(Math.abs(count)).fill(line));
}

test('functions that the JVM compiled, and who called them', { skip }, async (context) => {
  if (spawnSync('java', [...FLAGS, '-version'], { stdio: 'ignore' }).status !== 0) {
    return context.skip('NOT RUN: this java writes no perf map');
  }
  const here = temporaryFolder(context);
  execFileSync('javac', ['-d', here, source]);
  const command = ['java', ...FLAGS, '-XX:CompileCommand=quiet', '-XX:CompileCommand=dontinline,Hot::*', '-cp', here];
  const bytes = record(here, ['-e', 'cpu-clock', '-F', '1000', '-g'], [...command, 'Hot', '3000']);
  const { parts } = await decodePerf(bytes, { labels: ['pid'], kernel: false });
  const [profile] = parts;
  assert.ok(profile !== undefined && parts.length === 1);
  const map = `/tmp/perf-${profile.samples.labels.num[0]}.map`;
  context.after(() => rmSync(map, { force: true }));

  const binaries = createBinaryStore({});
  const stage = createContext(binaries, {}, new AbortController().signal);
  const sources = {
    binaries,
    chains: new SymbolChains('simple'),
    runtimeNames: readRuntimeNames({ perf_maps: [map] }, stage),
  };
  const stacks = namesOf(symbolize(profile, sources, false).profile);
  binaries.close();

  const ours = linesOf(stacks);
  assert.ok(ours.length > 50, `${ours.length} stacks in code that the JVM made`);
  const other = unmatched(ours, linesOf(printedNames(join(here, 'perf.data'))));
  // perf looks up the address behind a call, which may be in the next function.
  assert.ok(
    other.length <= 0.01 * ours.length,
    `${other.length} of ${ours.length} stacks: ${other.slice(0, 5).join('\n')}`,
  );
  const calls = stacks.flatMap((names) => names.slice(0, -1).map((name, at) => [name, names[at + 1]!] as const));
  const known = calls.filter(([name]) => CALLERS[name] !== undefined);
  const wrong = known.filter(([name, caller]) => !CALLERS[name]!.test(caller));
  context.diagnostic(
    `${other.length} of ${ours.length} stacks not as perf has them; of ${known.length} calls ${wrong.length} of others`,
  );
  // A function that has only begun has no frame yet: its caller's caller takes the caller's place.
  assert.ok(wrong.length <= 0.02 * known.length, wrong.slice(0, 5).join('\n'));
  for (const name of Object.keys(CALLERS))
    assert.ok(
      known.some(([seen]) => seen === name),
      `${name} was not seen`,
    );
});
