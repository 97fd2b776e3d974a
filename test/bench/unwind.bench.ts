/**
 * What unwinding takes in one worker, and a library's table: of a recording that is made here, or of another one,
 * `node dist/test/bench/unwind.bench.js PERF.DATA` (of `perf record --call-graph dwarf`). CPU time, since the machine may be busy.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createBinaryStore } from '../../core/binary/file-store.js';
import { openBinary } from '../../core/binary/open.js';
import { openTables, tableRows } from '../../core/binary/unwind/table-rows.js';
import { TableCache } from '../../plugins/stages/unwind/binary-tables.js';
import { unwind } from '../../plugins/stages/unwind/unwind.js';
import { decodePerf } from '../helpers/perf-decode.js';
import { record } from '../helpers/perf-tool.js';
import { median } from './measure.js';

const ROUNDS = 15;
const WANTED_PER_SECOND = 100_000;
const TABLE_LIMIT_MS = 100;
const source = fileURLToPath(new URL('../../../test/live/programs/unwind/chains.c', import.meta.url));

function recordHere(): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), 'profpipe-bench-'));
  const program = join(folder, 'chains');
  execFileSync('gcc', ['-O2', '-g', '-fomit-frame-pointer', source, '-o', program]);
  record(folder, ['-m', '16M', '-e', 'cpu-clock', '-F', '5000', '--call-graph', 'dwarf,16384'], [program, '1500']);
  const bytes = readFileSync(join(folder, 'perf.data'));
  // The program stays until the end: its tables are read.
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return bytes;
}

function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const given = process.argv[2];
const { parts } = await decodePerf(given === undefined ? recordHere() : readFileSync(given));
const binaries = createBinaryStore({});
const cache = new TableCache();
let samples = 0;
let frames = 0;
const times = Array.from({ length: ROUNDS }, () =>
  cpuMs(() => {
    samples = 0;
    frames = 0;
    for (const part of parts) {
      const { report } = unwind(part, binaries, cache, { depth: 1024, truncated: false, audit: false });
      samples += report.stacks;
      frames += report.frames.go + report.frames.cfi + report.frames.frame_pointer;
    }
  }),
);
const perSecond = (ms: number) => Math.round((1000 * samples) / ms).toLocaleString('en');
console.log(`${samples} stacks of ${(1 + frames / samples).toFixed(1)} frames; load ${loadavg()[0]!.toFixed(1)}`);
console.log(`tables cold   ${perSecond(times[0]!).padStart(9)} stacks/s`);
console.log(
  `tables warm   ${perSecond(median(times.slice(5))).padStart(9)} stacks/s   wanted ${WANTED_PER_SECOND.toLocaleString('en')}`,
);
binaries.close();

const libc = '/usr/lib/x86_64-linux-gnu/libc.so.6';
const rows: number[] = [];
const tableTimes = Array.from({ length: ROUNDS }, () => {
  const binary = openBinary(libc);
  const ms = cpuMs(() => {
    for (const table of openTables(binary).tables) rows.push([...tableRows(table)].length);
  });
  binary.release();
  return ms;
});
console.log(
  `table of ${libc}, ${rows[0]} rows: first ${tableTimes[0]!.toFixed(0)} ms, then ${median(tableTimes).toFixed(0)} ms   limit ${TABLE_LIMIT_MS} ms`,
);
