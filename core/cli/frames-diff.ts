/** `pipe binary frames A --diff B`: what the stacks of a program take since it was built anew. */
import type { Binary } from '../binary/binary.js';
import { diffFrames, type FrameChange } from '../binary/frames-diff.js';
import { frameCounts } from '../profile/figures/frame-counts.js';
import { functionPattern, withBinaryAt } from './go-binary.js';
import { guardFormat, readProfile } from './read-profile.js';
import type { Call } from './verb.js';

/** Growth of a frame, and what it makes on the stacks of a profile. */
interface Row extends FrameChange {
  readonly growth: number;
  readonly frames: bigint;
  readonly bytes: bigint;
}

export async function printFramesDiff(before: Binary, laterPath: string, call: Call): Promise<void> {
  const pattern = functionPattern(call);
  const profilePath = call.text('profile');
  const counts = profilePath === undefined ? undefined : await goroutineFrames(profilePath, call);
  const diff = await withBinaryAt(laterPath, async (after) => diffFrames(before, after));
  const rows = diff.changed
    .filter(({ function: name }) => pattern?.test(name) !== false)
    .map((change) => {
      const growth = change.after - change.before;
      const frames = change.was.reduce((sum, name) => sum + (counts?.get(name) ?? 0n), 0n);
      return { ...change, growth, frames, bytes: frames * BigInt(growth) };
    });
  const grown = rows.filter(({ growth }) => growth > 0);
  if (counts !== undefined) grown.sort((a, b) => (a.bytes === b.bytes ? 0 : a.bytes < b.bytes ? 1 : -1));
  if (call.flag('json')) await printJson(grown, counts !== undefined, call);
  else await printTable(grown, counts !== undefined, call);
  if (call.flag('json')) return;
  const { same, gone, added } = diff;
  call.out.line(
    `${grown.length} grew, ${rows.length - grown.length} shrank, ${same} stayed; ${gone} are in the first binary only, ${added} in the second`,
  );
  if (counts === undefined) return;
  const total = rows.reduce((sum, { bytes }) => sum + bytes, 0n);
  call.out.line(`stacks of the profile: ${total < 0n ? '' : '+'}${total} bytes`);
}

/** Frames by function, from the count of goroutines where the profile has it beside others. */
async function goroutineFrames(path: string, call: Call): Promise<ReadonlyMap<string, bigint>> {
  const profile = await readProfile(path, call.err);
  const counts = await guardFormat(path, () => frameCounts(profile, call.text('type') ?? 'goroutine'));
  const bare = counts.get('') ?? 0n;
  if (bare !== 0n) call.err.line(`${path}: warning no_symbols: ${bare} frames without a function name count nowhere`);
  return counts;
}

async function printJson(rows: readonly Row[], hasProfile: boolean, { out }: Call): Promise<void> {
  for (const { function: name, was, before, after, growth, frames, bytes } of rows) {
    out.json({ function: name, was, before, after, growth, ...(hasProfile ? { frames, bytes } : {}) });
    await out.drained();
  }
}

async function printTable(rows: readonly Row[], hasProfile: boolean, { out }: Call): Promise<void> {
  for (const { function: name, was, before, after, growth, frames, bytes } of rows) {
    const effect = hasProfile ? `  ${String(frames).padStart(8)} × = ${String(bytes).padStart(10)}` : '';
    const renamed = was.length === 1 && was[0] === name ? '' : `  (was ${was.join(', ')})`;
    out.line(
      `${String(before).padStart(8)} → ${String(after).padStart(8)}  +${String(growth).padEnd(7)}${effect}  ${name}${renamed}`,
    );
    await out.drained();
  }
}
