/** Call frame information of this system's own files, row by row against binutils' readelf. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { readdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Binary } from '../../core/binary/binary.js';
import { openBinary } from '../../core/binary/open.js';
import { registerFile } from '../../core/binary/unwind/registers.js';
import { EntryReader } from '../../core/formats/cfi/entry.js';
import { InstructionRunner } from '../../core/formats/cfi/instructions.js';
import { CFA_EXPRESSION, FOLLOWED_REGISTERS, RegisterRule, type UnwindRow } from '../../core/formats/cfi/row.js';
import { type PrintedFrame, parseFramesInterp } from '../helpers/frames-interp.js';
import { hasTool } from '../helpers/go-toolchain.js';
import { temporaryFolder } from '../helpers/temporary.js';

const skip = hasTool('readelf') ? false : 'NOT RUN: no readelf on this machine';
const skipArm64 =
  skip || (hasTool('clang') && hasTool('ld.lld') ? false : 'NOT RUN: no clang or no ld.lld on this machine');
const frames = fileURLToPath(new URL('../../../test/live/programs/unwind/frames.c', import.meta.url));
/** PROFPIPE_ELF_FOLDERS: more of them, separated by ":"; by default a few large and odd files. */
const folders = process.env.PROFPIPE_ELF_FOLDERS?.split(':') ?? [];
const files = ['libc.so.6', 'ld-linux-x86-64.so.2', 'libstdc++.so.6', 'libcrypto.so.3', 'libgcc_s.so.1']
  .map((name) => join('/usr/lib/x86_64-linux-gnu', name))
  .concat(folders.flatMap((folder) => readdirSync(folder, { recursive: true }).map((name) => join(folder, `${name}`))));

test('rows are those that readelf prints', { skip }, async (context) => {
  const seen = new Set<string>();
  let rows = 0;
  for (const path of files) {
    let real: string;
    let binary: Binary;
    try {
      real = realpathSync(path);
      if (seen.has(real) || !statSync(real).isFile()) continue;
      seen.add(real);
      binary = openBinary(real);
      if (binary.frames.faults.some(({ code }) => code === 'E_CFI_UNLINKED')) continue;
    } catch {
      continue;
    }
    rows += await compare(binary);
    binary.release();
  }
  context.diagnostic(`${seen.size} files, ${rows} rows`);
  assert.ok(rows > 0, 'nothing compared');
});

/** @returns rows compared */
async function compare(binary: Binary): Promise<number> {
  const names = registerNames(binary);
  if (names === undefined) return 0;
  const readers = new Map(
    binary.frames.sections.map((section) => [
      section.name,
      { reader: new EntryReader(section), runner: new InstructionRunner(section) },
    ]),
  );
  const readelf = spawn('nice', ['readelf', '--wide', '--debug-dump=frames-interp', binary.path], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let compared = 0;
  const lines: string[] = [];
  for await (const line of createInterface({ input: readelf.stdout })) lines.push(line);
  for (const frame of parseFramesInterp(lines)) {
    const place = `${binary.path} ${frame.section}+0x${frame.offset.toString(16)}`;
    const known = readers.get(frame.section);
    if (known === undefined) {
      // Compressed by an algorithm that is not read, say: the reader says so.
      assert.ok(binary.frames.faults.length > 0, place);
      continue;
    }
    const entry = known.reader.frameAt(frame.offset);
    assert.equal(BigInt(entry.start) + binary.imageBase, frame.start, place);
    assert.equal(BigInt(entry.start + entry.size) + binary.imageBase, frame.end, place);
    const own: string[] = [];
    known.runner.run(entry, (pc, row) => own.push(render(BigInt(pc) + binary.imageBase, row, frame, names)));
    if (frame.rows.length === 0) continue;
    const theirs = frame.rows.map(({ pc, cfa, cells }) => [pc.toString(16), cfa, ...cells].join(' '));
    assert.deepEqual(own, theirs, place);
    compared += own.length;
  }
  return compared;
}

function registerNames(binary: Binary): readonly string[] | undefined {
  const names = registerFile(binary.architecture)?.names;
  if (names === undefined) return undefined;
  return Array.from({ length: FOLLOWED_REGISTERS }, (_, number) => {
    const isVector = binary.architecture === 'arm64' && number >= 64;
    return names[number] ?? (isVector ? `v${number - 64}` : `r${number}`);
  });
}

/** A row as readelf writes it, with its columns; a register that has a rule and no column is put behind them. */
function render(pc: bigint, row: UnwindRow, { columns }: PrintedFrame, names: readonly string[]): string {
  const cell = (number: number): string => {
    const value = row.values[number]!;
    switch (row.rules[number]) {
      case RegisterRule.sameValue:
        return 's';
      case RegisterRule.offset:
        return `c${signed(value)}`;
      case RegisterRule.valueOffset:
        return `v${signed(value)}`;
      case RegisterRule.register:
        return names[value]!;
      case RegisterRule.expression:
        return 'exp';
      case RegisterRule.valueExpression:
        return 'vexp';
      default:
        return 'u';
    }
  };
  const cfa = row.cfaRegister === CFA_EXPRESSION ? 'exp' : `${names[row.cfaRegister]}${signed(row.cfaOffset)}`;
  const cells = columns.map((name) => cell(names.indexOf(name)));
  const others = [...row.rules.keys()].filter((number) => row.rules[number]! > 1 && !columns.includes(names[number]!));
  return [pc.toString(16), cfa, ...cells, ...others.map((number) => `${names[number]}=${cell(number)}`)].join(' ');
}

const signed = (value: number): string => (value < 0 ? `${value}` : `+${value}`);

test('rows of arm64 with signed return addresses', { skip: skipArm64 }, async (context) => {
  const here = temporaryFolder(context);
  let rows = 0;
  for (const optimization of ['-O0', '-O2']) {
    for (const protection of ['none', 'standard', 'pac-ret+leaf+b-key']) {
      const [object, library] = [join(here, 'frames.o'), join(here, `${optimization}-${protection}.so`)];
      const flags = [optimization, '-fPIC', '-funwind-tables', `-mbranch-protection=${protection}`];
      execFileSync('clang', ['--target=aarch64-linux-gnu', ...flags, '-c', frames, '-o', object]);
      execFileSync('ld.lld', ['-shared', object, '-o', library]);
      const binary = openBinary(library);
      assert.equal(binary.architecture, 'arm64');
      rows += await compare(binary);
      binary.release();
    }
  }
  context.diagnostic(`${rows} rows`);
  assert.ok(rows > 30, 'hardly anything compared');
});
