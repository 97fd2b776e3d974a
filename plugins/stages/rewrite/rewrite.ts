/** The rules of the options as maps of texts. */
import { compilePattern, type OptionProblem, type TextMaps, UsageError } from '../../../core/index.js';
import type { RewriteOptions } from '../../../schemas/gen/options/rewrite.js';

type Rules = NonNullable<RewriteOptions['files']>;

/** @throws UsageError E_PATTERN */
export async function compileRules({ files, mappings, functions }: RewriteOptions): Promise<TextMaps> {
  return {
    filename: await compileList('files', files),
    mappingFile: await compileList('mappings', mappings),
    functionName: await compileList('functions', functions),
  };
}

async function compileList(option: keyof RewriteOptions, rules: Rules = []) {
  if (rules.length === 0) return undefined;
  const compiled = await Promise.all(
    rules.map(async ({ from, to }, index) => ({ pattern: (await compilePattern([option, index, 'from'], from))!, to })),
  );
  return (text: string) => compiled.reduce((changed, { pattern, to }) => pattern.replace(changed, to), text);
}

export async function rewriteProblems(options: RewriteOptions): Promise<OptionProblem[]> {
  const problems: OptionProblem[] = [];
  for (const [option, rules] of Object.entries(options) as [keyof RewriteOptions, Rules][]) {
    for (const [index, { from }] of rules.entries()) {
      try {
        await compilePattern([option, index, 'from'], from);
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        problems.push({ path: error.option, message: error.message });
      }
    }
  }
  return problems;
}
