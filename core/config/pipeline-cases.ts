/** The cases of a pipeline, as schemas/pipeline-test.schema.json describes them. */
import { pipelineTestSchema } from '../../schemas/gen/pipeline-test.js';
import type { Findings } from './finding.js';
import { compile, validate } from './validate.js';
import { readYaml, type YamlFile } from './yaml.js';

export interface PipelineCase {
  readonly name: string;
  readonly set?: Readonly<Record<string, string | number | boolean>>;
  /** By file name: stacks as text, or an absolute path. */
  readonly input?: Readonly<Record<string, string | { readonly file: string }>>;
  readonly expect?: Expectation;
}

export interface Expectation {
  readonly exit?: number;
  readonly dead_letters?: Readonly<Record<string, string>>;
  readonly outputs?: Readonly<Record<string, ExpectedOutput>>;
}

export interface ExpectedOutput {
  readonly stacks?: string;
  /** Absolute. */
  readonly file?: string;
  readonly totals?: Readonly<Record<string, number | string>>;
  readonly top?: Readonly<Record<string, readonly string[]>>;
}

/** @returns undefined after adding at least one finding */
export async function readCases(source: YamlFile, findings: Findings): Promise<readonly PipelineCase[] | undefined> {
  await compile(pipelineTestSchema);
  const tree = readYaml(source, findings);
  const checked = tree && validate(pipelineTestSchema, tree, { where: '', base: source.base }, findings);
  return (checked?.value as { readonly cases: readonly PipelineCase[] } | undefined)?.cases;
}
