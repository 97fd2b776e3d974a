/** `pipe profile stats`: how large and how good a profile is. */
import type { ProfileStats } from '../../profile/figures/stats.js';
import { ExitCode } from '../exit-codes.js';
import { formatValue, groupDigits } from '../units.js';
import type { Verb } from '../verb.js';

export const profileStats: Verb = {
  words: ['profile', 'stats'],
  summary: 'print figures of a profile: sizes, totals, labels, how much is symbolized',
  positionals: [{ name: 'file', describe: 'a profile, or - for stdin' }],
  options: { json: { kind: 'flag', describe: 'one JSON object' } },
  examples: [['pipe profile stats cpu.pb.gz', 'samples, locations, totals, labels …']],
  async run(call) {
    const { readProfile } = await import('../read-profile.js');
    const { profileStats: statsOf } = await import('../../profile/figures/stats.js');
    const stats = statsOf(await readProfile(call.argument('file'), call.err));
    if (call.flag('json')) {
      call.out.json({ version: 1, ...stats });
      return ExitCode.ok;
    }
    const { tableLines } = await import('../table.js');
    for (const line of tableLines([{ name: '' }, { name: '' }], statsRows(stats))) call.out.line(line);
    return ExitCode.ok;
  },
};

function statsRows(stats: ProfileStats): string[][] {
  const { stackDepth, timeNanos, durationNanos } = stats;
  return [
    ...stats.sampleTypes.map(({ type, unit, total }) => [`total ${type}`, formatValue(total, unit)]),
    ['samples', groupDigits(stats.samples)],
    ['stack depth', `${stackDepth.min} to ${stackDepth.max}, mean ${stackDepth.mean.toFixed(1)}`],
    ['locations', groupDigits(stats.locations)],
    ['  without lines', groupDigits(stats.unsymbolizedLocations)],
    ['  with inlining', groupDigits(stats.locationsWithInlining)],
    ['  without mapping', groupDigits(stats.locationsWithoutMapping)],
    ['lines', groupDigits(stats.lines)],
    ['functions', groupDigits(stats.functions)],
    ['mappings', groupDigits(stats.mappings)],
    ['strings', `${groupDigits(stats.strings)}, ${formatValue(stats.stringBytes, 'bytes')}`],
    ...(stats.negativeSamples === 0 ? [] : [['samples with negative values', groupDigits(stats.negativeSamples)]]),
    ...(stats.unknownFields === 0 ? [] : [['unknown fields', groupDigits(stats.unknownFields)]]),
    ...(timeNanos === 0n ? [] : [['taken at', new Date(Number(timeNanos / 1_000_000n)).toISOString()]]),
    ...(durationNanos === 0n ? [] : [['duration', formatValue(durationNanos, 'nanoseconds')]]),
    ...stats.labels.map(({ key, samples, values }) => [
      `label ${key}`,
      `${groupDigits(samples)} samples, ${groupDigits(values)} values`,
    ]),
  ];
}
