/**
 * Keeps the code that V8 makes of the program while it does what it mostly does: load.mjs gives it back to V8 at every start. A process of
 * its own, started by bundle.mjs; it prints what the calls print.
 */
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { codeFile, LINE_BYTES, maker, scripts, sum } from '../../dist/chunks/load.js';
import { listenForSignals } from '../../dist/core/cli/signals.js';

const samples = fileURLToPath(new URL('../../pipelines/samples', import.meta.url));
const out = mkdtempSync(join(tmpdir(), 'profpipe-code-'));

const profile = join(samples, 'cpu.pb.gz');

/** A pipeline with a plugin by others. */
const others = join(out, 'others.yml');
writeFileSync(
  join(out, 'others.mjs'),
  `export default { kind: 'stage', name: 'others', version: '1.0.0', api: '^1.0.0', summary: 'does nothing',
  schema: { type: 'object', additionalProperties: false }, create: () => ({ process: (profile) => profile }) };`,
);
writeFileSync(
  others,
  `plugins: [./others.mjs]
input: { file: { paths: [${JSON.stringify(profile)}] } }
stages: [others: {}]
output: [file: { path: others.pb.gz }]`,
);
const calls = [
  ['--help'],
  ['run', 'enrich.yml', '--set', `out=${out}`],
  ['run', 'perf.yml', '--set', `out=${out}`],
  ['run', 'stackspace.yml', '--set', `out=${out}`],
  ['run', 'merge.yml', '--workers', '1', '--set', `profiles=${profile}`, '--set', `out=${join(out, 'merged.pb.gz')}`],
  ['profile', 'top', profile],
  ['binary', 'symbolize', join(samples, 'service'), '0x48a1c0'],
  ['run', others, '--in-process'],
  ['lint', 'enrich.yml'],
];

// Else V8 drops the code of functions that were not called for a while. Put back as it was: V8 takes no code of other flags.
setFlagsFromString('--no-flush-bytecode');
const { main } = await import('../../dist/core/cli/main.js');
const listening = listenForSignals();
try {
  for (const call of calls) {
    const exitCode = await main(call, listening);
    if (exitCode !== 0) throw new Error(`pipe ${call.join(' ')}: exit code ${exitCode}`);
  }
} finally {
  listening.stop();
  rmSync(out, { recursive: true });
}
setFlagsFromString('--flush-bytecode');

const codes = [];
const chunks = [...scripts].map(([path, script]) => {
  const code = script.createCachedData();
  codes.push(code);
  return [path, code.length, sum(readFileSync(new URL(path, codeFile)), code)];
});
const line = Buffer.from(`${JSON.stringify({ maker: maker(), chunks })}\n`);
if (line.length > LINE_BYTES) throw new Error(`the list of ${chunks.length} chunks is too long: ${line.length} bytes`);
const unfinished = new URL(`${codeFile}.tmp`);
writeFileSync(unfinished, Buffer.concat([line, ...codes]));
renameSync(unfinished, codeFile);
