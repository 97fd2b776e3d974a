/** Words that may stand next, for the scripts of `pipe completion`. */
import { globalOptions } from './parse-call.js';
import type { Verb } from './verb.js';

/** @param words after "pipe", the last one unfinished @returns whole words that begin as it does */
export async function completions(words: readonly string[], verbs: readonly Verb[]): Promise<readonly string[]> {
  const current = words.at(-1) ?? '';
  return [...(await candidates(words.slice(0, -1), current, verbs))].filter((word) => word.startsWith(current));
}

async function candidates(
  before: readonly string[],
  current: string,
  verbs: readonly Verb[],
): Promise<Iterable<string>> {
  const verb = verbs.find((known) => known.words.every((word, index) => before[index] === word));
  if (current.startsWith('-'))
    return Object.keys({ ...verb?.options, ...globalOptions }).map((option) => `--${option}`);
  if (verb !== undefined) {
    const positional = verb.positionals[before.length - verb.words.length];
    return positional === undefined ? [] : ((await verb.complete?.(positional.name)) ?? []);
  }
  const following = verbs.filter(({ words }) => before.every((word, index) => words[index] === word));
  return new Set(following.flatMap(({ words }) => words[before.length] ?? []));
}
