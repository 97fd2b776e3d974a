import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FormatError, type Profile, stringAt } from '../../../core/index.js';
import { bytes, type Part, patch, u8, u16, u32, u64, zeros } from '../../../test/helpers/assemble.js';
import { zstd } from '../../../test/helpers/assemble-compressed.js';
import {
  comm,
  Field,
  finishedRound,
  fork,
  Kernel,
  mmap2,
  type PerfAttribute,
  type PerfFile,
  perfFile,
  perfPipe,
  perfRecord,
  User,
} from '../../../test/helpers/assemble-perf.js';
import { decodePerf, samplesOf } from '../../../test/helpers/perf-decode.js';

const chains: PerfAttribute = {
  sampleType: Field.ip | Field.tid | Field.time | Field.callchain | Field.period,
  ids: [11],
};
const ids = (pid: number, time: number): Part => [u32(pid), u32(pid), u64(time)];
const KERNEL_CONTEXT = -128n;
const USER_CONTEXT = -512n;
const kernelAddress = 0xffffffff81000000n;

/** A sample of `chains`. */
function sample(
  pid: number,
  time: number,
  ip: bigint | number,
  chain: readonly (bigint | number)[] = [],
  misc = User,
): Uint8Array {
  return perfRecord(9, misc, [u64(ip), ids(pid, time), u64(500), u64(chain.length), chain.map(u64)]);
}

const recording = (records: readonly Part[], file: Partial<PerfFile> = {}) =>
  perfFile({ attributes: [chains], records, ...file });

/** "file+offset" of each location, or its address where it has no mapping. */
function stacksOf(parts: readonly Profile[]): string[] {
  return parts.flatMap(({ samples, locations, mappings, strings }) =>
    Array.from({ length: samples.length }, (_, row) =>
      Array.from(
        samples.stackLocations.subarray(samples.stackStart[row]!, samples.stackStart[row + 1]!),
        (location) => {
          const mapping = locations.mapping[location]!;
          const address = locations.address[location]!;
          if (mapping >= mappings.length) return `0x${address.toString(16)}`;
          const offset = address - mappings.memoryStart[mapping]! + mappings.fileOffset[mapping]!;
          return `${stringAt(strings, mappings.filename[mapping]!)}+0x${offset.toString(16)}`;
        },
      ).join(' '),
    ),
  );
}

async function stacks(records: readonly Part[], file: Partial<PerfFile> = {}): Promise<string[]> {
  const { parts, broken } = await decodePerf(recording(records, file));
  assert.equal(broken, undefined);
  return stacksOf(parts);
}

async function failure(content: Uint8Array): Promise<FormatError> {
  try {
    await decodePerf(content);
  } catch (error) {
    assert.ok(error instanceof FormatError, String(error));
    return error;
  }
  assert.fail('it was read');
}

const program = mmap2(7, [0x400000, 0x2000, 0x1000], '/bin/program', { trailer: ids(7, 1) });

