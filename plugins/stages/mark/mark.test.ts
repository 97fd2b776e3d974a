import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type BinaryStore,
  checkProfile,
  type MappedBinary,
  NO_ROW,
  type Profile,
  ProfileBuilder,
  stringAt,
} from '../../../core/index.js';
import type { MarkOptions } from '../../../schemas/gen/options/mark.js';
import { drawnBinary } from '../../../test/helpers/machine-code.js';
import { stacksOf } from '../../../test/helpers/profiles.js';
import { CheckIndex } from './check-index.js';
import { markProfile } from './mark.js';
import type { MarkReport } from './report.js';

const LOAD_BASE = 0x5555_0000_0000n;

/** main.work checks an index and a pointer; asyncPreempt is there to be found by its address. */
const work = drawnBinary('amd64', [
  {
    name: 'main.work',
    file: 'work.go',
    code: `
      nil:
        8400             # test [rax], al
      afterNil:
        488b08           # mov rcx, [rax]
      compare:
        4839c8           # cmp rax, rcx
      jump:
        jae panic
      afterJump:
        488b04c3         # mov rax, [rbx+rax*8]
        c3
      panic:
        call runtime.panicSliceB`,
  },
  { name: 'runtime.panicSliceB', file: 'asm_amd64.s', code: 'c3' },
  { name: 'runtime.asyncPreempt', file: 'preempt_amd64.s', code: 'start:\n9c\nc3' },
]);

const address = (label: string) => LOAD_BASE + BigInt(work.at(0, label));

/** The binary for mapping row 0 and for none; other mappings have none. */
const store: BinaryStore = {
  add: () => {},
  search: () => {},
  fetchMissing: async () => [],
  forMapping: (_profile, row): MappedBinary =>
    row === 0 || row === NO_ROW
      ? {
          binary: work.binary,
          toObjectAddress: (runtime) => (runtime >= LOAD_BASE ? Number(runtime - LOAD_BASE) : undefined),
        }
      : { binary: undefined, reason: 'no_binary', message: '/lib/other.so: not found' },
  stats: { opened: 0, evicted: 0, bytes: 0 },
  close: () => {},
};

const defaults: MarkOptions = {
  checks: ['boundcheck', 'nilcheck'],
  binaries: [],
  names: { boundcheck: 'runtime.boundcheck', nilcheck: 'runtime.nilcheck' },
  kind: 'none',
  async_preempt: false,
  top: 10,
};

interface Marked {
  readonly profile: Profile;
  readonly stacks: readonly string[];
  readonly report: MarkReport[number] | undefined;
  readonly counters: { readonly [name: string]: number };
  readonly warnings: readonly string[];
}

function markIt(profile: Profile, options: Partial<MarkOptions> = {}, binaries = store): Marked {
  let report: MarkReport | undefined;
  const counters: { [name: string]: number } = {};
  const warnings: string[] = [];
  const marked = markProfile(profile, { ...defaults, ...options }, binaries, new CheckIndex(), {
    count: (name, amount = 1) => {
      counters[name] = (counters[name] ?? 0) + amount;
    },
    warn: (code, message) => warnings.push(`${code}: ${message}`),
    report: (value) => {
      report = value;
    },
  });
  assert.deepEqual(checkProfile(marked), []);
  return { profile: marked, stacks: stacksOf(marked), report: report?.[0], counters, warnings };
}

interface Drawn {
  /** Labels of main.work, "preempt", or functions elsewhere; leaf first. */
  readonly stack: readonly string[];
  readonly values?: readonly number[];
}

/** Every name is one location, with lines unless `bare`: labels at their addresses in the first mapping, others in the second. */
function profileAt(samples: readonly Drawn[], { bare = false, types = ['samples', 'cpu'] } = {}): Profile {
  const units: { readonly [type: string]: string } = { samples: 'count', cpu: 'nanoseconds' };
  const builder = new ProfileBuilder({ sampleTypes: types.map((type) => ({ type, unit: units[type] ?? 'bytes' })) });
  const own = builder.mapping({ memoryStart: LOAD_BASE, memoryLimit: LOAD_BASE + 0x10000n, filename: '/bin/work' });
  const other = builder.mapping({ memoryStart: 0x7000, memoryLimit: 0x8000, filename: '/lib/other.so' });
  const rows = new Map<string, number>();
  const locationOf = (name: string): number => {
    let row = rows.get(name);
    if (row === undefined) {
      row = builder.location(specOf(name, rows.size));
      rows.set(name, row);
    }
    return row;
  };
  const specOf = (name: string, index: number) => {
    const lines = (of: string) => (bare ? [] : [{ function: builder.function({ name: of }), line: 0 }]);
    if (name === 'preempt') {
      const preempt = LOAD_BASE + BigInt(work.at(2, 'start'));
      return { mapping: own, address: preempt, lines: lines('runtime.asyncPreempt') };
    }
    if (/^[a-z]\w*$/.test(name)) return { mapping: own, address: address(name), lines: lines('main.work') };
    return { mapping: other, address: 0x7000 + index, lines: [{ function: builder.function({ name }), line: 0 }] };
  };
  for (const { stack, values } of samples) {
    builder.addSample({ stack: stack.map(locationOf), values: values ?? types.map(() => 1) });
  }
  return builder.finish();
}

