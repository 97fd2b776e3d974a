/** `pipe init`: a first pipeline, with comments, and a case for it. */
import { dirname, relative, resolve } from 'node:path';
import { ExitCode } from '../exit-codes.js';
import type { Verb } from '../verb.js';

export const init: Verb = {
  words: ['init'],
  summary: 'write a first pipeline, with comments, and a case for `pipe test`',
  positionals: [{ name: 'file', describe: 'the pipeline; pipeline.yml by default', isOptional: true }],
  options: {
    profiles: {
      kind: 'text',
      describe: 'what it reads: a file, a folder or a pattern; else a parameter without a default',
    },
    binary: { kind: 'text', describe: 'the program that the profiles were taken from, to look up addresses' },
    merge: { kind: 'flag', describe: 'one output for all inputs, instead of one for each' },
  },
  examples: [["pipe init cpu.yml --profiles 'cpu/*.pb.gz' --binary ./server --merge", 'then: pipe run cpu.yml']],
  async run(call) {
    const { firstCases, firstPipeline } = await import('../scaffold/pipeline.js');
    const { writeNew } = await import('../scaffold/write-new.js');
    const path = resolve(call.currentFolder, call.text('file') ?? 'pipeline.yml').replace(
      /(\.ya?ml)?$/,
      (ending) => ending || '.yml',
    );
    const folder = dirname(path);
    const fromFile = (given: string | undefined) =>
      given === undefined ? undefined : relative(folder, resolve(call.currentFolder, given)) || '.';
    const profiles = fromFile(call.text('profiles'));
    const binary = fromFile(call.text('binary'));
    const first = {
      path,
      merges: call.flag('merge'),
      ...(profiles === undefined ? {} : { profiles }),
      ...(binary === undefined ? {} : { binary }),
    };
    const cases = path.replace(/(\.ya?ml)$/, '.test.yml');
    const files = new Map([
      [relative(folder, path), firstPipeline(first)],
      [relative(folder, cases), firstCases(first)],
    ]);
    writeNew(folder, files);
    for (const written of [path, cases]) call.out.line(relative(call.currentFolder, written));
    return ExitCode.ok;
  },
};