describe('stacks', () => {
  test('callers are calls, what was interrupted is exact, on both sides of a system call', async () => {
    const chain = [KERNEL_CONTEXT, kernelAddress + 0x10n, kernelAddress + 0x20n, USER_CONTEXT, 0x400100, 0x400200];
    const records = [program, sample(7, 2, kernelAddress + 0x10n, chain, Kernel)];
    assert.deepEqual(await stacks(records), [
      '0xffffffff81000010 0xffffffff8100001f /bin/program+0x1100 /bin/program+0x11ff',
    ]);
  });

  test('a sample without a chain has its address; what is no address is left out of a chain, small negative words too', async () => {
    const records = [
      program,
      sample(7, 2, 0x400008),
      sample(7, 3, 0x400008, [USER_CONTEXT, 0x400008, 0, 2n ** 60n, -(2n ** 47n), -1n, 0x400011]),
    ];
    assert.deepEqual(await stacks(records), ['/bin/program+0x1008', '/bin/program+0x1008 /bin/program+0x1010']);
  });

  test('without the kernel, its frames are left out, and samples that have no others', async () => {
    const chain = [KERNEL_CONTEXT, kernelAddress, USER_CONTEXT, 0x400100];
    const records = [program, sample(7, 2, kernelAddress, chain, Kernel), sample(7, 3, kernelAddress, [], Kernel)];
    const { parts, counters } = await decodePerf(recording(records), { kernel: false });
    assert.deepEqual(stacksOf(parts), ['/bin/program+0x1100']);
    assert.deepEqual(counters, { kernel_samples_left_out: 1 });
  });

  test('every field before the chain is passed over, in the order of the kernel', async () => {
    const { ip, tid, time, address, read, callchain, id, cpu, period, raw, identifier } = Field;
    const all = ip | tid | time | address | read | callchain | id | cpu | period | raw | identifier;
    // A group of two values, each with its id, and both times.
    const attribute = { sampleType: all | 512, readFormat: 1 | 2 | 4 | 8, ids: [11] };
    const body = [
      [u64(11), u64(0x400010), u32(7), u32(8), u64(5), u64(0xdead), u64(11), u64(99), u32(3), u32(0), u64(2n ** 33n)],
      [u64(2), u64(1), u64(1), u64(10), u64(11), u64(20), u64(12)],
      [u64(1), u64(0x400020), u32(12), zeros(12)],
    ];
    const { parts } = await decodePerf(perfFile({ attributes: [attribute], records: [perfRecord(9, User, body)] }), {
      labels: ['pid', 'tid', 'cpu'],
    });
    const [only] = samplesOf(parts);
    assert.deepEqual(only!.stack, [0x400020n]);
    assert.deepEqual(only!.values, [1n, 10n]);
    assert.deepEqual(only!.labels, { pid: 7n, tid: 8n, cpu: 3n });
  });

  test('of a group, each event weighs what it counted since the sample before, on each processor by itself', async () => {
    const { ip, tid, read, id, period } = Field;
    const shape = { sampleType: ip | tid | read | id | period, readFormat: 4 | 8 | 16 };
    const attributes: PerfAttribute[] = [
      { ...shape, ids: [11, 12] },
      { ...shape, config: 2, ids: [21, 22] },
    ];
    const counted = (...counts: readonly (readonly [number | bigint, number])[]) => {
      const values = counts.map(([count, id]) => [u64(count), u64(id), u64(0)]);
      return perfRecord(9, User, [u64(0x400000), u32(7), u32(7), u64(11), u64(999), u64(counts.length), values]);
    };
    const file = perfFile({
      attributes,
      records: [
        counted([2n ** 40n, 11], [5, 21]),
        counted([1000, 12], [7, 22]),
        counted([2n ** 40n + 30n, 11], [5, 21]),
        counted([2n ** 40n + 30n, 11], [8, 21], [1, 99]),
        counted([2n ** 40n + 30n, 11], [8, 21]),
        counted([2n ** 63n + 1000n, 12]),
        counted([2n ** 60n + 1n, 12]),
      ],
    });
    const values = async (event: string) =>
      samplesOf((await decodePerf(file, { event })).parts).map(({ values }) => values);
    assert.deepEqual(await values(''), [
      [1n, 2n ** 40n, 5n],
      [1n, 1000n, 7n],
      [1n, 30n, 0n],
      [1n, 0n, 3n],
      [1n, 2n ** 60n - 999n, 0n],
    ]);
    assert.deepEqual((await decodePerf(file)).counters, { samples_spoilt: 1 });
    assert.deepEqual(await values('page-faults'), [
      [1n, 5n],
      [1n, 7n],
      [1n, 3n],
    ]);
  });
});

