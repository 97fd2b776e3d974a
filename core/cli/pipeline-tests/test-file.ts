/** NAME.test.yml, the cases of NAME.yml: found and read. */
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Finding, Findings } from '../../config/finding.js';
import { type PipelineCase, readCases } from '../../config/pipeline-cases.js';
import { yamlLimits } from '../../config/yaml.js';
import { ExitCode } from '../exit-codes.js';
import { readInput } from '../files.js';
import { openPipeline } from '../pipelines.js';
import { CallProblem } from '../verb.js';

export interface TestFile {
  /** The pipeline, as it was named. */
  readonly pipeline: string;
  /** Absolute. */
  readonly path: string;
  /** Absolute; relative paths in the file and outputs of the cases start from it. */
  readonly folder: string;
  readonly text: string;
  readonly cases: readonly PipelineCase[];
}

/**
 * @param name of a pipeline, or of its test file
 * @returns the file, or all that is wrong with it @throws CallProblem when there is none
 */
export async function readTestFile(
  name: string,
  currentFolder: string,
): Promise<{ readonly tests?: TestFile; readonly findings: readonly Finding[] }> {
  const pipeline = name.replace(/\.test(?=\.ya?ml$)/, '');
  const { file, base } = await openPipeline(pipeline, currentFolder);
  if (file === '-') throw new CallProblem('usage', 'a pipeline on stdin has no test file', ExitCode.usage);
  const path = join(base, basename(file).replace(/(\.ya?ml)?$/, '.test.yml'));
  const shown = file.replace(/(\.ya?ml)?$/, '.test.yml');
  if (!existsSync(path)) {
    const example = '{ cases: [{ name: it runs }] }';
    throw new CallProblem(
      'ENOENT',
      `${shown}: no such file; the cases of ${file} stand there. Begin with "${example}" and --update`,
      ExitCode.usage,
    );
  }
  const bytes = await readInput(path, yamlLimits.bytes, ExitCode.usage);
  const findings = new Findings();
  const cases = await readCases({ file: shown, bytes, base }, findings);
  if (cases === undefined) return { findings: findings.sorted() };
  const text = new TextDecoder().decode(bytes);
  return { tests: { pipeline, path, folder: base, text, cases }, findings: [] };
}
