/**
 * C programs for macOS, built by clang and LLVM's linker: debug information in a bundle that dsymutil makes, the slices of a universal
 * file; against llvm-symbolizer.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createBinaryStore } from '../../core/binary/file-store.js';
import { openBinary } from '../../core/binary/open.js';
import { ProfileBuilder } from '../../core/profile/edit/builder.js';
import { chainAnswers } from '../helpers/agreement.js';
import { hasTool } from '../helpers/go-toolchain.js';
import { buildFat } from '../helpers/macho.js';
import { findSymbolizers, type PeerAnswer } from '../helpers/symbolizers.js';
import { temporaryFolder, writeInto } from '../helpers/temporary.js';
import { codeAddresses } from '../helpers/text-addresses.js';

const llvm = findSymbolizers().find(({ name }) => name === 'llvm-symbolizer');
const missing = ['clang', 'ld.lld', 'dsymutil'].filter((tool) => !hasTool(tool));
const noLlvm = llvm === undefined ? 'NOT RUN: no llvm-symbolizer on this machine' : false;
const skip = missing.length > 0 ? `NOT RUN: no ${missing.join(', ')} on this machine` : noLlvm;

const ADDRESSES = 12_000;
const FUNCTIONS = 340;
/** Of a mapping: not where the file asks to be. */
const LOADED_AT = 0x1_0bad_0000n;
const cpus = { x86_64: 0x0100_0007, arm64: 0x0100_000c } as const;
type Cpu = keyof typeof cpus;

/** Functions with calls inlined in two layers, without headers: this machine has not those of macOS. */
function source(): string {
  const numbers = Array.from({ length: FUNCTIONS }, (_, number) => number);
  const functions = numbers.map(
    (n) => `
static inline __attribute__((always_inline)) long leaf${n}(long x) {
  sink = x + ${n};
  return x * ${(n % 7) + 3};
}
static inline __attribute__((always_inline)) long middle${n}(long x) {
  for (long at = 0; at < x; at++)
    sink += leaf${n}(at);
  return leaf${n}(x) + sink;
}
__attribute__((noinline)) long outer${n}(long x) {
  if (x > ${n}) return middle${n}(x) + 1;
  return leaf${n}(x - 1);
}`,
  );
  const sum = numbers.map((n) => `outer${n}(count)`).join(' +\n    ');
  return `static volatile long sink;${functions.join('')}\nint main(int count, char **words) {\n  return ${sum};\n}\n`;
}

/** @returns path of the program, beside which its bundle lies */
function build(t: TestContext, cpu: Cpu, flags: readonly string[]): string {
  const folder = temporaryFolder(t);
  writeInto(folder, 'program.c', source());
  const target = `--target=${cpu}-apple-macos11`;
  execute('clang', [target, '-g', ...flags, '-c', 'program.c'], folder);
  execute('clang', [target, '-fuse-ld=lld', '-nostdlib', '-Wl,-e,_main', 'program.o', '-o', 'program'], folder);
  execute('dsymutil', ['program'], folder);
  return join(folder, 'program');
}

function execute(command: string, args: readonly string[], folder: string): void {
  const { status, stderr, error } = spawnSync(command, args, { cwd: folder, encoding: 'utf8' });
  assert.equal(status, 0, `${command} ${args.join(' ')}: ${error?.message ?? stderr}`);
}

/** Of the linker's names the underscore is left away here, and the file's header is no function. */
function askLlvm(path: string, addresses: readonly bigint[]): PeerAnswer[] {
  return llvm!.ask(path, addresses).map((answer) => {
    const frames = answer.map(([name, ...place]) => [name.replace(/^_/, ''), ...place] as const);
    return frames.filter(([name]) => name !== 'mh_execute_header');
  });
}

// Not DWARF 5, whose names dsymutil 14 mixes up.
for (const cpu of ['x86_64', 'arm64'] as const) {
  for (const flags of ['-O0', '-O2', '-Os -gdwarf-2']) {
    test(`${cpu}, ${flags}: frames by the bundle of dsymutil are those of llvm-symbolizer`, { skip }, (t) => {
      const path = build(t, cpu, flags.split(' '));
      const binary = openBinary(path);
      t.after(() => binary.release());
      const addresses = codeAddresses(binary, ADDRESSES);
      const answers = chainAnswers(binary, addresses);
      assert.deepEqual(answers, askLlvm(path, addresses));
      const inlined = answers.filter((frames) => frames.length > 1).length;
      t.diagnostic(`${addresses.length} addresses, ${inlined} in inlined calls`);
      assert.ok(addresses.length > 0.75 * ADDRESSES);
      if (flags !== '-O0') assert.ok(inlined > 1000);
    });
  }
}

test('of a universal file each profile gets its own slice, by UUID or by place', { skip }, (t) => {
  const thin = (['x86_64', 'arm64'] as const).map((cpu) => ({ cpu, path: build(t, cpu, ['-O2']) }));
  const slices = thin.map(({ cpu, path }) => ({ cpu: cpus[cpu], bytes: readFileSync(path) }));
  const path = writeInto(temporaryFolder(t), 'program', buildFat(slices));
  const store = createBinaryStore();
  t.after(() => store.close());
  store.add([path]);
  let sliceStart = 8 + 20 * slices.length;
  thin.forEach(({ path: thinPath }, row) => {
    const own = openBinary(thinPath);
    t.after(() => own.release());
    const text = own.segments.find(({ executable }) => executable)!;
    const addresses = codeAddresses(own, ADDRESSES / 10);
    const names = askLlvm(thinPath, addresses).map((frames) => frames.at(-1)?.[0]);
    for (const buildId of [own.gnuBuildId!, uuid(own.gnuBuildId!), '']) {
      const builder = new ProfileBuilder({ sampleTypes: [] });
      const memoryLimit = LOADED_AT + BigInt(text.memoryBytes);
      const fileOffset = BigInt(sliceStart + text.fileOffset);
      builder.addMapping({ memoryStart: LOADED_AT, memoryLimit, fileOffset, filename: '/Users/me/program', buildId });
      const mapped = store.forMapping(builder.finish(), 0);
      assert.ok(mapped.binary);
      assert.equal(mapped.binary.architecture, own.architecture);
      const slid = addresses.map((address) => mapped.toObjectAddress(address - own.imageBase + LOADED_AT));
      const found = chainAnswers(
        mapped.binary,
        slid.map((address) => own.imageBase + BigInt(address!)),
      );
      // The bundles lie beside the thin files: here are the symbols only.
      assert.deepEqual(
        found.map((frames) => frames.at(-1)?.[0]),
        names,
      );
    }
    sliceStart += slices[row]!.bytes.length;
  });
});

const uuid = (hex: string) => hex.toUpperCase().replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
