/** `pipe profile text`: everything that a profile holds. */
import { ExitCode } from '../exit-codes.js';
import type { Verb } from '../verb.js';

export const profileText: Verb = {
  words: ['profile', 'text'],
  summary: 'print all of a profile as text, one row a line',
  positionals: [{ name: 'file', describe: 'a profile, or - for stdin' }],
  options: {},
  examples: [
    ['diff <(pipe profile text a.pb.gz) <(pipe profile text b.pb.gz)', 'how two profiles differ, to the last field'],
  ],
  async run(call) {
    const { readProfile } = await import('../read-profile.js');
    const { profileText: textOf } = await import('../../profile/figures/text.js');
    await call.out.lines(textOf(await readProfile(call.argument('file'), call.err)));
    return ExitCode.ok;
  },
};
