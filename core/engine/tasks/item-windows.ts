/** Where a profile is in the windows of an aggregate, and whether it comes too late for them. */
import type { Profile } from '../../profile/profile.js';
import { ItemError } from '../contract/errors.js';
import type { AggregateWindows, ItemInfo, WindowRules } from '../contract/plugin.js';
import type { ItemWindows } from '../contract/protocol.js';

export interface ItemInWindows extends ItemWindows {
  /** A window of it has been written. */
  readonly isLate: boolean;
}

/**
 * @param closedMs windows that ended until then are written
 * @throws ItemError E_LATE, where such an item is none; what was in time in a run before is never too late
 */
export function windowsOf(
  { clock, late }: WindowRules,
  windows: AggregateWindows<unknown>,
  profile: Profile,
  item: ItemInfo,
  closedMs: number,
): ItemInWindows {
  const { arrivalMs = 0, writtenUntilMs } = item;
  const timeMs = clock === 'arrival' ? arrivalMs : timeOf(profile);
  const endsMs = windows.endsOf(profile, item);
  const isLate = endsMs.some((end) => end <= closedMs);
  if (isLate && late === 'dead-letter' && writtenUntilMs === undefined) {
    const ended = new Date(endsMs[0]!).toISOString();
    throw new ItemError('E_LATE', `its window ended at ${ended} and has been written`);
  }
  return { index: item.index, timeMs, arrivalMs, endsMs, isLate };
}

/** Milliseconds since 1970; undefined for a profile without a time. */
function timeOf({ timeNanos }: Profile): number | undefined {
  return timeNanos === 0n ? undefined : Number(timeNanos / 1_000_000n);
}