describe('order', () => {
  test('records are taken by their time, as far as a round says that no older ones come', async () => {
    const late = mmap2(7, [0x400000, 0x1000, 0], '/bin/late', { trailer: ids(7, 10) });
    const early = mmap2(7, [0x400000, 0x1000, 0], '/bin/early', { trailer: ids(7, 5) });
    const records = [sample(7, 12, 0x400001), sample(7, 7, 0x400002), late, early, finishedRound, finishedRound];
    assert.deepEqual(await stacks(records), ['/bin/early+0x2', '/bin/late+0x1']);
  });

  test('what comes after younger records were let go is counted', async () => {
    const records = [sample(7, 12, 1), finishedRound, sample(7, 13, 2), finishedRound, sample(7, 4, 3)];
    const { parts, counters } = await decodePerf(recording(records));
    assert.deepEqual(stacksOf(parts), ['0x1', '0x3', '0x2']);
    assert.deepEqual(counters, { records_late: 1 });
  });
});

describe('processes', () => {
  test('a fork has the mappings of its parent, its own from then on; an exec drops them', async () => {
    const records = [
      program,
      fork([8, 8, 7, 7], 0, ids(7, 2)),
      mmap2(8, [0x500000, 0x1000, 0], '/lib/child', { trailer: ids(8, 3) }),
      sample(8, 4, 0x400000),
      sample(8, 5, 0x500000),
      sample(7, 6, 0x500000),
      comm(8, 8, 'other', 1 << 13, ids(8, 7)),
      sample(8, 8, 0x400000),
    ];
    assert.deepEqual(await stacks(records), ['/bin/program+0x1000', '/lib/child+0x0', '0x500000', '0x400000']);
  });

  test('a fork that perf made up begins without mappings', async () => {
    const records = [program, fork([8, 8, 7, 7], 1 << 13, ids(7, 2)), sample(8, 4, 0x400000)];
    assert.deepEqual(await stacks(records), ['0x400000']);
  });

  test('a mapping covers what was there, and what stays of that keeps its place in the file', async () => {
    const trailer = ids(7, 1);
    const records = [
      program,
      mmap2(7, [0x400800, 0x100, 0], '/lib/over', { trailer }),
      mmap2(7, [0x401000, 0x100, 0], '//anon', { trailer, protection: 3 }),
      ...[0x4007ff, 0x400800, 0x400900, 0x401000, 0x401100].map((ip, at) => sample(7, 2 + at, ip)),
    ];
    assert.deepEqual(await stacks(records), [
      '/bin/program+0x17ff',
      '/lib/over+0x0',
      '/bin/program+0x1900',
      '0x401000',
      '/bin/program+0x2100',
    ]);
  });

  test("names follow their threads; a new thread has its creator's", async () => {
    const records = [
      comm(7, 7, 'first', 0, ids(7, 1)),
      fork([7, 9, 7, 7], 0, ids(7, 2)),
      perfRecord(9, User, [u64(1), u32(7), u32(9), u64(3), u64(1), u64(0)]),
      comm(7, 9, 'second', 0, ids(7, 4)),
      perfRecord(9, User, [u64(1), u32(7), u32(9), u64(5), u64(1), u64(0)]),
      sample(0, 6, kernelAddress, [], Kernel),
      sample(99, 7, 1),
    ];
    const { parts } = await decodePerf(recording(records), { labels: ['comm'] });
    const names = samplesOf(parts).map(({ labels }) => labels.comm);
    assert.deepEqual(names, ['first', 'second', 'swapper', undefined]);
  });

  test("build IDs come with mappings, or from the file's list of them", async () => {
    const id = Uint8Array.from({ length: 20 }, (_, at) => at + 1);
    const own = bytes(u8(20), zeros(3), id);
    const listed = bytes(
      u32(0),
      u16(0x8000),
      u16(8 + 4 + 24 + 16),
      u32(-1),
      id.subarray(0, 8),
      zeros(12),
      u8(8),
      zeros(3),
    );
    const records = [
      mmap2(7, [0x400000, 0x1000, 0], '/bin/one', { misc: User | (1 << 14), identity: own, trailer: ids(7, 1) }),
      mmap2(7, [0x500000, 0x1000, 0], '/bin/two', { trailer: ids(7, 1) }),
      sample(7, 2, 0x400000, [USER_CONTEXT, 0x400000, 0x500001]),
    ];
    const { parts } = await decodePerf(recording(records, { features: { 2: bytes(listed, '/bin/two', zeros(8)) } }));
    const { mappings, strings } = parts[0]!;
    const shown = Array.from(mappings.buildId, (row) => stringAt(strings, row));
    assert.deepEqual(shown, [Buffer.from(id).toString('hex'), '0102030405060708']);
  });
});

