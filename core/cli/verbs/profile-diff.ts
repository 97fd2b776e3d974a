/** `pipe profile diff`: what one profile has more than another, by function. */
import { ExitCode } from '../exit-codes.js';
import { printTop, typeOption } from '../top-table.js';
import { CallProblem, type Verb } from '../verb.js';

export const profileDiff: Verb = {
  words: ['profile', 'diff'],
  summary: 'print what changed between two profiles, by function: the first minus the second',
  positionals: [
    { name: 'profile', describe: 'the profile, or - for stdin' },
    { name: 'base', describe: 'the profile that is taken off it, or - for stdin' },
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
    ['pipe profile diff after.pb.gz before.pb.gz', 'positive: more than before; shares are of the first profile'],
  ],
  async run(call) {
    const { readProfile, guardFormat } = await import('../read-profile.js');
    const { diffFunctions } = await import('../../profile/diff.js');
    const [file, baseFile] = [call.argument('profile'), call.argument('base')];
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
