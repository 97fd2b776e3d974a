/** Rows B47 to B57: recordings of perf that are of another kind, end too soon, or lie about sizes, ids and times. */
import { bytes, type Part, patch, repeat, u32, u64, zeros } from '../helpers/assemble.js';
import { zstd, zstdBomb } from '../helpers/assemble-compressed.js';
import { Field, finishedRound, fork, mmap2, perfFile, perfPipe, perfRecord, User } from '../helpers/assemble-perf.js';
import { type BadInput, delivered, deliveredUpTo } from './case.js';

const { ip, tid, time, id, registersUser, stackUser } = Field;
const attributes = [
  { sampleType: ip | tid | time | id, ids: [11] },
  { sampleType: ip | tid | time | id | registersUser | stackUser, registers: 256n, ids: [12] },
];
const HEADER = 104;
const dataAt = HEADER + 2 * 8 + 2 * 144;
const trailer = (at: number): Part => [u32(7), u32(7), u64(at), u64(11)];
const sample = (at: number, event = 11, more: Part = '') =>
  perfRecord(9, User, [u64(0x400010), u32(7), u32(7), u64(at), u64(event), more]);
const program = mmap2(7, [0x400000, 0x2000, 0], '/bin/program', { trailer: trailer(1) });
const good = bytes(program, sample(2), sample(3));
const file = (...records: readonly Part[]) => perfFile({ attributes, records: [good, records] });
const compressed = (content: Uint8Array) => perfRecord(81, 0, [content]);
const section = 'perf.data header';

export const perfInputs: readonly BadInput[] = [
  {
    name: 'B47 recording of a big-endian machine',
    content: () => perfFile({ attributes, records: [good], magic: '2ELIFREP' }),
    expected: { code: 'E_PERF_BYTE_ORDER', section, offset: 0 },
  },
  {
    name: 'B47 recording of version 1',
    content: () => perfFile({ attributes, records: [good], magic: 'PERFFILE' }),
    expected: { code: 'E_PERF_VERSION', section, offset: 0 },
  },
  {
    name: 'B48 attributes beyond the end',
    content: () => patch(file(), 24, u64(2n ** 40n)),
    expected: { code: 'E_PERF_HEADER', section, offset: 24 },
  },
  {
    name: 'B48 attributes whose place and size overflow',
    content: () => patch(file(), 24, u64(-8), u64(288)),
    expected: { code: 'E_RANGE', section, offset: 24 },
  },
  {
    name: 'B48 records beyond the end',
    content: () => patch(file(), 40, u64(2n ** 40n)),
    expected: { code: 'E_PERF_HEADER', section, offset: 40, got: `${2 ** 40}` },
  },
  {
    name: 'B48 an attribute larger than its place',
    content: () => perfFile({ attributes: [{ sampleType: ip, size: 4000 }], records: [good] }),
    expected: { code: 'E_PERF_ATTRIBUTE', section: 'perf_event_attr', offset: 4, got: '4000', limit: '128' },
  },
  {
    name: 'B48 more records said than there are',
    content: () => perfFile({ attributes, records: [good], dataSize: good.length + 4096 }),
    expected: deliveredUpTo('E_TRUNCATED'),
  },
  {
    name: 'B48 features beyond the end',
    content: () =>
      patch(perfFile({ attributes, records: [good], features: { 6: u64(0) } }), dataAt + good.length, u64(-1), u64(-1)),
    expected: delivered,
  },
  {
    name: 'B49 a record of no size',
    content: () => file(perfRecord(9, 0, [], 0)),
    expected: deliveredUpTo('E_PERF_RECORD'),
  },
  {
    name: 'B49 a record of 7 bytes',
    content: () => file(perfRecord(9, 0, [], 7)),
    expected: deliveredUpTo('E_PERF_RECORD'),
  },
  {
    name: 'B50 cut within a record',
    content: () => file(sample(4)).subarray(0, -3),
    expected: deliveredUpTo('E_TRUNCATED'),
  },
  {
    name: 'B50 cut before the first sample',
    content: () => file().subarray(0, dataAt + 20),
    expected: { code: 'E_TRUNCATED', section: 'perf.data', offset: dataAt },
  },
  {
    name: 'B50 not ended',
    content: () => perfFile({ attributes, records: [good], dataSize: 0 }),
    expected: deliveredUpTo('E_TRUNCATED'),
  },
  {
    name: 'B51 more of the stack captured than was allotted',
    content: () => file(sample(4, 12, [u64(2), u64(0x400010), u64(8), zeros(8), u64(9)])),
    expected: { delivered: true, counter: 'stacks_spoilt' },
  },
  {
    name: 'B51 a stack larger than its record',
    content: () => file(sample(4, 12, [u64(2), u64(0x400010), u64(2n ** 62n), zeros(8)])),
    expected: { delivered: true, counter: 'samples_spoilt' },
  },
  {
    name: 'B52 a record of an unknown type',
    content: () => file(perfRecord(50, 0, [trailer(4)]), perfRecord(2 ** 31, 0, [])),
    expected: { delivered: true, counter: 'unknown_records' },
  },
  {
    name: 'B53 samples of no event',
    content: () => file(sample(4, 99)),
    expected: { delivered: true, counter: 'samples_of_unknown_events' },
  },
  {
    name: 'B53 no events',
    content: () => perfFile({ attributes: [], records: [good] }),
    expected: { code: 'E_PERF_EVENTS' },
  },
  {
    name: 'B54 mappings that overlap, and a clock that goes back',
    content: () =>
      file(
        mmap2(7, [0x401000, 0x2000, 0], '/lib/over', { trailer: trailer(4) }),
        finishedRound,
        finishedRound,
        sample(1),
      ),
    expected: { delivered: true, counter: 'records_late' },
  },
  {
    name: 'B55 compressed records that are a bomb',
    // Records of 2,056 bytes and of a type that nobody knows.
    content: () => perfFile({ attributes, records: [compressed(zstdBomb(program, 8, 14_000))] }),
    expected: { code: 'E_DECOMPRESSED_LIMIT' },
  },
  {
    name: 'B55 compressed records that are cut',
    content: () => file(compressed(zstd(good).subarray(0, -3))),
    expected: deliveredUpTo('E_ZSTD_TRUNCATED'),
  },
  {
    name: 'B55 compressed records that are none',
    content: () => file(compressed(zeros(32))),
    expected: deliveredUpTo('E_ZSTD_HEADER'),
  },
  {
    name: 'B55 compressed records within compressed ones',
    content: () => file(compressed(zstd(compressed(zstd(good))))),
    expected: deliveredUpTo('E_NESTED'),
  },
  { name: 'B56 a pipe without features', content: () => perfPipe(attributes, [good]), expected: delivered },
  {
    name: 'B57 processes that fork each other, and numbers that come again',
    content: () => file(repeat(3000, fork([8, 8, 7, 7], 0, trailer(4)), fork([7, 7, 8, 8], 0, trailer(4))), sample(5)),
    expected: delivered,
  },
];
