/**
 * Checks found in binaries of real Go versions, against llvm-objdump's disassembly of the same program with symbols (another decoder,
 * forwards) and against the compiler's own list of the bounds checks that it left (-d=ssa/check_bce).
 * PROFPIPE_GO_VERSIONS=all runs every version.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listChecks } from '../../core/binary/checks/list-checks.js';
import { openBinary } from '../../core/binary/open.js';
import { checkTruth } from '../helpers/check-truth.js';
import { buildGo, goVersions, hasTool } from '../helpers/go-toolchain.js';
import { listFunctions } from '../helpers/objdump.js';

const few = ['1.22.12', '1.27.2'];
const architectures = ['amd64', 'arm64'] as const;
const program = process.env.PROFPIPE_TRUTH_PROGRAM ?? 'cmd/gofmt';
const noGo = hasTool('go') ? false : 'NOT RUN: no go on this machine';
const noObjdump = hasTool('llvm-objdump') ? noGo : 'NOT RUN: no llvm-objdump on this machine';

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

for (const version of goVersions(few)) {
  for (const architecture of architectures) {
    test(`go${version} ${architecture}: checks of a stripped ${program} are those that its symbols and disassembly show`, {
      skip: noObjdump,
    }, async (t) => {
      const plain = buildGo({ version, architecture, program });
      const stripped = buildGo({ version, architecture, program, flags: ['-ldflags=-s -w'] });
      const marks = marksOf(stripped.path);
      assert.deepEqual(marksOf(plain.path), marks);
      const truth = await truthOf(plain.path, architecture);
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
    });
  }
}
