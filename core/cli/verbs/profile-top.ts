/** `pipe profile top`: the functions where the value is. */
import { ExitCode } from '../exit-codes.js';
import { printTop, typeOption } from '../top-table.js';
import type { Verb } from '../verb.js';

export const profileTop: Verb = {
  words: ['profile', 'top'],
  summary: 'print the functions with the largest values',
  positionals: [{ name: 'file', describe: 'a profile, or - for stdin' }],
  options: {
    type: typeOption,
    limit: { kind: 'count', least: 1, describe: 'rows to print; default: 20, all with --json' },
    json: { kind: 'flag', describe: 'one JSON object: {version, sampleType, total, rows: [{function, flat, cum}]}' },
  },
  examples: [
    ['pipe profile top cpu.pb.gz', 'flat: in the function itself; cum: with what it calls'],
    [
      'curl -s http://localhost:6060/debug/pprof/heap | pipe profile top - --type alloc_space',
      'of a profile from stdin',
    ],
  ],
  async run(call) {
    const { readProfile, guardFormat } = await import('../read-profile.js');
    const { topFunctions } = await import('../../profile/figures/top.js');
    const file = call.argument('file');
    const profile = await readProfile(file, call.err);
    const { sampleType, total, rows } = await guardFormat(file, () => topFunctions(profile, call.text('type')));
    const limit = call.count('limit');
    if (call.flag('json')) {
      const { type, unit } = sampleType;
      call.out.json({ version: 1, sampleType: { type, unit }, total, rows: rows.slice(0, limit) });
    } else {
      await printTop({ sampleType, total, rows }, limit, call.out);
    }
    return ExitCode.ok;
  },
};
