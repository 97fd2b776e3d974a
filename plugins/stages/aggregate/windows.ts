/** Windows of time, by the time that a profile says it was started at. They begin at whole multiples of their distance since 1970. */
import type { Profile } from '../../../core/index.js';

export type WindowFields = { readonly window?: string };

const SECONDS: Readonly<Record<string, bigint>> = { s: 1n, m: 60n, h: 3600n, d: 86_400n };

/** Nanoseconds of "90s", "15m", "1h", "1d". */
export function parseSpan(text: string): bigint {
  return BigInt(text.slice(0, -1)) * SECONDS[text.at(-1)!]! * 1_000_000_000n;
}

/**
 * The windows that a profile is in: one, or several where they overlap. A profile without a time is in the window "none".
 * @returns what gives them; a single `{}` where there are no windows
 */
export function compileWindows(
  every: string | undefined,
  slide: string | undefined,
): (profile: Pick<Profile, 'timeNanos'>) => readonly WindowFields[] {
  if (every === undefined) return () => [{}];
  const length = parseSpan(every);
  const distance = slide === undefined ? length : parseSpan(slide);
  return ({ timeNanos }) => {
    if (timeNanos === 0n) return [{ window: 'none' }];
    const windows: WindowFields[] = [];
    for (let start = floor(timeNanos, distance); start > timeNanos - length; start -= distance) {
      windows.push({ window: startText(start) });
    }
    return windows.reverse();
  };
}

function floor(time: bigint, distance: bigint): bigint {
  const rest = time % distance;
  return rest < 0n ? time - rest - distance : time - rest;
}

/** "20261121T150000Z": ISO 8601, without what paths must not hold. Seconds since 1970 beyond the years that ISO 8601 has. */
function startText(start: bigint): string {
  const milliseconds = Number(start / 1_000_000n);
  const date = new Date(milliseconds);
  if (Number.isNaN(date.getTime()) || milliseconds < 0) return `${start / 1_000_000_000n}s`;
  return date.toISOString().replace(/[-:]|\.\d+/g, '');
}
