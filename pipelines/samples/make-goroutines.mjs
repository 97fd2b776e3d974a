#!/usr/bin/env node
/**
 * Makes the embedded goroutine dump again: builds server with Go 1.27.2, runs it, stores its answer to debug=2. Takes somewhat more
 * than a minute, so that goroutines have waited for one.
 *
 *     node pipelines/samples/make-goroutines.mjs [--out FILE]
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const here = fileURLToPath(new URL('.', import.meta.url));
const { values } = parseArgs({ options: { out: { type: 'string', default: join(here, 'goroutines.txt') } } });

const folder = mkdtempSync(join(tmpdir(), 'profpipe-sample-'));
try {
  const program = join(folder, 'server');
  // Files are named by package, so the dump tells nothing of this machine.
  const env = { ...process.env, GOTOOLCHAIN: 'go1.27.2', GOFLAGS: '-trimpath', GOWORK: 'off', CGO_ENABLED: '0' };
  execFileSync('go', ['build', '-buildvcs=false', '-o', program, '.'], { cwd: join(here, 'server'), env });
  const dump = execFileSync(program, { maxBuffer: 2 ** 26 });
  writeFileSync(values.out, dump);
  process.stderr.write(`${values.out}: ${dump.length} bytes\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