describe('events', () => {
  const sampleType = Field.ip | Field.tid | Field.time | Field.id | Field.period;
  const two: readonly PerfAttribute[] = [
    { sampleType, ids: [11, 12] },
    { sampleType, type: 1, config: 2, ids: [13] },
    { sampleType, type: 1, config: 9, ids: [14] },
  ];
  const of = (id: number, weight: number) =>
    perfRecord(9, User, [u64(0x1000), u32(7), u32(7), u64(3), u64(id), u64(weight)]);
  const records = [of(12, 100), of(13, 5), of(99, 1), of(11, 200)];

  test('each is a sample type; samples are told apart by id; one that counts nothing has none', async () => {
    const { parts, counters } = await decodePerf(perfFile({ attributes: two, records }));
    const { sampleTypes, strings } = parts[0]!;
    const types = sampleTypes.map(({ type, unit }) => `${stringAt(strings, type)}/${stringAt(strings, unit)}`);
    assert.deepEqual(types, ['samples/count', 'cpu-clock/nanoseconds', 'page-faults/count']);
    assert.deepEqual(
      samplesOf(parts).map(({ values }) => values),
      [
        [1n, 100n, 0n],
        [1n, 0n, 5n],
        [1n, 200n, 0n],
      ],
    );
    assert.deepEqual(counters, { samples_of_unknown_events: 1 });
  });

  test('one is chosen by its name; a wrong name is answered with those that there are', async () => {
    const { parts } = await decodePerf(perfFile({ attributes: two, records }), { event: 'page-faults' });
    assert.deepEqual(
      samplesOf(parts).map(({ values }) => values),
      [[1n, 5n]],
    );
    await assert.rejects(decodePerf(perfFile({ attributes: two, records }), { event: 'cycles' }), {
      code: 'E_PERF_EVENTS',
      message: /no event "cycles".*cpu-clock, page-faults, dummy/,
    });
  });

  test('that cannot be told apart are refused', async () => {
    const attributes = [{ sampleType: Field.ip }, { sampleType: Field.ip }];
    assert.equal((await failure(perfFile({ attributes, records }))).code, 'E_PERF_EVENTS');
    assert.equal((await failure(perfPipe([], records))).code, 'E_PERF_EVENTS');
  });

  test('a fixed period weighs samples that do not say theirs', async () => {
    const attributes = [{ sampleType: Field.ip, period: 4000 }];
    const { parts } = await decodePerf(perfFile({ attributes, records: [perfRecord(9, User, [u64(1)])] }));
    assert.deepEqual(samplesOf(parts)[0]!.values, [1n, 4000n]);
    assert.equal(parts[0]!.period, 4000n);
  });
});

