/** All verbs, in the order of `pipe --help`. They load what they need when they run, not before. */
import type { Verb } from '../verb.js';
import { binaryChecks } from './binary-checks.js';
import { binaryFrames } from './binary-frames.js';
import { binarySymbolize } from './binary-symbolize.js';
import { binaryUnwindTable } from './binary-unwind-table.js';
import { completion } from './completion.js';
import { explain } from './explain.js';
import { graph } from './graph.js';
import { lint } from './lint.js';
import { list } from './list.js';
import { profileDiff } from './profile-diff.js';
import { profileStats } from './profile-stats.js';
import { profileText } from './profile-text.js';
import { profileTop } from './profile-top.js';
import { run } from './run.js';
import { schema } from './schema.js';
import { test } from './test.js';

export const verbs: readonly Verb[] = [
  run,
  lint,
  test,
  graph,
  list,
  explain,
  schema,
  completion,
  profileTop,
  profileText,
  profileStats,
  profileDiff,
  binaryChecks,
  binaryFrames,
  binarySymbolize,
  binaryUnwindTable,
];