test('samples at the compare, the jump and the nil load get a virtual innermost line; others do not', () => {
  const { stacks, profile } = markIt(
    profileAt([
      { stack: ['compare', 'main.main'] },
      { stack: ['jump', 'main.main'] },
      { stack: ['nil', 'main.main'] },
      { stack: ['afterJump', 'main.main'] },
      { stack: ['afterNil', 'main.main'] },
    ]),
  );
  assert.deepEqual(stacks, [
    'main.main;main.work>runtime.boundcheck 1 1',
    'main.main;main.work>runtime.boundcheck 1 1',
    'main.main;main.work>runtime.nilcheck 1 1',
    'main.main;main.work 1 1',
    'main.main;main.work 1 1',
  ]);
  assert.equal(profile.locations.length, 6);
});

test('a location that other stacks have as a caller is split: those stacks keep theirs', () => {
  const before = profileAt([
    { stack: ['compare', 'main.main'] },
    { stack: ['preempt', 'compare', 'main.main'] },
    { stack: ['compare', 'compare'] },
  ]);
  const { stacks, profile, counters } = markIt(before);
  assert.deepEqual(stacks, [
    'main.main;main.work>runtime.boundcheck 1 1',
    'main.main;main.work;runtime.asyncPreempt 1 1',
    'main.work;main.work>runtime.boundcheck 1 1',
  ]);
  assert.equal(profile.locations.length, before.locations.length + 1);
  assert.equal(counters.locations_split, 1);
});

test('async_preempt counts at the interrupted instruction, also where the profile has no symbols', () => {
  for (const bare of [false, true]) {
    const before = profileAt(
      [{ stack: ['preempt', 'jump', 'main.main'], values: [3, 30] }, { stack: ['preempt', 'afterJump'] }],
      {
        bare,
      },
    );
    const off = markIt(before);
    assert.equal(off.profile, before);
    assert.deepEqual(off.report?.preempted, { value: 31n, samples: 4n });
    assert.deepEqual(off.report?.at, { value: 0n, samples: 0n });
    const on = markIt(before, { async_preempt: true });
    assert.match(on.stacks[0]!, /^main\.main;main\.work>runtime\.boundcheck;/);
    assert.deepEqual(on.report?.at, { value: 30n, samples: 3n });
    assert.deepEqual(on.report?.after, { value: 1n, samples: 1n });
  }
});

/** Lines of a sample's leaf, innermost first: "name systemName file:line start". */
function leafLines({ locations, functions, samples, strings }: Profile, sample: number): string[] {
  const leaf = samples.stackLocations[samples.stackStart[sample]!]!;
  const lines: string[] = [];
  for (let row = locations.lineStart[leaf]!; row < locations.lineStart[leaf + 1]!; row++) {
    const f = locations.lines.function[row]!;
    const [name, systemName, file] = [functions.name, functions.systemName, functions.filename].map((column) =>
      stringAt(strings, column[f]!),
    );
    lines.push(`${name} ${systemName} ${file}:${locations.lines.line[row]} ${functions.startLine[f]}`);
  }
  return lines;
}

test('a location without lines gets the frames of the binary below the virtual line', () => {
  const { stacks, profile } = markIt(
    profileAt([{ stack: ['compare', 'nil'] }, { stack: ['afterJump'] }], { bare: true }),
  );
  assert.deepEqual(leafLines(profile, 0), [
    'runtime.boundcheck runtime.boundcheck <builtin>:0 0',
    'main.work main.work work.go:10 1',
  ]);
  assert.match(stacks[0]!, /^0x/);
  assert.match(stacks[1]!, /^0x/);
});

test('a profile that is marked already comes back as it is, with the same report', () => {
  for (const kind of ['none', 'child', 'label'] as const) {
    const once = markIt(
      profileAt([{ stack: ['compare', 'main.main'] }, { stack: ['preempt', 'compare'] }, { stack: ['nil'] }]),
      {
        kind,
      },
    );
    const twice = markIt(once.profile, { kind });
    assert.equal(twice.profile, once.profile, kind);
    assert.deepEqual(twice.report, once.report);
    assert.equal(twice.counters.locations_already_marked, 2);
  }
});

