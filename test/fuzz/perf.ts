/** Whatever the bytes, the perf codec gives valid parts of no more samples than fit the input, or throws FormatError. */
import { checkProfile, FormatError } from '../../core/index.js';
import { bytes, u32, u64, zeros } from '../helpers/assemble.js';
import { zstd } from '../helpers/assemble-compressed.js';
import {
  comm,
  Field,
  finishedRound,
  fork,
  Kernel,
  mmap2,
  type PerfAttribute,
  perfFile,
  perfPipe,
  perfRecord,
  User,
} from '../helpers/assemble-perf.js';
import { decodePerf } from '../helpers/perf-decode.js';
import { fuzz } from './mutate.js';

const { ip, tid, time, address, read, callchain, id, cpu, period, raw, registersUser, stackUser } = Field;
const sampleType = ip | tid | time | address | read | callchain | id | cpu | period | raw | registersUser | stackUser;
const attributes: readonly PerfAttribute[] = [
  { sampleType, readFormat: 15, registers: 0xff0fffn, ids: [11, 12] },
  { sampleType, type: 0, readFormat: 4, registers: 0xff0fffn, flags: (1 << 10) | (1 << 18), ids: [13] },
];
const trailer = (at: number) => [u32(7), u32(7), u64(at), u64(11), u64(0)];

function sample(at: number, ofEvent: number, isGroup: boolean) {
  const counts = isGroup ? [u64(2), u64(1), u64(1), u64(5), u64(11), u64(6), u64(12)] : [u64(5), u64(13)];
  const chain = [u64(4), u64(-128n), u64(0xffffffff81000010n), u64(-512n), u64(0x400100)];
  const registers = Array.from({ length: 20 }, (_, register) => u64(0x400000 + register));
  const stack = [u64(32), zeros(32), u64(24)];
  const head = [u64(0x400010), u32(7), u32(7), u64(at), u64(1), u64(ofEvent), u64(0), u64(100)];
  return perfRecord(9, at % 2 === 0 ? User : Kernel, [head, counts, chain, u32(4), u32(0), u64(2), registers, stack]);
}

const records = [
  comm(7, 7, 'program', 1 << 13, trailer(1)),
  mmap2(7, [0x400000, 0x2000, 0x1000], '/bin/program', { trailer: trailer(2) }),
  fork([8, 8, 7, 7], 0, trailer(3)),
  sample(5, 11, true),
  sample(4, 13, false),
  finishedRound,
  perfRecord(2, 0, [u64(11), u64(3), trailer(6)]),
  sample(8, 12, true),
  finishedRound,
];
const traced = [perfRecord(71, 0, [u64(16), zeros(32)]), zeros(16)];
const features = {
  2: bytes(u32(0), u32(0x2c0000), u32(-1), zeros(24), '/bin/program', zeros(4)),
  6: bytes(u32(8), 'x86_64', zeros(2)),
  12: bytes(
    u32(2),
    u32(8),
    zeros(8),
    u32(1),
    u32(8),
    'cycles:u',
    u64(11),
    zeros(8),
    u32(1),
    u32(8),
    'faults\0\0',
    u64(13),
  ),
};
const compressed = zstd(bytes(records));

const seeds = [
  { bytes: perfFile({ attributes, records, features }), hot: [[0, 420] as const] },
  { bytes: perfPipe(attributes, [records, traced]) },
  {
    bytes: perfFile({
      attributes,
      records: [perfRecord(81, 0, [compressed.subarray(0, 200)]), perfRecord(81, 0, [compressed.subarray(200)])],
    }),
  },
];
const LEAST_SAMPLE_BYTES = 8;

await fuzz({
  name: 'perf',
  seeds,
  async run(content) {
    const isEven = content.length % 2 === 0;
    const { parts } = await decodePerf(isEven ? content : pieces(content), {
      labels: ['pid', 'tid', 'comm', 'cpu', 'event'],
    });
    let samples = 0;
    for (const part of parts) {
      const problems = checkProfile(part);
      if (problems.length > 0) throw new Error(problems.join('\n'));
      samples += part.samples.length;
      const { captures } = part.samples;
      if (captures === undefined) continue;
      if (captures.stacks.length !== part.samples.length) throw new Error('stack bytes');
      if (captures.space.length !== part.samples.length) throw new Error('captures beside the samples');
    }
    // What is compressed may be a thousand times larger.
    if (samples > (4096 * content.length) / LEAST_SAMPLE_BYTES) throw new Error(`${samples} samples`);
  },
  isAllowed: (error) => error instanceof FormatError,
  maxMs: 5_000,
});

async function* pieces(content: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += 61) yield content.subarray(at, at + 61);
}
