/** `pipe profile diff A B`: what changed from A to B, by function. In the order of diff(1) and benchstat: the older one first. */
import { ExitCode } from '../exit-codes.js';
import { printTop, typeOption } from '../top-table.js';
import { CallProblem, type Verb } from '../verb.js';

export const profileDiff: Verb = {
  words: ['profile', 'diff'],
  summary: 'print what changed from the first profile to the second, by function',
  positionals: [
    { name: 'before', describe: 'the profile to compare with, or - for stdin' },
    { name: 'after', describe: 'the profile whose change is wanted, or - for stdin' },
  ],
  options: {
    type: typeOption,
    limit: { kind: 'count', least: 1, describe: 'rows to print; default: 20, all with --json' },
    json: {
      kind: 'flag',
      describe: 'one JSON object: {version, sampleType, total, baseTotal, rows: [{function, flat, cum}]}',
    },
  },
  examples: [
    [
      'pipe profile diff before.pb.gz after.pb.gz',
      'positive: it grew; as `go tool pprof -base before.pb.gz after.pb.gz`',
    ],
  ],
  async run(call) {
    const { readProfile, guardFormat } = await import('../read-profile.js');
    const { diffFunctions } = await import('../../profile/diff.js');
    const [baseFile, file] = [call.argument('before'), call.argument('after')];
    if (file === '-' && baseFile === '-')
      throw new CallProblem('usage', 'stdin holds one profile only', ExitCode.usage);
    const profile = await readProfile(file, call.err);
    const base = await readProfile(baseFile, call.err);
    const diff = await guardFormat(`${file} and ${baseFile}`, () => diffFunctions(profile, base, call.text('type')));
    const limit = call.count('limit');
    if (call.flag('json')) {
      const { type, unit } = diff.sampleType;
      const { total, baseTotal, rows } = diff;
      call.out.json({ version: 1, sampleType: { type, unit }, total, baseTotal, rows: rows.slice(0, limit) });
    } else {
      await printTop(diff, limit, call.out);
    }
    return ExitCode.ok;
  },
};