describe('captures', () => {
  const sampleType = Field.ip | Field.tid | Field.registersUser | Field.stackUser;
  /** Registers of x86 by the kernel's numbers: AX BX BP SP IP R15. */
  const amd64: PerfAttribute = { sampleType, registers: 0b1000_0000_0000_0001_1100_0011n };
  const captured = (abi: number, stack: Part) =>
    perfRecord(9, User, [u64(0x400010), ids(7, 0).slice(0, 2), u64(abi), [1, 2, 3, 4, 5, 6].map(u64), stack]);

  test('registers stand by DWARF number; of the stack, what was captured of it', async () => {
    const stack = bytes(u64(16), '0123456789abcdef', u64(10));
    const { parts } = await decodePerf(perfFile({ attributes: [amd64], records: [captured(2, stack)] }));
    const { captures } = parts[0]!.samples;
    assert.equal(captures?.architecture, 'amd64');
    const registers = [1, NaN, NaN, 2, NaN, NaN, 3, 4, ...new Array(7).fill(NaN), 6, 5];
    assert.deepEqual([...captures!.registers], registers);
    assert.equal(Buffer.from(captures!.stacks[0]!).toString(), '0123456789');
    assert.deepEqual(samplesOf(parts)[0]!.stack, [0x400010n]);
  });

  test('of more than is read at a time, each stack is its own, whether it was read in place or came in pieces', async () => {
    const stacksOfParts = (parts: readonly Profile[]) => parts.flatMap(({ samples }) => [...samples.captures!.stacks]);
    const sizeOf = (row: number) => 8 * (1 + ((row * 37) % 1500));
    const records = Array.from({ length: 2500 }, (_, row) => {
      const stack = new Uint8Array(sizeOf(row)).fill(row % 251);
      return captured(2, bytes(u64(stack.length), stack, u64(stack.length)));
    });
    // Rounds and samples without a time: none waits for the end.
    const content = perfFile({ attributes: [amd64], records: records.flatMap((record) => [record, finishedRound]) });
    async function* pieces(): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < content.length; at += 1_000_003) yield content.subarray(at, at + 1_000_003);
    }
    for (const source of [content, pieces()]) {
      const stacks = stacksOfParts((await decodePerf(source)).parts);
      assert.equal(stacks.length, records.length);
      for (const [row, stack] of stacks.entries()) {
        const isWhole = stack.length === sizeOf(row) && stack.every((byte) => byte === row % 251);
        assert.ok(isWhole, `stack ${row}: ${stack.length} bytes, ${sizeOf(row)} wanted`);
      }
    }
  });

  test('a stack that claims more than was allotted is not given, nor one of another machine', async () => {
    const spoilt = perfFile({ attributes: [amd64], records: [captured(2, bytes(u64(8), u64(0), u64(9)))] });
    const first = await decodePerf(spoilt);
    assert.equal(first.parts[0]!.samples.captures?.stacks[0]?.length, 0);
    assert.deepEqual(first.counters, { stacks_spoilt: 1 });
    for (const [abi, machine] of [
      [1, 'x86_64'],
      [2, 's390x'],
    ] as const) {
      const features = { 6: bytes(u32(8), machine, zeros(8 - machine.length)) };
      const file = perfFile({ attributes: [amd64], features, records: [captured(abi, u64(0))] });
      const { parts, counters } = await decodePerf(file);
      assert.equal(parts[0]!.samples.captures, undefined);
      assert.deepEqual(counters, { captures_of_other_machines: 1 });
    }
  });

  test('the return address that arm64 signed is given without its signature', async () => {
    const attribute = { sampleType, registers: (1n << 30n) | (1n << 32n) };
    const body = [u64(0x400010), u64(7), u64(2), u64(0x00aa_8000_0040_0020n), u64(0x400010), u64(0)];
    const { parts } = await decodePerf(perfFile({ attributes: [attribute], records: [perfRecord(9, User, body)] }));
    const { captures } = parts[0]!.samples;
    assert.equal(captures?.architecture, 'arm64');
    assert.equal(captures.registers[30], 0x8000_0040_0020);
    assert.equal(captures.registers[32], 0x400010);
  });

  test("a sample in the kernel has the user's address behind the kernel's frames", async () => {
    const attribute = { sampleType: Field.ip | Field.callchain | Field.registersUser, registers: 1n << 8n };
    const chain = [u64(2), u64(KERNEL_CONTEXT), u64(kernelAddress)];
    const record = perfRecord(9, Kernel, [u64(kernelAddress), chain, u64(2), u64(0x400010)]);
    const { parts } = await decodePerf(perfFile({ attributes: [attribute], records: [record] }));
    assert.deepEqual(samplesOf(parts)[0]!.stack, [kernelAddress, 0x400010n]);
  });
});

