#!/usr/bin/env node
/**
 * Makes the embedded goroutine profile again: builds broker with Go, stores the program and the profile that it takes of itself. Wants
 * Go ≥ 1.26, Linux on amd64.
 *
 *     node pipelines/samples/make-stackspace.mjs [--out FOLDER]
 *
 * Prints what the runtime held for stacks then: values for `--set stacks_bytes` and `--set threads`.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { brotliCompressSync, constants } from 'node:zlib';

const here = fileURLToPath(new URL('.', import.meta.url));
const { values } = parseArgs({ options: { out: { type: 'string', default: here } } });

// Below the system's temporary folder: the path goes into the profile, and should not be a user's.
const folder = join(tmpdir(), 'profpipe-sample');
mkdirSync(folder, { recursive: true });
mkdirSync(values.out, { recursive: true });
const program = join(folder, 'broker');
const env = { ...process.env, GOOS: 'linux', GOARCH: 'amd64', GOAMD64: 'v1', CGO_ENABLED: '0', GOFLAGS: '-trimpath' };
execFileSync('go', ['build', '-buildvcs=false', '-ldflags=-s -w', '-o', program, '.'], {
  cwd: join(here, 'broker-src'),
  env,
});
process.stdout.write(execFileSync(program, [join(values.out, 'goroutine.pb.gz')]));
const executable = readFileSync(program);
// At the path that the profile names it would be found, whatever binary is given.
rmSync(program);
const params = { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: executable.length };
writeFileSync(join(values.out, 'broker.br'), brotliCompressSync(executable, { params }));
