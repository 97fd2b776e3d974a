/** All verbs, in the order of `pipe --help`. A call loads its own, and a verb loads what it needs when it runs. */
import type { Verb } from '../verb.js';

/** By their words. */
const loaders: ReadonlyMap<string, () => Promise<Verb>> = new Map([
  ['run', async () => (await import('./run.js')).run],
  ['lint', async () => (await import('./lint.js')).lint],
  ['test', async () => (await import('./test.js')).test],
  ['graph', async () => (await import('./graph.js')).graph],
  ['list', async () => (await import('./list.js')).list],
  ['explain', async () => (await import('./explain.js')).explain],
  ['schema', async () => (await import('./schema.js')).schema],
  ['init', async () => (await import('./init.js')).init],
  ['completion', async () => (await import('./completion.js')).completion],
  ['profile top', async () => (await import('./profile-top.js')).profileTop],
  ['profile text', async () => (await import('./profile-text.js')).profileText],
  ['profile stats', async () => (await import('./profile-stats.js')).profileStats],
  ['profile diff', async () => (await import('./profile-diff.js')).profileDiff],
  ['binary checks', async () => (await import('./binary-checks.js')).binaryChecks],
  ['binary frames', async () => (await import('./binary-frames.js')).binaryFrames],
  ['binary symbolize', async () => (await import('./binary-symbolize.js')).binarySymbolize],
  ['binary unwind-table', async () => (await import('./binary-unwind-table.js')).binaryUnwindTable],
  ['plugin init', async () => (await import('./plugin-init.js')).pluginInit],
]);

/** For help and completion. */
export function allVerbs(): Promise<readonly Verb[]> {
  return Promise.all([...loaders.values()].map((load) => load()));
}

/** The verb that a call begins with; where it begins with none (with an option, or a word that is wrong), all of them. */
export async function verbsOf(args: readonly string[]): Promise<readonly Verb[]> {
  const load = loaders.get(args[0] ?? '') ?? loaders.get(args.slice(0, 2).join(' '));
  return load === undefined ? allVerbs() : [await load()];
}