describe('streams', () => {
  const records = [program, sample(7, 2, 0x400000), sample(7, 3, 0x400001), sample(7, 4, 0x400002)];
  const expected = ['/bin/program+0x1000', '/bin/program+0x1001', '/bin/program+0x1002'];
  const compressed = (content: Uint8Array): Uint8Array => perfRecord(81, 0, [content]);
  const stream = zstd(bytes(...records));

  test('a pipe has its attributes among its records, and no sizes', async () => {
    const { parts } = await decodePerf(perfPipe([chains], records));
    assert.deepEqual(stacksOf(parts), expected);
  });

  test('pieces may be cut anywhere', async () => {
    const content = recording([records.slice(0, 2), compressed(zstd(bytes(...records.slice(2))))]);
    for (const size of [1, 7, 64]) {
      async function* pieces(): AsyncGenerator<Uint8Array> {
        for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
      }
      assert.deepEqual(stacksOf((await decodePerf(pieces())).parts), expected, `pieces of ${size}`);
    }
  });

  test('compressed records may be cut anywhere; the younger kind says how long they are', async () => {
    for (const cut of [1, 12, 25, stream.length - 1]) {
      const halves = [stream.subarray(0, cut), stream.subarray(cut)];
      assert.deepEqual(await stacks(halves.map(compressed)), expected, `cut at ${cut}`);
      const padded = halves.map((half) => perfRecord(83, 0, [u64(half.length), half, zeros(5)]));
      assert.deepEqual(await stacks(padded), expected, `padded, cut at ${cut}`);
    }
  });

  test('compressed records that end too soon give the samples before', async () => {
    const cut = await decodePerf(recording([records[1]!, compressed(stream.subarray(0, -3))]));
    assert.equal(cut.broken?.code, 'E_ZSTD_TRUNCATED');
    assert.equal(samplesOf(cut.parts).length, 1);
    const short = await decodePerf(recording([compressed(zstd(bytes(...records).subarray(0, -3)))]));
    assert.equal(short.broken?.code, 'E_TRUNCATED');
    assert.equal(samplesOf(short.parts).length, 2);
  });

  test('compressed records within compressed ones are refused', async () => {
    assert.equal((await failure(recording([compressed(zstd(compressed(stream)))]))).code, 'E_NESTED');
  });

  test('what hardware traced is passed over, with its payload, and counted', async () => {
    const trace = [perfRecord(71, 0, [u64(100), zeros(32)]), zeros(100)];
    const { parts, counters } = await decodePerf(recording([records[0]!, trace, records.slice(1)]));
    assert.deepEqual(stacksOf(parts), expected);
    assert.deepEqual(counters, { auxtrace_skipped: 1 });
  });

  test('unknown records are passed over and counted, lost ones are told', async () => {
    const lost = perfRecord(2, 0, [u64(11), u64(5), ids(7, 3)]);
    const strange = [perfRecord(40, 0, [ids(7, 3)]), perfRecord(200, 0, [])];
    const { counters, warnings } = await decodePerf(recording([records, lost, lost, strange]));
    assert.deepEqual(counters, { records_lost: 10, unknown_records: 2 });
    assert.deepEqual(warnings, ['records_lost']);
  });
});

describe('shares', () => {
  const manySamples = Array.from({ length: 20_000 }, (_, row) => sample(7, 2 + row, 0x400000 + (row % 0x2000)));
  const lost = perfRecord(2, 0, [u64(11), u64(5), ids(7, 3)]);
  const content = recording([program, lost, manySamples, perfRecord(9, User, [u64(0)])]);
  const decodeShares = (shared: Uint8Array, of: number) =>
    Promise.all(Array.from({ length: of }, (_, index) => decodePerf(shared, {}, {}, { index, of })));

  test('have the parts of the whole in turn; what concerns all is said once', async () => {
    const whole = await decodePerf(content);
    assert.deepEqual(whole.counters, { records_lost: 5, samples_spoilt: 1 });
    assert.equal(whole.parts.length, 3);
    for (const of of [2, 3, 4]) {
      const [first, ...others] = await decodeShares(content, of);
      const shares = [first!, ...others];
      for (const [number, part] of whole.parts.entries()) {
        assert.deepEqual(shares[number % of]!.parts[Math.floor(number / of)], part, `part ${number} of ${of} shares`);
      }
      assert.equal(
        shares.reduce((sum, { parts }) => sum + parts.length, 0),
        3,
      );
      assert.deepEqual(first!.counters, whole.counters);
      assert.deepEqual(first!.warnings, whole.warnings);
      for (const { counters, warnings } of others)
        assert.deepEqual({ counters, warnings }, { counters: {}, warnings: [] });
    }
  });

  test('of a recording that is cut end at the same sample, and one says so', async () => {
    const cut = content.subarray(0, content.length - 100);
    const whole = await decodePerf(cut);
    const shares = await decodeShares(cut, 2);
    assert.deepEqual(shares[0]!.parts, [whole.parts[0], whole.parts[2]]);
    assert.deepEqual(shares[1]!.parts, [whole.parts[1]]);
    assert.deepEqual(
      shares.map(({ broken }) => broken?.code),
      ['E_TRUNCATED', undefined],
    );
  });
});

