/** A case's result against what it expects. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import type { ExpectedOutput, PipelineCase } from '../../config/pipeline-cases.js';
import { stacksOfProfile } from '../../profile/edit/stacks.js';
import type { Profile } from '../../profile/profile.js';
import { textOf, topOf, totalsOf } from './facts.js';
import { type DiffLine, diffLines } from './line-diff.js';
import type { CaseOutput, CaseResult } from './run-case.js';

/** One thing that is not as expected. */
export interface Mismatch {
  readonly what: string;
  readonly diff?: readonly DiffLine[];
}

/** Nothing when all is as expected. Outputs are looked at only where the case names some. */
export function checkCase(result: CaseResult, { expect = {} }: PipelineCase): Mismatch[] {
  const { exit, dead_letters: deadLetters = {}, outputs } = expect;
  const mismatches = [...checkDeadLetters(result, deadLetters)];
  // An expected dead letter says by itself how the run ends.
  const wanted = exit ?? (Object.keys(deadLetters).length > 0 ? 20 : 0);
  if (result.exitCode !== wanted) {
    const why = result.stopped === undefined ? '' : `: ${result.stopped}`;
    mismatches.push({ what: `exit code ${wanted} expected, got ${result.exitCode}${why}` });
  }
  for (const [path, facts] of Object.entries(outputs ?? {})) {
    const output = result.outputs.get(path);
    if (output === undefined) mismatches.push({ what: `${path}: no such output; there ${came(result)}` });
    else for (const { what, diff } of checkOutput(output, facts)) mismatches.push(about(`${path}: ${what}`, diff));
  }
  for (const path of outputs === undefined ? [] : result.outputs.keys()) {
    if (!Object.hasOwn(outputs!, path)) mismatches.push({ what: `${path}: an output that is not expected` });
  }
  return mismatches;
}

const about = (what: string, diff: readonly DiffLine[] | undefined): Mismatch =>
  diff === undefined ? { what } : { what, diff };

function came({ outputs }: CaseResult): string {
  if (outputs.size === 0) return 'are none';
  return `${outputs.size === 1 ? 'is' : 'are'} ${[...outputs.keys()].join(', ')}`;
}

function* checkDeadLetters(
  { deadLetters: actual }: CaseResult,
  expected: Readonly<Record<string, string>>,
): Generator<Mismatch> {
  for (const [input, { code, message }] of actual) {
    const wanted = Object.hasOwn(expected, input) ? expected[input] : undefined;
    if (wanted === code) continue;
    yield { what: `dead letter ${input}: ${wanted ?? 'none'} expected, got ${code}: ${message}` };
  }
  for (const [input, code] of Object.entries(expected)) {
    if (!actual.has(input)) yield { what: `dead letter ${input}: ${code} expected, got none` };
  }
}

function* checkOutput(output: CaseOutput, { file, ...ofProfile }: ExpectedOutput): Generator<Mismatch> {
  if (file !== undefined) yield* checkFile(output, file);
  if (Object.keys(ofProfile).length === 0) return;
  if (output.profile === undefined) {
    yield { what: `its codec only writes, so it has no ${Object.keys(ofProfile).join(', ')}; compare it by "file"` };
    return;
  }
  yield* checkProfileFacts(output.profile, ofProfile);
}

function* checkFile(output: CaseOutput, file: string): Generator<Mismatch> {
  const text = textOf(output);
  if (text === undefined) yield { what: `neither text nor a profile, so it cannot be compared with ${file}` };
  else if (!existsSync(file)) yield { what: `no such file: ${file}; --update writes it` };
  else if (!statSync(file).isFile()) yield { what: `no file: ${file}` };
  else yield* differing(`differs from ${file}`, readFileSync(file, 'utf8'), text);
}

function* checkProfileFacts(profile: Profile, { stacks, totals = {}, top = {} }: ExpectedOutput): Generator<Mismatch> {
  if (stacks !== undefined) yield* differing('other stacks', withNewline(stacks), stacksOfProfile(profile));
  const sums = totalsOf(profile);
  const types = `the profile has ${[...sums.keys()].join(', ')}`;
  for (const [type, wanted] of Object.entries(totals)) {
    const sum = sums.get(type);
    if (sum === undefined) yield { what: `totals: no sample type "${type}"; ${types}` };
    else if (sum !== BigInt(wanted)) yield { what: `total ${type}: ${wanted} expected, got ${sum}` };
  }
  for (const [type, wanted] of Object.entries(top)) {
    if (!sums.has(type)) yield { what: `top: no sample type "${type}"; ${types}` };
    else yield* differing(`other top ${type}`, wanted.join('\n'), topOf(profile, type, wanted.length).join('\n'));
  }
}

/** In YAML the newline behind the last line is easily lost. */
const withNewline = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`);

function* differing(what: string, expected: string, actual: string): Generator<Mismatch> {
  if (expected !== actual) yield { what, diff: diffLines(expected, actual) };
}
