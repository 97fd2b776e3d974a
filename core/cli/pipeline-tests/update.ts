/** `pipe test --update`: expectations as they came out, in the test file and in the files that it names. */
import { writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { makeFolder } from '../../binary/folder.js';
import type { Expectation, ExpectedOutput, PipelineCase } from '../../config/pipeline-cases.js';
import { editYaml, type YamlEdit } from '../../config/yaml-edit.js';
import { stacksOfProfile } from '../../profile/edit/stacks.js';
import { cannotWrite } from '../files.js';
import { textOf, topOf, totalsOf } from './facts.js';
import type { CaseOutput, CaseResult } from './run-case.js';
import type { TestFile } from './test-file.js';

/** Stacks of more lines stand in a test file no more: totals and the first functions do. */
const MOST_LINES = 40;
const TOP_FUNCTIONS = 5;

/** @param results by case, those to be written @returns the paths written @throws CallProblem */
export function writeExpectations(tests: TestFile, results: ReadonlyMap<PipelineCase, CaseResult>): string[] {
  const written: string[] = [];
  const write = (path: string, text: string) => {
    try {
      makeFolder(dirname(path));
      writeFileSync(path, text);
    } catch (error) {
      throw cannotWrite(path, error);
    }
    written.push(path);
  };
  const edits: YamlEdit[] = [];
  for (const [given, result] of results) {
    const expect = expectationOf(tests, given, result, write);
    edits.push({ path: ['cases', tests.cases.indexOf(given), 'expect'], value: expect });
  }
  if (edits.length > 0) write(tests.path, editYaml(tests.text, edits));
  return written;
}

type Write = (path: string, text: string) => void;

/** The facts that the case asks for; of a case that expects nothing yet, those that tell its outputs best. */
function expectationOf(tests: TestFile, given: PipelineCase, result: CaseResult, write: Write): Expectation {
  const { expect } = given;
  const deadLetters = Object.fromEntries([...result.deadLetters].map(([input, { code }]) => [input, code]));
  const isToldByLetters = result.deadLetters.size > 0 && result.exitCode === 20;
  const outputs: [string, ExpectedOutput][] = [];
  for (const [path, output] of expect !== undefined && expect.outputs === undefined ? [] : result.outputs) {
    const file = join(tests.folder, `${basename(tests.path, '.test.yml')}.expected`, slug(given.name), path);
    const asked = expect?.outputs?.[path] ?? firstFacts(output, file);
    outputs.push([path, outputFacts(output, asked, tests.folder, write)]);
  }
  return {
    ...(result.exitCode === 0 || isToldByLetters ? {} : { exit: result.exitCode }),
    ...(result.deadLetters.size === 0 ? {} : { dead_letters: deadLetters }),
    ...(outputs.length === 0 ? {} : { outputs: Object.fromEntries(outputs) }),
  };
}

const slug = (name: string) =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');

function firstFacts({ profile }: CaseOutput, file: string): ExpectedOutput {
  if (profile === undefined) return { file };
  const stacks = stacksOfProfile(profile);
  if (stacks.split('\n').length <= MOST_LINES) return { stacks };
  const types = [...totalsOf(profile).keys()];
  return {
    totals: Object.fromEntries(types.map((type) => [type, 0])),
    top: Object.fromEntries(types.map((type) => [type, Array(TOP_FUNCTIONS).fill('')])),
  };
}

function outputFacts(output: CaseOutput, asked: ExpectedOutput, folder: string, write: Write): ExpectedOutput {
  const { profile } = output;
  const text = asked.file === undefined ? undefined : textOf(output);
  if (asked.file !== undefined && text !== undefined) write(asked.file, text);
  const file = asked.file === undefined ? {} : { file: relative(folder, asked.file) };
  if (profile === undefined) return file;
  const sums = totalsOf(profile);
  const known = <T>(facts: Readonly<Record<string, T>>) => Object.entries(facts).filter(([type]) => sums.has(type));
  return {
    ...(asked.stacks === undefined ? {} : { stacks: stacksOfProfile(profile) }),
    ...file,
    ...(asked.totals === undefined
      ? {}
      : { totals: Object.fromEntries(known(asked.totals).map(([type]) => [type, exact(sums.get(type)!)])) }),
    ...(asked.top === undefined
      ? {}
      : {
          top: Object.fromEntries(known(asked.top).map(([type, names]) => [type, topOf(profile, type, names.length)])),
        }),
  };
}

/** A number up to 2^53, its digits beyond. */
const exact = (sum: bigint): number | string => (Number.isSafeInteger(Number(sum)) ? Number(sum) : String(sum));