describe('spoilt files', () => {
  const records = [program, sample(7, 2, 0x400000), sample(7, 3, 0x400001)];

  test('say what they are instead', async () => {
    assert.equal((await failure(recording([], { magic: '2ELIFREP' }))).code, 'E_PERF_BYTE_ORDER');
    assert.equal((await failure(recording([], { magic: 'PERFFILE' }))).code, 'E_PERF_VERSION');
    assert.equal((await failure(recording([], { features: { 24: zeros(8) } }))).code, 'E_PERF_FOLDER');
    assert.equal((await failure(recording([], { headerBytes: 105 }))).code, 'E_PERF_HEADER');
    assert.equal((await failure(recording([], { attributeBytes: 3 }))).code, 'E_PERF_HEADER');
    assert.equal((await failure(recording(records).subarray(0, 50))).code, 'E_TRUNCATED');
    const lying = { ...chains, size: 4000 };
    assert.equal((await failure(recording(records, { attributes: [lying] }))).code, 'E_PERF_ATTRIBUTE');
    // Place of the attributes; their size; place of the records.
    for (const at of [24, 32, 40]) {
      const error = await failure(patch(recording(records), at, u64(2n ** 52n)));
      assert.match(error.code, /^E_(PERF_HEADER|TRUNCATED)$/, error.describe());
    }
  });

  test('that end within a record, or were not ended, give the samples before', async () => {
    const whole = recording(records);
    const cut = await decodePerf(whole.subarray(0, -5));
    assert.equal(cut.broken?.code, 'E_TRUNCATED');
    assert.deepEqual(stacksOf(cut.parts), ['/bin/program+0x1000']);
    const unended = await decodePerf(recording(records, { dataSize: 0 }));
    assert.equal(unended.broken?.code, 'E_TRUNCATED');
    assert.equal(samplesOf(unended.parts).length, 2);
  });

  test('a record smaller than its header ends them, with its place', async () => {
    const before = bytes(...records);
    const { parts, broken } = await decodePerf(recording([before, perfRecord(9, 0, [], 0), before]));
    assert.equal(broken?.code, 'E_PERF_RECORD');
    assert.equal(broken?.place.offset, 104 + 8 + 144 + before.length);
    assert.equal(samplesOf(parts).length, 2);
  });

  test('a sample or a mapping that lies costs only itself', async () => {
    const lies = [
      perfRecord(9, User, [u64(1), ids(7, 3), u64(500), u64(2n ** 61n)]),
      perfRecord(9, User, [u64(1), ids(7, 3), u64(500), u64(-1)]),
      perfRecord(9, User, [u64(1)]),
      perfRecord(10, User, [u32(7), u32(7), ids(7, 3)]),
      mmap2(7, [2n ** 62n, 0x1000, 0], '/bin/far', { trailer: ids(7, 3) }),
      perfRecord(7, 0, [u32(8)]),
    ];
    const { parts, counters, broken } = await decodePerf(recording([records, lies]));
    assert.equal(broken, undefined);
    assert.equal(samplesOf(parts).length, 2);
    assert.deepEqual(counters, { samples_spoilt: 3, records_spoilt: 3 });
  });
});
