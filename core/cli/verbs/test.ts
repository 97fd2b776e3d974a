/** `pipe test`: the cases of pipelines, NAME.test.yml beside NAME.yml. Nothing is written where the pipelines would write. */
import { type Finding, formatFinding } from '../../config/finding.js';
import type { PipelineCase } from '../../config/pipeline-cases.js';
import { ExitCode } from '../exit-codes.js';
import type { Mismatch } from '../pipeline-tests/check-case.js';
import type { CaseResult } from '../pipeline-tests/run-case.js';
import type { TestFile } from '../pipeline-tests/test-file.js';
import type { Call, Verb } from '../verb.js';

export const test: Verb = {
  words: ['test'],
  summary: 'run the cases of pipelines: inputs and what must come out, in NAME.test.yml beside NAME.yml',
  positionals: [{ name: 'pipeline', describe: 'file, or name of a shipped pipeline', isMany: true }],
  options: {
    update: {
      kind: 'flag',
      describe: 'write what came out as what is expected; look at the difference before you commit it',
    },
    json: { kind: 'flag', describe: 'one JSON object: {version, cases}' },
  },
  examples: [
    ['pipe test enrich.yml', 'the cases of enrich.test.yml; exit code 20 when one of them fails'],
    ['pipe test my.yml --update', 'write down what comes out; the file may begin with `cases: [{ name: it runs }]`'],
  ],
  async complete() {
    return (await import('../pipelines.js')).shippedPipelines();
  },
  async run(call) {
    const { readTestFile } = await import('../pipeline-tests/test-file.js');
    const read = await Promise.all(call.rest('pipeline').map((name) => readTestFile(name, call.currentFolder)));
    const findings = read.flatMap((one) => one.findings);
    if (findings.length > 0) return refuse(findings, call);
    const done: CaseReport[] = [];
    for (const { tests } of read) {
      for await (const report of runCases(tests!, call)) {
        done.push(report);
        if (!call.flag('json')) print(report, call);
        if (report.interrupted !== undefined) return report.interrupted;
      }
    }
    const failed = done.filter(({ mismatches }) => mismatches.length > 0).length;
    if (call.flag('json')) {
      const cases = done.map(({ pipeline, name, mismatches }) => ({
        pipeline,
        name,
        passed: mismatches.length === 0,
        mismatches,
      }));
      call.out.json({ version: 1, cases });
    } else call.out.line(`${done.length} ${done.length === 1 ? 'case' : 'cases'}, ${failed} failed`);
    return failed === 0 ? ExitCode.ok : ExitCode.badInput;
  },
};

interface CaseReport {
  readonly pipeline: string;
  readonly name: string;
  readonly mismatches: readonly Mismatch[];
  /** Exit code of a run that a signal ended. */
  readonly interrupted?: number;
}

function refuse(findings: readonly Finding[], call: Call): number {
  if (call.flag('json')) call.out.json({ version: 1, exitCode: ExitCode.usage, findings });
  for (const finding of findings) call.err.line(formatFinding(finding));
  return ExitCode.usage;
}

/** With --update a case fails only when it cannot start. */
async function* runCases(tests: TestFile, call: Call): AsyncGenerator<CaseReport> {
  const { runCase, CaseRefused } = await import('../pipeline-tests/run-case.js');
  const { checkCase } = await import('../pipeline-tests/check-case.js');
  const results = new Map<PipelineCase, CaseResult>();
  for (const given of tests.cases) {
    const named = { pipeline: tests.pipeline, name: given.name };
    try {
      const result = await runCase(call, tests, given);
      if (result.exitCode === ExitCode.interrupted || result.exitCode === ExitCode.terminated) {
        yield { ...named, mismatches: [{ what: 'interrupted' }], interrupted: result.exitCode };
        return;
      }
      const mismatches = checkCase(result, given);
      if (mismatches.length > 0 || given.expect === undefined) results.set(given, result);
      yield { ...named, mismatches: call.flag('update') ? [] : mismatches };
    } catch (error) {
      if (!(error instanceof CaseRefused)) throw error;
      yield { ...named, mismatches: [{ what: 'it cannot start' }, ...error.lines.map((what) => ({ what }))] };
    }
  }
  if (!call.flag('update')) return;
  const { writeExpectations } = await import('../pipeline-tests/update.js');
  for (const path of writeExpectations(tests, results)) call.err.line(`written: ${path}`);
}

const styles = { '-': 'red', '+': 'green', ' ': 'dim', '…': 'dim' } as const;

function print({ pipeline, name, mismatches }: CaseReport, { out }: Call): void {
  const passed = mismatches.length === 0;
  out.line(passed ? { text: 'ok   ', style: 'green' } : { text: 'FAIL ', style: 'red' }, `${pipeline}: ${name}`);
  for (const { what, diff = [] } of mismatches) {
    out.line(`  ${what}${diff.length === 0 ? '' : ' (- expected, + got)'}`);
    for (const { mark, text } of diff) out.line({ text: `    ${mark} ${text}`, style: styles[mark] });
  }
}
