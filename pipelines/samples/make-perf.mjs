#!/usr/bin/env node
/**
 * Makes the embedded recording again: runs `service` under `perf record`, with stacks captured, and stores what came through the pipe.
 * Wants Linux on amd64, perf with zstd, and the right to record.
 *
 *     node pipelines/samples/make-perf.mjs [--out FILE] [--seconds N]
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const here = fileURLToPath(new URL('.', import.meta.url));
const { values } = parseArgs({
  options: { out: { type: 'string', default: join(here, 'perf.data') }, seconds: { type: 'string', default: '4' } },
});

// Below the system's temporary folder: the path goes into the recording, and should not be a user's.
const folder = join(tmpdir(), 'profpipe-sample');
mkdirSync(folder, { recursive: true });
const program = join(folder, 'service');
copyFileSync(join(here, 'service'), program);
const record = ['record', '-q', '-o', '-', '-z9', '-e', 'cpu-clock:u', '-F', '60', '--call-graph', 'dwarf,4096'];
const recording = execFileSync('perf', [...record, '--', program, '-seconds', values.seconds], {
  stdio: ['ignore', 'pipe', 'ignore'],
  maxBuffer: 2 ** 28,
});
// At the path that the recording names it would be found, whatever binary is given.
rmSync(program);

/** Of PERF_RECORD_HEADER_FEATURE, which says all about the machine, only its architecture and the names of events are kept. */
const FEATURE = 80;
const keptFeatures = new Set([6, 12]);
const HEADER_BYTES = 16;
const kept = [recording.subarray(0, HEADER_BYTES)];
for (let at = HEADER_BYTES; at < recording.length; ) {
  const size = recording.readUInt16LE(at + 6);
  const record = recording.subarray(at, at + size);
  if (record.readUInt32LE(0) !== FEATURE || keptFeatures.has(record.readUInt32LE(8))) kept.push(record);
  at += size;
}
writeFileSync(values.out, Buffer.concat(kept));
process.stderr.write(`${values.out}: ${Buffer.concat(kept).length} bytes\n`);