test('the kind of a bounds check goes into a child line or a label on demand', () => {
  const profile = profileAt([{ stack: ['compare'] }, { stack: ['nil'] }]);
  assert.deepEqual(markIt(profile, { kind: 'child' }).stacks, [
    'main.work>runtime.boundcheck>runtime.boundcheck.slice-b 1 1',
    'main.work>runtime.nilcheck 1 1',
  ]);
  assert.deepEqual(markIt(profile, { kind: 'label' }).stacks, [
    'main.work>runtime.boundcheck 1 1 {check=slice-b}',
    'main.work>runtime.nilcheck 1 1',
  ]);
});

test('names are those of the options', () => {
  const names = { boundcheck: 'go.bounds', nilcheck: 'go.nil' };
  const { stacks } = markIt(profileAt([{ stack: ['compare'] }, { stack: ['nil'] }]), { names });
  assert.deepEqual(stacks, ['main.work>go.bounds 1 1', 'main.work>go.nil 1 1']);
});

test('only the checks asked for are marked and reported; none leaves the profile alone', () => {
  const profile = profileAt([{ stack: ['compare'] }, { stack: ['nil'] }]);
  const nil = markIt(profile, { checks: ['nilcheck'] });
  assert.deepEqual(nil.stacks, ['main.work 1 1', 'main.work>runtime.nilcheck 1 1']);
  assert.deepEqual(
    nil.report?.checks.map(({ kind }) => kind),
    ['nilcheck'],
  );
  const none = markIt(profile, { checks: [] });
  assert.equal(none.profile, profile);
  assert.equal(none.report, undefined);
});

test('locations whose binary is not there are counted by reason, and the profile is kept', () => {
  const profile = profileAt([{ stack: ['libc.read'] }, { stack: ['libc.write'] }]);
  const { profile: marked, counters, warnings } = markIt(profile);
  assert.equal(marked, profile);
  assert.equal(counters['locations_unchecked.no_binary'], 2);
  assert.deepEqual([...new Set(warnings)], ['no_binary: /lib/other.so: not found']);
});

test('code of Go before 1.16 is not looked into, which is said', () => {
  const go = { ...work.binary.go!, layout: '1.12' } as const;
  const early: BinaryStore = {
    ...store,
    forMapping: () => ({ binary: { ...work.binary, go }, toObjectAddress: (runtime) => Number(runtime - LOAD_BASE) }),
  };
  const profile = profileAt([{ stack: ['index.check'] }]);
  const { profile: marked, counters, warnings } = markIt(profile, {}, early);
  assert.equal(marked, profile);
  assert.equal(counters['locations_unchecked.go_version'], 1);
  assert.match(warnings[0]!, /Go 1\.16 … 1\.27, this is of 1\.2 … 1\.15/);
});

test('the report has the check and, apart, what sits on the instruction after', () => {
  const { report } = markIt(
    profileAt([
      { stack: ['compare'], values: [2, 20] },
      { stack: ['jump'], values: [1, 10] },
      { stack: ['afterJump'], values: [4, 40] },
      { stack: ['nil'], values: [1, 10] },
      { stack: ['afterNil'], values: [3, 30] },
      { stack: ['main.main'], values: [9, 90] },
    ]),
  );
  assert.deepEqual(report, {
    type: 'cpu',
    unit: 'nanoseconds',
    total: { value: 200n, samples: 20n },
    at: { value: 40n, samples: 4n },
    after: { value: 70n, samples: 7n },
    preempted: { value: 0n, samples: 0n },
    countsPreempted: false,
    checks: [
      {
        function: 'main.work',
        file: 'work.go',
        line: 10,
        kind: 'boundcheck',
        check: 'slice-b',
        at: { value: 30n, samples: 3n },
        after: { value: 40n, samples: 4n },
      },
      {
        function: 'main.work',
        file: 'work.go',
        line: 10,
        kind: 'nilcheck',
        check: 'nil',
        at: { value: 10n, samples: 1n },
        after: { value: 30n, samples: 3n },
      },
    ],
  });
});

test('without a type samples/count, rows are counted', () => {
  const { report } = markIt(
    profileAt(
      [
        { stack: ['compare'], values: [20] },
        { stack: ['compare', 'main.main'], values: [5] },
      ],
      { types: ['cpu'] },
    ),
  );
  assert.deepEqual(report?.at, { value: 25n, samples: 2n });
});

test('an empty profile gives an empty report', () => {
  const profile = profileAt([]);
  const { profile: marked, report } = markIt(profile);
  assert.equal(marked, profile);
  assert.deepEqual(report?.checks, []);
});
