/**
 * Checks found in binaries of real Go versions, against llvm-objdump's disassembly of the same program with symbols (another decoder,
 * forwards) and against the compiler's own list of the bounds checks that it left (-d=ssa/check_bce).
 * PROFPIPE_GO_VERSIONS=all runs every version.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { listChecks } from '../../core/binary/checks/list-checks.js';
import { openBinary } from '../../core/binary/open.js';
import { checkTruth } from '../helpers/check-truth.js';
import { buildGo, goVersions, hasTool, noGo } from '../helpers/go-toolchain.js';
import { listFunctions } from '../helpers/objdump.js';

const few = ['1.22.12', '1.27.2'];
const architectures = ['amd64', 'arm64'] as const;
const program = process.env.PROFPIPE_TRUTH_PROGRAM ?? 'cmd/gofmt';
const noObjdump = hasTool('llvm-objdump') ? false : 'NOT RUN: no llvm-objdump on this machine';

type Role = 'jump' | 'compare' | 'load';
const roles: readonly Role[] = ['jump', 'compare', 'load'];

/** Absolute addresses by role. */
function marksOf(path: string): Map<Role, Set<number>> {
  const marks = new Map(roles.map((role) => [role, new Set<number>()]));
  for (const { role, address } of listChecks(openBinary(path))) marks.get(role)!.add(Number(address));
  return marks;
}

async function truthOf(path: string, architecture: 'amd64' | 'arm64'): Promise<Map<Role, Set<number>>> {
  const truth = new Map(roles.map((role) => [role, new Set<number>()]));
  for await (const listed of listFunctions(path)) {
    const { jumps, compares, nilLoads } = checkTruth(listed, architecture);
    for (const [role, addresses] of [
      ['jump', jumps],
      ['compare', compares],
      ['load', nilLoads],
    ] as const) {
      for (const address of addresses) truth.get(role)!.add(address);
    }
  }
  return truth;
}

const overlap = (a: ReadonlySet<number>, b: ReadonlySet<number>): number => [...a].filter((x) => b.has(x)).length;

/** Wanted shares of what is there that is found. */
const recall: { readonly [R in Role]: number } = { jump: 0.995, compare: 0.985, load: 0.999 };
const PRECISION = 0.999;

async function assertAgree(
  t: TestContext,
  plain: string,
  stripped: string,
  architecture: 'amd64' | 'arm64',
): Promise<void> {
  const marks = marksOf(stripped);
  assert.deepEqual(marksOf(plain), marks);
  const truth = await truthOf(plain, architecture);
  let right = 0;
  let all = 0;
  for (const role of roles) {
    const there = truth.get(role)!;
    const found = marks.get(role)!;
    const both = overlap(found, there);
    right += both;
    all += found.size;
    t.diagnostic(`${role}: ${both} of ${there.size} found, ${found.size - both} wrong`);
    assert.ok(there.size > 100, `${there.size} ${role}s in the program`);
    assert.ok(both / there.size >= recall[role], `${role}: ${both} of ${there.size}`);
  }
  assert.ok(right / all >= PRECISION, `${right} of ${all} marks are right`);
}

const programFile = (name: string): string =>
  readFileSync(new URL(`../../../test/live/programs/${name}`, import.meta.url), 'utf8');
const shapes = { 'shapes.go': programFile('shapes.go') };

/** Lines of shapes.go with a bounds check, by the frame whose code it is. */
function checkedLines(path: string): number[] {
  const binary = openBinary(path);
  const lines = new Set<number>();
  for (const { role, kind, address } of listChecks(binary, /^main\./)) {
    const frame = binary.go!.frames(Number(address - binary.imageBase)).at(-1)!;
    if (kind === 'boundcheck' && role === 'jump' && frame.file.endsWith('shapes.go')) lines.add(frame.line);
  }
  return [...lines].sort((a, b) => a - b);
}

const strip = ['-ldflags=-s -w'];

for (const version of goVersions(few)) {
  for (const architecture of architectures) {
    const on = `go${version} ${architecture}`;
    const build = { version, architecture };

    test(`${on}: checks of a stripped ${program} are those that its symbols and disassembly show`, {
      skip: noObjdump || noGo(version),
    }, async (t) => {
      const plain = buildGo({ ...build, program });
      const stripped = buildGo({ ...build, program, flags: strip });
      await assertAgree(t, plain.path, stripped.path, architecture);
    });

    test(`${on}: checks are on the lines where the compiler says that it left one`, { skip: noGo(version) }, () => {
      const built = buildGo({ ...build, program: shapes, flags: ['-gcflags=-d=ssa/check_bce/debug=1'] });
      const said = built.messages.matchAll(/shapes\.go:(\d+):\d+: Found Is(?:Slice)?InBounds/g);
      const lines = [...new Set(Array.from(said, ([, line]) => Number(line)))].sort((a, b) => a - b);
      assert.ok(lines.length > 30, `${lines.length} lines with checks`);
      assert.deepEqual(checkedLines(built.path), lines);
    });

    const noB = on === 'go1.17.13 arm64' ? 'NOT RUN: this compiler crashes on internal/abi with -B' : noGo(version);
    test(`${on}: a program without bounds checks (-B) has nil checks only`, { skip: noB }, () => {
      const marks = marksOf(buildGo({ ...build, program: shapes, flags: ['-gcflags=all=-B', ...strip] }).path);
      assert.equal(marks.get('jump')!.size + marks.get('compare')!.size, 0);
      assert.ok(marks.get('load')!.size > 100);
    });

    test(`${on}: a position-independent program has the same checks found`, {
      skip: noObjdump || noGo(version),
    }, async (t) => {
      const flags = ['-buildmode=pie'];
      const plain = buildGo({ ...build, program: shapes, flags });
      const stripped = buildGo({ ...build, program: shapes, flags: [...flags, ...strip] });
      await assertAgree(t, plain.path, stripped.path, architecture);
    });
  }

  const noCgo = hasTool('gcc') && process.arch === 'x64' ? noObjdump : 'NOT RUN: no gcc for amd64 on this machine';
  test(`go${version} amd64: C code linked in has no checks, the Go code around it all`, {
    skip: noCgo || noGo(version),
  }, async (t) => {
    const withC = {
      version,
      architecture: 'amd64',
      cgo: true,
      program: { ...shapes, 'trap.go': programFile('trap.go') },
    } as const;
    const plain = buildGo(withC);
    await assertAgree(t, plain.path, buildGo({ ...withC, flags: strip }).path, 'amd64');
    const loads = marksOf(plain.path).get('load')!;
    const traps = [];
    for await (const { name, instructions } of listFunctions(plain.path)) {
      if (name === 'trap') traps.push(...instructions.filter(({ operands }) => /^%al, \(/.test(operands)));
    }
    assert.equal(traps.length, 1);
    assert.ok(!loads.has(traps[0]!.address));
  });
}
