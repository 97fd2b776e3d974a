/** `pipe profile diff A B`: what changed from A to B, by function. In the order of diff(1) and benchstat: the older one first. */

import type { Top } from '../../profile/figures/top.js';
import type { Profile } from '../../profile/profile.js';
import { ExitCode } from '../exit-codes.js';
import { typeOption } from '../top-table.js';
import { type Call, CallProblem, type Verb } from '../verb.js';

export const profileDiff: Verb = {
  words: ['profile', 'diff'],
  summary: 'print what changed from the first profile to the second, by function',
  positionals: [
    { name: 'before', describe: 'the profile to compare with, a folder of several, or - for stdin' },
    { name: 'after', describe: 'the profile whose change is wanted, a folder of several, or - for stdin' },
  ],
  options: {
    type: typeOption,
    normalize: { kind: 'flag', describe: 'scale first, so that the totals are those of the (first) profile before' },
    limit: { kind: 'count', least: 1, describe: 'rows to print; default: 20, all with --json' },
    json: {
      kind: 'flag',
      describe:
        'one JSON object: {version, sampleType, total, baseTotal, rows: [{function, flat, cum, base}]}; of folders ' +
        '{version, sampleType, profiles, total, rows: [{function, flat, cum}]} with mean, interval and p of each',
    },
  },
  examples: [
    [
      'pipe profile diff before.pb.gz after.pb.gz',
      'positive: it grew; as `go tool pprof -base before.pb.gz after.pb.gz`, shares as with -diff_base',
    ],
    ['pipe profile diff runs/old runs/new', 'two folders of profiles: means, and whether a change is more than noise'],
  ],
  async run(call) {
    const { profilesIn } = await import('../files.js');
    const [beforePath, afterPath] = [call.argument('before'), call.argument('after')];
    if (beforePath === '-' && afterPath === '-') {
      throw new CallProblem('usage', 'stdin holds one profile only', ExitCode.usage);
    }
    const [before, after] = [await profilesIn(beforePath), await profilesIn(afterPath)];
    if (before.length === 1 && after.length === 1) await diffOfTwo(call, before[0]!, after[0]!);
    else await diffOfMany(call, { path: beforePath, files: before }, { path: afterPath, files: after });
    return ExitCode.ok;
  },
};

async function diffOfTwo(call: Call, baseFile: string, file: string): Promise<void> {
  const { readProfile, guardFormat } = await import('../read-profile.js');
  const { diffFunctions } = await import('../../profile/figures/diff.js');
  const profile = await readProfile(file, call.err);
  const base = await readProfile(baseFile, call.err);
  const options = { sampleType: call.text('type'), normalize: call.flag('normalize') };
  const diff = await guardFormat(`${file} and ${baseFile}`, () => diffFunctions(profile, base, options));
  const limit = call.count('limit');
  if (call.flag('json')) {
    const { type, unit } = diff.sampleType;
    const { total, baseTotal, rows } = diff;
    call.out.json({ version: 1, sampleType: { type, unit }, total, baseTotal, rows: rows.slice(0, limit) });
  } else {
    const { printDiff } = await import('../diff-table.js');
    await printDiff(diff, limit, call.out);
  }
}

interface Side {
  readonly path: string;
  readonly files: readonly string[];
}

async function diffOfMany(call: Call, before: Side, after: Side): Promise<void> {
  const { readProfile, guardFormat } = await import('../read-profile.js');
  const { topFunctions } = await import('../../profile/figures/top.js');
  const { normalizeTo } = await import('../../profile/edit/scale.js');
  const { statisticalDiff } = await import('../../profile/figures/diff-statistics.js');
  for (const { path, files } of [before, after]) {
    if (files.length > 1) continue;
    throw new CallProblem('E_TOO_FEW', `${path}: one profile; statistics need two or more a side`, ExitCode.usage);
  }
  let first: Profile | undefined;
  let sampleType = call.text('type');
  const topOf = async (file: string): Promise<Top> => {
    const profile = await readProfile(file, call.err);
    if (call.flag('normalize')) first ??= profile;
    const top = await guardFormat(file, () =>
      topFunctions(first === undefined ? profile : normalizeTo(profile, first), sampleType),
    );
    sampleType ??= top.sampleType.type;
    return top;
  };
  const sides: [Top[], Top[]] = [[], []];
  for (const file of before.files) sides[0].push(await topOf(file));
  for (const file of after.files) sides[1].push(await topOf(file));
  const diff = await guardFormat(`${before.path} and ${after.path}`, () => statisticalDiff(...sides));
  const counts = { before: before.files.length, after: after.files.length };
  const limit = call.count('limit');
  if (call.flag('json')) {
    const { type, unit } = diff.sampleType;
    const rows = diff.rows.slice(0, limit).map(({ function: name, flat, cum, isSignificant }) => ({
      function: name,
      flat: { ...flat, isSignificant: isSignificant.flat },
      cum: { ...cum, isSignificant: isSignificant.cum },
    }));
    call.out.json({ version: 1, sampleType: { type, unit }, profiles: counts, total: diff.total, rows });
  } else {
    const { printStatisticalDiff } = await import('../diff-table.js');
    await printStatisticalDiff(diff, counts, limit, call.out);
  }
}
