#!/usr/bin/env node
/**
 * `npm run gen:kernels`: compiles kernels/NAME to a module of WebAssembly, in base64 in a source beside its user.
 * `npm run gen:kernels -- --check` writes nothing and exits 1 when one is stale. The compiler comes from the registry of npm when it is
 * needed (100 MB, which no clone should pay for); where it cannot be had, NOT RUN.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Exact: another version gives other bytes. */
const compiler = 'assemblyscript@0.28.20';

/** Where each kernel's module goes. @type {Record<string, string>} */
const targets = {
  answers: 'core/cli/symbolize/kernel.gen.ts',
  cfi: 'core/binary/unwind/table-kernel.gen.ts',
  demangle: 'core/formats/demangle/kernel.gen.ts',
  dwarf: 'core/formats/dwarf/kernel.gen.ts',
  decode: 'plugins/codecs/pprof/decode-kernel.gen.ts',
  encode: 'plugins/codecs/pprof/encode-kernel.gen.ts',
  gopclntab: 'core/formats/gopclntab/kernel.gen.ts',
  merge: 'core/profile/merge/kernel.gen.ts',
  perf: 'plugins/codecs/perf/sample-kernel.gen.ts',
  symbols: 'core/formats/symbols/kernel.gen.ts',
  unwind: 'plugins/stages/unwind/kernel.gen.ts',
};

/** Those whose time is in branches, not in loops: functions that are put into each other only make them larger. */
const compact = new Set(['demangle']);

/** Runs the compiler, by the very npm that runs this script where it says which. */
function asc(...args) {
  const cli = process.env.npm_execpath;
  const [command, ...first] = cli?.endsWith('.js') ? [process.execPath, cli] : ['npm'];
  return spawnSync(command, [...first, 'exec', '--yes', `--package=${compiler}`, '--', 'asc', ...args], {
    cwd: join(root, 'kernels'),
    encoding: 'utf8',
  });
}

/** @throws Error with what the compiler says */
function compile(name, folder) {
  const file = join(folder, `${name}.wasm`);
  const optimized = [
    '--optimizeLevel',
    '3',
    '--shrinkLevel',
    compact.has(name) ? '1' : '0',
    '--converge',
    '--noAssert',
    '--enable',
    'simd',
  ];
  // No garbage collector and no allocator but kernels/memory.ts.
  const run = asc(`${name}/index.ts`, '--outFile', file, '--runtime', 'stub', ...optimized);
  if (run.status !== 0) throw new Error(`kernels/${name}: ${run.stdout}${run.stderr}`);
  return readFileSync(file);
}

function source(name, module) {
  return [
    `/** kernels/${name}, compiled: ${module.length} bytes. Written by \`npm run gen:kernels\`. */`,
    `export const ${name}Kernel =`,
    `  '${module.toString('base64')}';`,
    '',
  ].join('\n');
}

const check = process.argv.includes('--check');
const folder = mkdtempSync(join(tmpdir(), 'profpipe-kernels-'));
try {
  if (asc('--version').status !== 0) {
    console.log(`NOT RUN: kernels: ${compiler} cannot be had`);
    process.exitCode = check ? 0 : 1;
  } else {
    for (const [name, target] of Object.entries(targets)) {
      const path = join(root, target);
      const text = source(name, compile(name, folder));
      if (existsSync(path) && readFileSync(path, 'utf8') === text) continue;
      if (!check) writeFileSync(path, text);
      else process.exitCode = 1;
      console.log(`${target}: ${check ? 'stale; run `npm run gen:kernels`' : `written (${text.length} bytes)`}`);
    }
  }
} finally {
  rmSync(folder, { recursive: true });
}
