/**
 * Regular expressions with RE2's syntax, which is pprof's, and its promise: time linear in the text. JavaScript's own engine
 * backtracks; one `(a+)+$` against a name made for it would stop a run for good.
 */
import type { RE2JS } from 're2js';
import { type Profile, stringAt, UsageError } from '../../../core/index.js';

export interface Pattern {
  /** Whether it matches anywhere in a text. */
  test(text: string): boolean;
}

/** Compiles an option's value; undefined for one that is not set or empty. The library is loaded only when there is one. */
export async function compilePattern(option: string, source: string | undefined): Promise<Pattern | undefined> {
  if (source === undefined || source === '') return undefined;
  const { RE2JS } = await import('re2js');
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(source);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError('E_PATTERN', reason, { cause, option: [option] });
  }
  return { test: (text) => compiled.test(text) };
}

/** Matches strings of a profile by their rows, each distinct one once. */
export function rowMatcher({ strings }: Profile, pattern: Pattern): (row: number) => boolean {
  /** 0 not asked yet, 1 no, 2 yes. */
  const answers = new Uint8Array(strings.length);
  return (row) => {
    if (answers[row] === 0) answers[row] = pattern.test(stringAt(strings, row)) ? 2 : 1;
    return answers[row] === 2;
  };
}
