/**
 * Regular expressions in options: with RE2's syntax, which is pprof's, and its promise: time linear in the text. JavaScript's own engine
 * backtracks; one `(a+)+$` against a name made for it would stop a run for good.
 */
import type { RE2JS } from 're2js';
import { type Profile, stringAt } from '../../profile/profile.js';
import { UsageError } from '../contract/errors.js';

export interface Pattern {
  /** Whether it matches anywhere in a text. */
  test(text: string): boolean;
}

/** An expression that replaces what it matches, and says what its groups caught. */
export interface ReplacingPattern extends Pattern {
  /** Every match replaced: `$1` and `$<name>` stand for what a group caught, `$&` for the match. */
  replace(text: string, replacement: string): string;
  /** Texts of the named groups of the first match, "" for one that took no part; undefined when nothing matches. */
  groups(text: string): Readonly<Record<string, string>> | undefined;
}

/** Where an option stands: its name, or keys and indexes from the plugin's options to it. */
export type OptionPath = string | readonly (string | number)[];

/**
 * Compiles an option's value; undefined for one that is not set or empty. The library is loaded only when there is one.
 * @throws UsageError E_PATTERN
 */
export async function compilePattern(
  option: OptionPath,
  source: string | undefined,
): Promise<ReplacingPattern | undefined> {
  if (source === undefined || source === '') return undefined;
  const { RE2JS } = await import('re2js');
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(source);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError('E_PATTERN', reason, { cause, option: typeof option === 'string' ? [option] : option });
  }
  return {
    test: (text) => compiled.test(text),
    replace: (text, replacement) => compiled.matcher(text).replaceAll(replacement),
    groups(text) {
      const match = compiled.exec(text) as { readonly groups?: Record<string, string | undefined> } | null;
      if (match === null) return undefined;
      return Object.fromEntries(Object.entries(match.groups ?? {}).map(([name, caught]) => [name, caught ?? '']));
    },
  };
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
